"""BPE by hand in a browser: the keyboard merges pairs, the address follows, and a slide has the same buttons."""

import re

from playwright.sync_api import expect

from tests.support.axe import findings
from tests.support.deeds import fonts_loaded

TEXT = "/learn/by-hand?text=low+low+lower+newer"


def test_pairs_are_merged_with_the_keyboard_and_the_address_follows(open_page):
    page = open_page(TEXT)
    page.get_by_role("button", name="Pair l o").first.press("Enter")
    expect(page.locator(".caption")).to_contain_text("occurs 3 times. Merging it leaves 13 tokens.")
    page.get_by_role("button", name="Merge this pair").press("Enter")
    expect(page.get_by_role("heading", name="13 tokens after 1 merge")).to_be_visible()
    page.wait_for_url(re.compile(r"merge=l\+o"))
    page.get_by_label("Stop at vocabulary size").fill("7")
    page.get_by_label("Stop at vocabulary size").press("Enter")
    expect(page.locator(".caption")).to_contain_text("Training stops: the vocabulary has reached 7 tokens.")


def test_a_pair_is_merged_on_its_slide(open_page):
    page = open_page(TEXT, viewport={"width": 1280, "height": 720})
    page.keyboard.press("p")
    fonts_loaded(page)  # with which the slide is made anew
    page.locator(".deck .joint").first.click()
    expect(page.locator(".deck .caption")).to_contain_text("occurs 3 times")
    page.locator(".deck .press", has_text="Merge this pair").click()
    expect(page.locator(".deck-title")).to_have_text("13 tokens after 1 merge")


def test_practice_keeps_what_went_wrong_and_comes_back_to_it(open_page):
    page = open_page("/learn/by-hand/practice?seed=3", viewport={"width": 390, "height": 844})
    page.get_by_role("button", name="Pair t h").press("Enter")
    expect(page.locator(".verdict")).to_contain_text("The answer is i n. i n occurs 5 times")
    page.get_by_role("button", name="Pair in g").first.press("Enter")
    expect(page.locator(".verdict").nth(1)).to_contain_text("Right. in g occurs 3 times")
    page.wait_for_url(re.compile(r"answer-1=in\+g"))
    expect(page.locator("[data-due]")).to_have_text("1 to repeat now:")
    assert findings(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="Next text").click()
    expect(page.locator("[data-next-card]")).to_have_attribute("href", re.compile("text=thinks"))
    page.get_by_role("button", name="Forget them").click()


def test_a_merge_is_answered_on_its_slide_and_the_verdict_stays_until_next(open_page):
    page = open_page("/learn/by-hand/practice?seed=3", viewport={"width": 1280, "height": 720})
    page.keyboard.press("p")
    fonts_loaded(page)  # with which the slide is made anew
    page.locator(".deck .joint").first.click()
    expect(page.locator(".deck .verdict:visible")).to_contain_text("Not this one. t h occurs once.")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".deck legend:visible")).to_have_text("Merge 2 of 4: which pair does the machine take?")
