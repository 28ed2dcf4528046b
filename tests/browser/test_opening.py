"""The first screen of a first visit: a word becomes tokens, and the tokens ids; once, and without moving the page."""

import pytest
from playwright.sync_api import expect

from tests.support.deeds import count, set_text, type_text
from tests.support.layout import SHIFTS

PHONE = {"width": 390, "height": 844}
SCROLLING = """() => [...document.querySelectorAll("main *")].filter((one) => one.id !== "text"
  && one.checkVisibility({ contentVisibilityAuto: true })
  && one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY))
  .map((one) => one.className)"""
"""What scrolls by itself within the page."""


def ids(page):
    return page.locator(".opening-id").all_inner_texts()


def test_the_letters_become_the_tokens_of_the_trace_and_these_their_ids(open_page, watch):
    page = open_page(first_visit=True, reduced_motion="no-preference")
    expect(page.locator(".opening-caption")).to_have_css("opacity", "1")
    assert page.locator(".opening-letters").all_text_contents() == ["st", "raw", "berry"]
    answer = page.request.post(f"{watch.base}/tokenize", data={"tokenizer": "gpt-5", "text": "strawberry"})
    assert ids(page) == [str(id) for id in answer.json()["ids"]]
    assert [one.url for one in watch.requests].count(f"{watch.base}/api/trace") == 1
    assert page.evaluate(SHIFTS) < 0.05
    page.reload()
    expect(page.locator(".opening")).to_be_hidden()


def test_it_can_be_skipped_and_the_first_key_takes_it_away(open_page):
    page = open_page(first_visit=True, reduced_motion="no-preference")
    page.get_by_role("button", name="Skip").click()
    expect(page.locator(".opening-id").first).to_have_css("opacity", "1")
    expect(page.get_by_role("button", name="Skip")).to_be_hidden()
    type_text(page, "mine")
    expect(page.locator(".opening")).to_be_hidden()


@pytest.mark.parametrize("options", [{}, {"java_script_enabled": False}])
def test_its_end_is_shown_on_the_first_screen_of_a_phone_where_nothing_is_to_move(open_page, watch, options):
    page = open_page(first_visit=True, viewport=PHONE, **options)
    expect(page.locator(".opening-caption")).to_have_text("This is all the model sees.")
    expect(page.locator(".opening-id").first).to_have_css("opacity", "1")
    assert not any("/api/trace" in one.url for one in watch.requests)
    shown = "#text", ".opening-question", ".counts", ".answer-bar"
    for selector in shown if "java_script_enabled" in options else (*shown, ".picker-field"):
        box = page.locator(selector).bounding_box()
        assert box["y"] + box["height"] <= PHONE["height"], selector


def test_six_lines_are_in_view_with_their_tokens_and_ten_thousand_scroll_with_the_page(open_page):
    lines = "\n".join(f"This is line {number} of a text." for number in range(6))
    page = open_page(viewport={"width": 1280, "height": 800})
    page.locator(".text .tok").first.click()
    expect(page.locator("#details h2")).to_have_text("Token 0")
    overlaps = """() => { const panel = document.getElementById("details").getBoundingClientRect();
      return [...document.querySelectorAll("#text, .picker-field, .tok, .id, #options :is(summary, label), summary")]
        .filter((one) => one.checkVisibility({ contentVisibilityAuto: true }))
        .map((one) => one.getBoundingClientRect())
        .filter((box) => box.right > panel.left && box.left < panel.right
          && box.bottom > panel.top && box.top < panel.bottom).length; }"""
    assert page.evaluate(overlaps) == 0
    page.keyboard.press("Escape")
    type_text(page, lines)
    assert count(page) == "54"
    for selector in ("#text", ".counts", ".window .tok >> nth=53"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    set_text(page, "a line of text\n" * 10_000)
    expect(page.locator(".window.wait").first).to_be_attached()
    page.mouse.move(900, 500)
    page.mouse.wheel(0, 20_000)
    for selector in ("#text", ".counts", "#details"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    assert page.evaluate(SCROLLING) == []
    page = open_page(viewport=PHONE)
    type_text(page, lines)
    assert page.locator(".counts .lead").bounding_box()["y"] < 420  # in the upper half
