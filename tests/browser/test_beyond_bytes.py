"""Bytes and patches in a browser: a limit is dragged, a patch predicted, and the page accessible."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.axe import findings
from tests.support.slides import turned


def test_the_limit_is_dragged_on_the_chart_and_the_address_follows(open_page):
    page = open_page("/beyond/bytes?rule=global&threshold=2.4&text=The+tokenizer+reads+strawberry.")
    patches = page.locator(".counts .lead dd")
    before = int(patches.inner_text())
    box = page.locator(".cells .bars").first.bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 3, box["y"] + 10, steps=3)
    page.mouse.up()
    expect(patches).not_to_have_text(str(before))
    assert int(patches.inner_text()) < before
    assert float(page.get_by_label("Higher than (nats)").first.input_value()) > 3
    page.wait_for_url(re.compile("threshold=[3-5]"))
    page.get_by_label("Threshold in nats").fill("0.5")
    expect(patches).not_to_have_text(re.compile(r"^\d$"))
    assert int(patches.inner_text()) > before


def test_a_patch_is_predicted_with_links_and_without_a_script(open_page):
    page = open_page("/beyond/bytes", java_script_enabled=False)
    page.get_by_role("link", name="Predict first").click()
    expect(page.get_by_role("heading", name="How hard each byte")).to_have_count(0)
    page.locator("a.guess").first.click()
    expect(page.locator(".predict strong")).to_have_text(re.compile("Right|Not there"))
    page.get_by_label("Text", exact=True).fill("one two")
    page.get_by_role("button", name="Cut into patches").click()
    expect(page.locator(".cells .cell")).to_have_count(7)


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_page, width, scheme):
    page = open_page(
        "/beyond/bytes?example=languages&typo=swap", color_scheme=scheme, viewport={"width": width, "height": 900}
    )
    assert findings(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.goto(page.url.split("?")[0] + "?after=2&guess=0")
    assert findings(page) == []


def test_presented_the_chart_is_the_first_slide(open_page):
    page = open_page("/beyond/bytes", viewport={"width": 1280, "height": 720})
    slides = turned(page)
    assert [(slide["title"], slide["faults"]) for slide in slides if slide["faults"]] == []
    assert sum(slide["controls"] for slide in slides) == 0
    assert slides[0]["title"] == "How hard each byte is to predict"
    page.keyboard.press("Home")
    expect(page.locator(".slide .cells .bars")).to_have_count(47)
