"""Presenter mode: what is talked about is large, everything is on the screen, and nothing scrolls."""

import re
from itertools import cycle, product

import pytest
from playwright.sync_api import expect

from tests.conftest import TIER
from tests.support.layout import SCREENS, boxes, on_screen
from tests.support.steps_page import edit, press


@pytest.fixture
def stage(open_page):
    """Open a page in presenter mode on a screen: `stage("/steps?example=there", (1280, 720))`."""

    def open_stage(path, screen):
        page = open_page(path, viewport={"width": screen[0], "height": screen[1]}, reduced_motion="reduce")
        page.keyboard.press("p")
        expect(page.locator("html.presenting")).to_have_count(1)
        return page

    return open_stage


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize(("example", "step"), [("sennrich", 4), ("unigram", 1), ("strawberry", 5), ("playing", 3)])
def test_a_step_is_on_the_screen_and_legible(stage, screen, example, step):
    page = stage(f"/steps?example={example}&step={step}", screen)
    assert on_screen(page, "#stage .row b, #caption", legible=True) == []
    assert on_screen(page, ".player, .player *") == []
    assert page.evaluate("() => [document.documentElement, document.body].every(one => one.scrollTop === 0)")


@pytest.mark.parametrize("screen", SCREENS)
def test_pairs_to_predict_are_three_columns_with_all_controls_in_view(stage, screen):
    page = stage("/steps?example=sennrich", screen)
    page.evaluate("() => document.getElementById('predict').click()")
    press(page, "PageDown", 1)
    expect(page.locator("#caption")).to_have_text("Which pair comes next? Pick one.")
    assert on_screen(page, "#stage .row b, .pairs b, #caption", legible=True) == []
    assert on_screen(page, ".pairs tr, .player, .player *") == []
    assert len({box["left"] for box in boxes(page, ".pairs tr")}) == 3
    page.locator(".pairs button").first.click()
    expect(page.locator("#caption")).to_contain_text("against 11")
    assert on_screen(page, ".pairs tr, #caption, .player") == []
    press(page, "PageDown", 2)


@pytest.mark.parametrize("screen", SCREENS)
def test_the_lattice_leaves_room_for_axis_caption_and_controls(stage, screen):
    page = stage("/steps?example=there", screen)
    for text in ("there", "there the threethere"):
        page.keyboard.press("Escape")
        if text != "there":
            edit(page, text)
        page.keyboard.press("p")
        for step in (3, 4, 5):
            page.locator("#slider").fill(str(step))
            expect(page.locator("#counter")).to_have_text(re.compile(f"^{step} of"))
            assert on_screen(page, ".lattice, .lattice text, #caption, .player") == []
            assert on_screen(page, ".lattice .bold", legible=True) == []
            assert boxes(page, ".lattice")[0]["height"] <= 0.6 * screen[1]


PRESENTED = {
    "/": ".slide .tok",
    "/compare": ".slide .gist, .slide .tally th",
    "/chat": ".slide .text > span:not(.chat-template)",
    "/languages": ".slide .headline",
    "/train": ".slide h1, .slide .lede",
    "/surgery": ".slide h1, .slide .lede",
    "/docs": ".slide h1, .slide .lede",
    "/conformance": ".slide h1, .slide .lede",
}
DECK = ".slide, .deck-foot"


ON_SCREENS = [*product(PRESENTED, SCREENS)] if TIER == "nightly" else [*zip(PRESENTED, cycle(SCREENS), strict=False)]
"""Every page on one of the screens; nightly, on each."""


@pytest.mark.parametrize(("path", "screen"), ON_SCREENS)
def test_every_page_is_presented_in_slides_that_fit(stage, path, screen):
    page = stage(path, screen)
    expect(page.locator(".deck-place")).to_have_text(re.compile("^1 of"))
    assert on_screen(page, PRESENTED[path], legible=True) == []
    for _ in range(3):
        assert on_screen(page, DECK) == []
        assert page.locator(".slide").evaluate("one => one.scrollWidth <= one.clientWidth + 1")
        page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")
    page.keyboard.press("Escape")
    expect(page.locator(".masthead")).to_be_visible()
    assert page.locator(".deck").count() == 0


def test_an_edit_is_what_the_next_presentation_shows(stage):
    page = stage("/", SCREENS[1])
    page.keyboard.press("Escape")
    page.fill("#text", "a new text for the audience")
    expect(page.locator("#result .text")).to_have_text("a new text for the audience")
    page.locator("#text").blur()
    page.keyboard.press("p")
    expect(page.locator(".slide .text")).to_have_text("a new text for the audience")
    assert on_screen(page, ".slide .tok", legible=True) == []
