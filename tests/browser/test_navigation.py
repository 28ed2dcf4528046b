"""Doors, tabs and menus on a phone, and the first keys on the front page."""

from playwright.sync_api import expect
from tokenarium.web.navigation import PLACES

HIDDEN_OR_SMALL = """() => [...document.querySelectorAll(".masthead a:not(.wordmark), .tabs a")].filter((link) => {
  const { left, right, top, bottom, width, height } = link.getBoundingClientRect();
  return left < 0 || right > innerWidth || top < 0 || bottom > 200 || width < 40 || height < 40;
}).map((link) => link.textContent.trim())"""


def test_on_a_phone_all_doors_and_tabs_are_in_view_and_large_enough_for_a_finger(open_page, base):
    page = open_page("/", viewport={"width": 390, "height": 844})
    lost = {}
    for address in (address for place in PLACES for address, _ in place.all_pages):
        page.goto(base + address)
        if names := page.evaluate(HIDDEN_OR_SMALL):
            lost[address] = names
        assert page.evaluate("document.documentElement.scrollWidth") == 390, address
    assert lost == {}


def test_the_first_stop_of_the_front_page_leads_into_its_text(open_page):
    page = open_page("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the text")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Text")).to_be_focused()


def test_every_menu_opens_within_a_phone_and_closes_by_escape(open_page, base):
    page = open_page("/", viewport={"width": 390, "height": 844})
    for address in (
        "/vocabulary/gpt2",
        "/pipeline",
        "/steps",
        "/train",
        "/doctor",
        "/surgery",
        "/compare/vocabularies",
    ):
        page.goto(base + address)
        buttons = page.locator("details.menu > summary:visible")
        assert buttons.count() > 0, address
        for button in buttons.all():
            button.click()
            box = page.locator("details.menu[open] .menu-items").bounding_box()
            assert 0 <= box["x"] <= 390 - box["width"], address
            page.keyboard.press("Escape")
            expect(page.locator("details.menu[open]")).to_have_count(0)
