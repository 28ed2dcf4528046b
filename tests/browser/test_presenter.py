"""Presenter mode: one canvas, on which every slide holds: nothing is cut, lost, empty or too small to read."""

import json
import re
from itertools import cycle, product

import pytest
from playwright.sync_api import expect

from tests.conftest import TIER
from tests.support.layout import on_screen
from tests.support.slides import cells, turned, walk
from tests.support.stage import faults
from tests.support.steps_page import counter, edit, press

SCREENS = (1920, 1080), (1280, 720), (390, 844)
"""A projector, a laptop, and a phone that is held upright."""
PAGES = ("/compare", "/tokenizers/gpt2", "/beyond/actions", "/", "/chat", "/learn/by-hand/practice?seed=3")
OTHERS = (
    *("/learn/glossary", "/vocabulary/gpt2", "/pipeline", "/learn/bpe/practice", "/compare/vocabularies"),
    "/learn/by-hand?text=low+low+lower&merge=l+o&size=6",
    *(
        "/regex",
        "/chunks",
        "/languages",
        "/learn",
        "/beyond",
        "/request",
        "/turns",
        "/folder",
        "/learn/calculators",
        "/tokenizers",
        "/train",
        "/surgery",
    ),
    *("/doctor", "/docs", "/docs/api", "/conformance", "/about", "/vocabulary/gpt2/summary"),
    *("/beyond/pictures", "/beyond/sound", "/beyond/bytes", "/beyond/concepts", "/beyond/parameters", "/beyond/budget"),
    *("/learn/calculators/embedding", "/compare?text=token%20izers", "/learn/write-it", "/learn/at-scale"),
)


def on_screens(values, some):
    """Each value on every screen, nightly; before a commit, some of them, each on one of the screens."""
    return [*product(values, SCREENS)] if TIER == "nightly" else [*zip(some, cycle(SCREENS), strict=False)]


@pytest.fixture
def stage(open_page):
    """Open a page in presenter mode on a screen: `stage("/steps?example=there", (1280, 720))`."""

    def open_stage(path, screen=SCREENS[1], **options):
        page = open_page(path, viewport={"width": screen[0], "height": screen[1]}, **options)
        page.evaluate("() => document.fonts.ready")
        page.keyboard.press("p")
        expect(page.locator("html.presenting")).to_have_count(1)
        return page

    return open_stage


@pytest.mark.parametrize(("path", "screen"), on_screens(PAGES + OTHERS, PAGES))
def test_every_slide_of_a_page_holds_and_shows_every_cell(open_page, path, screen):
    page = open_page(path, viewport={"width": screen[0], "height": screen[1]})
    wanted = cells(page)
    page.keyboard.press("p")
    expect(page.locator(".deck-place")).to_have_text(re.compile("^1 of [1-9]"))
    shown = walk(page)
    assert shown["faults"] == []
    assert [text for text in wanted if text not in shown["cells"]] == []
    page.keyboard.press("Escape")
    expect(page.locator(".masthead")).to_be_visible()
    assert page.locator(".deck").count() == 0


def test_f_shows_the_formula_and_c_the_code_that_acted_and_the_answer_stays_until_the_next_key(stage):
    page = stage("/learn/learn-bpe", SCREENS[0])
    page.keyboard.press("f")
    expect(page.locator(".learn-equation math").first).to_be_visible()
    expect(page.locator(".picture .row").first).to_be_hidden()
    page.keyboard.press("f")
    page.locator(".learn-question .press").first.click()
    expect(page.locator(".learn-verdict")).to_contain_text("It occurs 11 times")
    assert on_screen(page, ".learn-question, .learn-verdict, .picture .row b") == []
    page.keyboard.press("PageDown")
    expect(page.locator(".learn-view")).to_have_attribute("data-step", "1")
    expect(page.locator(".learn-question")).to_have_count(0)
    page.keyboard.press("c")
    lines = page.locator(".learn-code .line:visible")
    expect(page.locator(".learn-code .lit")).to_be_visible()
    assert lines.count() <= 12
    assert on_screen(page, ".learn-code .line:is(.lit, .near)") == []
    picture, code = (page.locator(one).bounding_box() for one in (".picture", ".learn-codes"))
    assert picture["x"] + picture["width"] <= code["x"]
    assert on_screen(page, ".picture .row b") == []


@pytest.mark.parametrize("predicts", [False, True], ids=["shown", "asked"])
def test_the_pairs_of_a_step_stand_right_of_its_pieces(stage, predicts):
    page = stage("/steps?example=sennrich")
    page.evaluate(f"() => {{ document.getElementById('predict').checked = {json.dumps(predicts)}; }}")
    press(page, "PageDown", 1)
    assert faults(page) == []
    pieces, pairs = (page.locator(f"#stage {one}").last.bounding_box() for one in (".row b", ".pairs"))
    assert pieces["x"] + pieces["width"] <= pairs["x"]
    expect(page.locator("#stage .pairs td:visible").nth(1)).to_have_text("?" if predicts else "11")
    expect(page.locator(".learned b")).to_have_text([] if predicts else ["w</w>"])


def test_an_edit_is_what_the_next_presentation_shows(stage):
    page = stage("/steps?example=there")
    page.keyboard.press("Escape")
    edit(page, "there the threethere")
    page.keyboard.press("p")
    page.locator("#slider").fill("4")
    expect(page.locator("#counter")).to_have_text(re.compile("^4 of"))
    assert faults(page) == []


