"""The first screen of a first visit: a word becomes tokens, and the tokens ids; once, and without moving the page."""

import pytest
from playwright.sync_api import expect

from tests.support.deeds import count, set_text, type_text
from tests.support.layout import SHIFTS

PHONE = {"width": 390, "height": 844}


def ids(page):
    return page.locator(".opening-id").all_inner_texts()


def test_the_letters_become_the_tokens_of_the_trace_and_these_their_ids(open_page, watch):
    page = open_page(first_visit=True)
    expect(page.locator(".opening-caption")).to_have_css("opacity", "1")
    assert page.locator(".opening-letters").all_text_contents() == ["st", "raw", "berry"]
    answer = page.request.post(f"{watch.base}/tokenize", data={"tokenizer": "gpt-5", "text": "strawberry"})
    assert ids(page) == [str(id) for id in answer.json()["ids"]]
    assert [one.url for one in watch.requests].count(f"{watch.base}/api/trace") == 1
    assert page.evaluate(SHIFTS) < 0.05
    page.reload()
    expect(page.locator(".opening")).to_be_hidden()


def test_it_can_be_skipped(open_page):
    page = open_page(first_visit=True)
    page.get_by_role("button", name="Skip").click()
    expect(page.locator(".opening-id").first).to_have_css("opacity", "1")
    expect(page.get_by_role("button", name="Skip")).to_be_hidden()


@pytest.mark.parametrize("options", [{"reduced_motion": "reduce"}, {"java_script_enabled": False}])
def test_its_end_is_shown_where_nothing_is_to_move(open_page, watch, options):
    page = open_page(first_visit=True, **options)
    expect(page.locator(".opening-caption")).to_have_text("This is all the model sees.")
    expect(page.locator(".opening-id").first).to_have_css("opacity", "1")
    assert not any("/api/trace" in one.url for one in watch.requests)


def test_text_tokenizer_and_tokens_are_in_the_first_screen_of_a_phone(open_page):
    page = open_page(first_visit=True, viewport=PHONE, reduced_motion="reduce")
    for selector in ("#text", ".picker-field", ".opening-question", ".counts", ".answer-bar"):
        box = page.locator(selector).bounding_box()
        assert box["y"] + box["height"] <= PHONE["height"], selector


def test_the_first_key_takes_it_away(open_page):
    page = open_page(first_visit=True)
    type_text(page, "mine")
    expect(page.locator(".opening")).to_be_hidden()


def test_six_lines_their_count_and_their_tokens_are_in_view(open_page):
    page = open_page(viewport={"width": 1280, "height": 800})
    type_text(page, "\n".join(f"This is line {number} of a text." for number in range(6)))
    assert count(page) == "54"
    for selector in ("#text", ".counts", ".window .tok >> nth=53"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)


def test_on_a_phone_the_count_stands_in_the_upper_half(open_page):
    page = open_page(viewport=PHONE)
    type_text(page, "\n".join(f"This is line {number} of a text." for number in range(6)))
    assert page.locator(".counts .lead").bounding_box()["y"] < 420


def test_ten_thousand_lines_scroll_in_their_box(open_page):
    page = open_page(viewport={"width": 1280, "height": 800})
    set_text(page, "a line of text\n" * 10_000)
    assert page.evaluate("() => document.documentElement.scrollHeight") < 1200
    assert page.locator("#result").evaluate("box => box.scrollHeight > 20 * box.clientHeight")


def test_the_details_of_a_token_cover_no_control(open_page):
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
