"""Sound in the browser: codebooks by a slider, a sound that plays, one that is sent, and what axe finds."""

import re

import pytest
from playwright.sync_api import expect
from tokenarium.lab.beyond.sounds import wav

from tests.support.axe import findings
from tests.support.sounds import SECOND

PAGE = "/beyond/sound?sound=chirp&size=16"
PLAYABLE = "audio => new Promise(done => { audio.oncanplay = () => done(audio.duration); audio.load(); })"


def test_the_slider_chooses_the_codebooks_and_the_sounds_play(open_page):
    page = open_page(PAGE)
    expect(page.locator(".token-rows tr")).to_have_count(3)
    page.get_by_label("Codebooks", exact=True).fill("5")
    expect(page.locator(".token-rows tr")).to_have_count(5)
    page.wait_for_url(re.compile("codebooks=5"))
    assert [page.locator("audio").nth(place).evaluate(PLAYABLE) for place in (0, 1, 9)] == [3, 3, 3]


def test_a_sound_that_is_sent_plays_from_the_page_and_a_refusal_keeps_the_form(open_page):
    page = open_page(PAGE)
    page.locator("#own").set_input_files({"name": "a.wav", "mimeType": "audio/wav", "buffer": wav(SECOND)})
    expect(page.locator("audio").first).to_have_attribute("src", re.compile("^data:audio/wav"))
    assert page.locator("audio").nth(1).evaluate(PLAYABLE) == 1
    page.locator("#own").set_input_files({"name": "b.wav", "mimeType": "audio/wav", "buffer": b"no sound"})
    expect(page.locator("#result")).to_contain_text("not a WAV")
    expect(page.get_by_label("Sounds in each codebook")).to_have_value("16")


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_page, width, scheme):
    page = open_page(f"{PAGE}&guess=4", color_scheme=scheme, viewport={"width": width, "height": 900})
    assert findings(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
