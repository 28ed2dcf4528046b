"""What a person sees: lines and gaps of a text as they are in it, tokens that hold their letters, nothing covered."""

import re

import pytest
from playwright.sync_api import expect
from tokenarium.lab.learn.course import SCENES
from tokenarium.web.navigation import PLACES

from tests.conftest import IDS, TIER
from tests.support.deeds import after_comparison, set_text
from tests.support.looking import LOOK, look
from tests.support.steps_page import counter, edit

FAMILIES = ["o200k_base", "bert-base-uncased", "mistral-v3", "characters", "t5"]
"""Byte-level, WordPiece, SentencePiece, characters, and one that normalizes."""
TEXT = """\
Hello, Wörld  again, it's 2025.

\tfor i in range(10):
    return  x
A long line of unhappily tokenized words goes on and on until it is wider than any box that is on these pages.
λόγος 🌍"""
SCENE_STEPS = [(scene.id, step) for scene in SCENES for step in (0, 2)]
WRONG = """
<style>
  body { margin: 0; font: 16px/24px sans-serif } p { margin: 0 } .tok { background: pink }
  .text { width: 300px; white-space: break-spaces }
  .wide { display: inline-block; width: 90px } .low { display: block }
  .small { width: 20px; border: 1px solid } .cut { overflow: hidden; height: 8px }
  .over { margin-top: -20px } .lid { position: relative; margin-top: -24px; height: 24px; background: gray }
</style>
<div class="text"><span class="tok">one</span><span class="gap wide"> </span><span class="tok low">two</span></div>
<p class="small">letters</p><p class="cut">half</p><p>under</p><p class="over">over</p>
<p>hidden</p><div class="lid"></div>
"""


HEADED = [address for place in PLACES for address, _ in place.all_pages]
HEADED += ["/about", "/learn/bpe", "/vocabulary/gpt2", "/vocabulary/gpt2/262"]
SIZES = """all => {
  const root = parseFloat(getComputedStyle(document.documentElement).fontSize);
  return all.map((one) => `${one.localName} ${(parseFloat(getComputedStyle(one).fontSize) / root).toFixed(3)}`);
}"""


@pytest.fixture
def opened(open_page):
    """Open a page at rest."""
    return lambda path: open_page(path, reduced_motion="reduce")


def test_looking_finds_what_is_wrong(chromium):
    page = chromium.new_page(viewport={"width": 800, "height": 600})
    page.set_content(WRONG)
    assert set(page.evaluate(LOOK)) == {
        'span.tok.low "two" begins a line, though 265 px are free',
        'span.gap.wide "" is 90 px wide, its text 5',
        'p.small "letters" does not hold its letters',
        'p.cut "half" is cut off by p.cut',
        'p.cut "half" and p "under" overlap',
        'p.cut "half" is covered by p.over',
        'p "under" and p.over "over" overlap',
        'p "under" is covered by p.over',
        'p "hidden" is covered by div.lid',
    }
    page.close()


@pytest.mark.parametrize("tokenizer", IDS if TIER == "nightly" else FAMILIES[:4])
def test_tokens_look_like_their_text(opened, tokenizer):
    page = opened(f"/?tokenizer={tokenizer}")
    set_text(page, TEXT)
    assert look(page) == []


def test_lanes_look_like_their_text(opened):
    page = opened("/compare?" + "&".join(f"tokenizer={one}" for one in FAMILIES))
    after_comparison(page, lambda: page.fill("#text", TEXT))
    page.locator("#result").focus()  # while it is edited, the text covers what is below
    expect(page.locator(".lane-line").first.locator(".lane-names span")).to_have_count(len(FAMILIES))
    assert look(page) == []


@pytest.mark.parametrize("tokenizer", FAMILIES if TIER == "nightly" else FAMILIES[:3:2])
def test_tiles_hold_their_letters(opened, tokenizer):
    page = opened(f"/steps?branch=encode&tokenizer={tokenizer}")
    edit(page, "Unhappy  Wörld,\nλόγος")
    assert look(page) == []
    page.keyboard.press("End")
    expect(counter(page)).to_have_text(re.compile(r"^(\d+) of \1$"))
    assert look(page) == []


def test_words_of_a_pattern_look_like_their_text(opened):
    page = opened("/regex")
    page.fill("#pattern", r"\p{L}+|\d")  # leaves gaps between words
    page.fill("#text", TEXT)
    expect(page.locator("[data-count=characters]")).to_have_text(str(len(TEXT)))
    assert look(page) == []


@pytest.mark.parametrize(("scene", "step"), SCENE_STEPS[:: 31 if TIER == "commit" else 1])
def test_scenes_cover_nothing(opened, scene, step):
    page = opened(f"/learn/{scene}?step={step}")
    page.locator("#show-code").check()
    expect(page.locator(".line").first).to_be_visible()
    assert look(page) == []


def test_headings_have_one_size_on_all_pages(opened):
    sizes = {}
    for path in HEADED:
        for size in opened(path).locator("main :is(h1, h2):not(.hidden):visible").evaluate_all(SIZES):
            sizes.setdefault(size, path)
    assert {*sizes} == {"h1 1.375", "h2 1.250"}, sizes


def test_controls_have_the_colour_of_the_text_and_no_shadow_lies_on_a_table(opened):
    page = opened("/tokenizers")
    page.locator("summary", has_text="Add yours").click()
    radio = page.get_by_role("radio").first
    assert radio.evaluate("one => getComputedStyle(one).accentColor === getComputedStyle(document.body).color")
    edges = page.get_by_role("region", name="All tokenizers").evaluate("one => getComputedStyle(one).backgroundImage")
    assert re.findall(r"rgba\(0, 0, 0, 0\) (\d+px)", edges) == ["2px", "1px"]  # hard stops: lines
