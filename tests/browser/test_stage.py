"""The stage of Steps and of the scenes: its regions never move, and nothing in them is cut or too small."""

from itertools import cycle, product

import pytest
from playwright.sync_api import expect
from tokenarium.lab.learn.chapters import CHAPTERS
from tokenarium.lab.steps.examples import EXAMPLES

from tests.conftest import TIER
from tests.support.deeds import fonts_loaded, settled
from tests.support.stage import faults, regions

SCREENS = {"projector": (1920, 1080), "laptop": (1280, 720), "phone": (390, 844)}
SCENES = [lesson.scene.id for chapter in CHAPTERS[:5] for lesson in chapter.lessons]
OWN = ("low lower lowest slow slower", "Das Übermaß — 東京 naïve 🎉", "unbelievably antidisestablishmentarianism")
"""Texts of one's own: a small corpus, several scripts, and long words."""
PLACES = [
    *(f"/learn/{id}?" for id in SCENES),
    *(f"/steps?example={example.id}&" for example in EXAMPLES),
    *(f"/learn/{id}?text={text}&" for id in ("learn-bpe", "bpe", "bytes", "pretokenize") for text in OWN),
]
SOME = PLACES[::4]
ON_SCREENS = [*product(PLACES, SCREENS)] if TIER == "nightly" else [*zip(SOME, cycle(SCREENS), strict=False)]


@pytest.mark.parametrize(("place", "screen"), ON_SCREENS)
def test_no_region_moves_and_nothing_in_it_is_cut_or_small_from_the_first_step_to_the_last(open_page, place, screen):
    width, height = SCREENS[screen]
    page = open_page(f"{place}step=0", viewport={"width": width, "height": height})
    fonts_loaded(page)
    presented = screen != "phone"
    if presented:
        page.keyboard.press("p")
        expect(page.locator("main.canvas")).to_be_visible()
    if page.locator(".predict[data-question]:not([data-answer])").count():
        assert faults(page) == []
        page.locator("#show-answer").click()
        expect(page.locator(".predict[data-answer]")).to_be_visible()
        settled(page)
    first: dict[str, list[int]] = {}
    step, total = 0, int(page.locator(".result-view").get_attribute("data-total"))
    while True:
        assert (step, faults(page)) == (step, [])
        now = regions(page)
        first = now | first
        assert (step, now) == (step, {name: first[name] for name in now})
        if step == total - 1:
            break
        step = step + 1 if step < 8 else total - 1
        page.keyboard.press("End" if step == total - 1 else "ArrowRight")
        expect(page.locator(".counter:not(#score)").first).to_contain_text(f"{step:,} of ")
        settled(page)  # a formula is fitted a moment after its scene is there


@pytest.mark.parametrize("width", [1280, 1024, 390])
def test_on_a_page_no_region_of_a_scene_scrolls(open_page, width):
    page = open_page("/learn/learn-unigram?step=1", viewport={"width": width, "height": 720})
    fonts_loaded(page)
    for region in page.locator(".stage > *").all():
        assert region.evaluate("(one) => one.scrollHeight - one.clientHeight") <= 0