TOLD = """() => {
  window.told = [];
  let last = null;
  for (const name of ["slide", "deck:begin", "deck:end"])
    document.addEventListener(name, ({ type, detail }) => {
      const same = type === "slide" && JSON.stringify(detail) === last;
      if (type === "slide") last = JSON.stringify(detail);
      if (!same) window.told.push([type, detail]);
    });
}"""
"""Notes what is told; a slide that is made anew, when a font arrives, is told again."""


def told(page, count):
    page.wait_for_function("count => window.told.length >= count", arg=count)
    return page.evaluate("() => window.told")


def test_a_deck_says_which_slide_is_shown_turns_black_and_goes_by_digits_and_from_the_speakers_window(open_page):
    page = open_page("/learn/glossary", viewport={"width": 1280, "height": 720})
    page.evaluate(TOLD)
    page.keyboard.press("p")
    ((name, slide),) = told(page, 1)
    assert (name, slide["at"], slide["title"], slide["address"]) == ("slide", 1, "Glossary", "/learn/glossary")
    page.keyboard.press("ArrowLeft")
    assert told(page, 2)[1][0] == "deck:begin"
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    events = told(page, 4)
    assert events[2][1]["at"] == events[2][1]["total"] > 20
    assert events[3][0] == "deck:end"
    page.keyboard.press("?")
    expect(page.locator(".over.keys")).to_contain_text("black screen")
    page.keyboard.press("Escape")
    expect(page.locator(".over")).to_have_count(0)
    page.keyboard.press("b")
    expect(page.locator(".over.black")).to_be_visible()
    page.keyboard.press("b")
    for key in ("1", "2", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".deck-place")).to_have_text(re.compile("^12 of"))
    expect(page.locator("html.presenting")).to_have_count(1)
    page.keyboard.press("Home")
    with page.expect_popup() as waiting:
        page.keyboard.press("s")
    speaker = waiting.value
    now, after = (speaker.frame_locator(f".speaker-{name}").locator(".deck-title") for name in ("now", "next"))
    expect(now).to_have_text("Glossary")
    expect(after).to_have_text("Token")
    expect(speaker.locator(".speaker-clock")).to_contain_text("1 of")
    speaker.keyboard.press("ArrowRight")
    expect(page.locator(".deck-title")).to_have_text("Token")
    expect(now).to_have_text("Token")
    expect(after).to_have_text("Id")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.documentElement.matches('.presenting')")


def test_w_goes_to_the_next_word_and_the_last_slide_of_an_encoding_has_the_ids(stage):
    page = stage("/steps?example=python&step=2")
    page.keyboard.press("w")
    expect(page.locator("#caption")).to_contain_text("fibonacci")
    expect(counter(page)).to_have_text("5 of 82")
    page = stage("/steps?example=strawberry&step=9")
    page.evaluate(TOLD)
    press(page, "ArrowRight", 10)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#stage .with-id small")).to_have_text(["302", "1618", "19772"])
    assert told(page, 2)[1][1]["address"] == "/steps?example=strawberry&step=10"
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#stage .with-id")).to_have_count(0)
    expect(counter(page)).to_have_text("10 of 10")


def test_a_text_is_edited_on_the_stage_and_the_slides_follow(stage):
    page = stage("/")
    page.keyboard.press("e")
    page.locator(".editor textarea").fill("a new text for the audience")
    expect(page.locator(".slide .text")).to_have_text("a new text for the audience")
    page.keyboard.press("Escape")
    expect(page.locator(".editor")).to_have_count(0)
    assert walk(page)["faults"] == []
    page.keyboard.press("Escape")
    expect(page.locator("#text")).to_have_value("a new text for the audience")


def test_a_text_that_is_refused_on_the_stage_says_why_and_the_slides_go_on(stage, watch):
    watch.allowed.append("422")
    page = stage("/learn/new-word")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("e")
    page.locator(".editor textarea").fill("lowest")
    why = "Type words with counts, and on the last line a new word of at most 20 letters."
    expect(page.locator(".editor p")).to_have_text(f"{why} Escape goes back to the text before.")
    page.keyboard.press("Escape")
    expect(page.locator("#text")).to_have_value(re.compile("newest$"))
    expect(page.locator("#text")).not_to_have_attribute("aria-invalid", "true")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".learn-view")).to_have_attribute("data-step", "1")


def test_a_presented_comparison_shows_the_table_and_the_lanes_of_every_tokenizer(open_page):
    tokenizers = "&tokenizer=".join(("o200k_base", "gpt2", "t5", "bert-base-uncased", "yi"))
    page = open_page(f"/compare?tokenizer={tokenizers}")
    shown = turned(page)
    table = [slide for slide in shown if slide["title"] == "Tokens and cost"]
    text = " ".join(table[0]["text"].split())
    assert re.findall(r"(?<= )(\d+)(?= (?:baseline|[−+]|same))", text) == ["8", "12", "8", "7", "11"]
    assert {slide["title"] for slide in shown} == {"Tokens and cost", "Tokens in lanes"}
    assert len(shown) <= 3
    assert [fault for slide in shown for fault in slide["faults"]] == []


def test_an_address_without_a_page_is_not_presented(open_page, watch):
    watch.allowed.append("404 (Not Found)")
    page = open_page("/nowhere")
    expect(page.get_by_role("button", name="Present this page")).to_have_count(0)
    page.keyboard.press("p")
    page.get_by_role("link", name="Start page").focus()
    expect(page.locator(".deck")).to_have_count(0)
