"""The main views are as in the pictures of them in tests/golden/pictures; `make pictures` takes these again."""

import os
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.support.deeds import set_text
from tests.support.picture_places import differing_places, show_differences, shrink, store

PICTURES = Path(__file__).parents[1] / "golden" / "pictures"
TEXT = "Hello, Wörld  again, it's 2025.\n\n\tfor i in range(10):\n    return  unhappily"
TYPED = "text=Hello%2C%20W%C3%B6rld%20again%2C%20it%27s%202025."
VIEWS = {
    "tokens": ("/?tokenizer=bert-base-uncased", 1280, "light"),
    "tokens-phone": (f"/?tokenizer=o200k_base&{TYPED}", 390, "dark"),
    "compare": ("/compare?tokenizer=o200k_base&tokenizer=bert-base-uncased&example=arithmetic", 1280, "light"),
    "steps": ("/steps?example=sennrich&step=5", 1280, "dark"),
    "regex": (f"/regex?pattern=%5Cp%7BL%7D%2B&{TYPED}", 1280, "light"),
    "chat": ("/chat", 1280, "dark"),
    "request": ("/request", 1280, "light"),
    "vocabulary": ("/vocabulary/gpt2", 1280, "dark"),
    "tokenizer": ("/tokenizers/bert-base-uncased", 390, "light"),  # the list has what other tests saved
    "course": ("/learn", 1280, "light"),
    "scene": ("/learn/bpe", 390, "dark"),
    "pipeline": (f"/pipeline?tokenizer=bert-base-uncased&{TYPED}", 1280, "light"),
    "stage": ("/learn/learn-bpe", 1280, "dark"),
}
"""Each with its address, the width of the window and the theme."""
HEIGHTS = {1280: 896, 390: 700, "compare": 1300}
CHANGED = {
    "a gap is a bar": ".gap { display: grid }",
    "a count is moved": ".counts { position: relative; top: 20px }",
    "a colour is another": ":root { --t2: #e0e0ff }",
}
HIDE = """rule => { document.activeElement.blur();
  document.styleSheets[0].insertRule(".colophon, .filechip { display: none !important }");
  document.styleSheets[0].insertRule("#models tbody tr { visibility: hidden !important; box-shadow: none !important }");
  document.styleSheets[0].insertRule("* { caret-color: transparent !important }"); }"""
"""What changes by itself: prices, the version, the caret."""
CHANGE = "rule => document.styleSheets[0].insertRule(rule, document.styleSheets[0].cssRules.length)"


@pytest.fixture
def view(open_page):
    """Open a view, at rest."""

    def view(name):
        path, width, theme = VIEWS[name]
        page = open_page(path, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": HEIGHTS.get(name, HEIGHTS[width])})
        page.emulate_media(color_scheme=theme)
        if name == "tokens":
            set_text(page, TEXT)
        if name == "stage":
            page.keyboard.press("p")
            page.locator(".presenting").wait_for()
        expect(page.locator("[data-waiting], [data-stale], .htmx-request")).to_have_count(0)
        page.evaluate(HIDE)
        return page

    return view


def take(page):
    page.evaluate("() => document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
    return shrink(Image.open(BytesIO(page.screenshot())))


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_as_in_its_picture(view, name, tmp_path):
    seen, file = take(view(name)), PICTURES / f"{name}.png"
    if "TAKE_PICTURES" in os.environ:
        store(seen, file)
    stored, told = Image.open(file), tmp_path / f"{name}.png"
    assert stored.size == seen.size
    if places := differing_places(stored, seen):
        show_differences(stored, seen, places).save(told)
    assert places == [], f"See {told}; if it is as it should be, run `make pictures`."


def test_a_picture_shows_small_changes(view):
    page = view("tokens")
    before = take(page)
    assert differing_places(before, take(page)) == []
    for change, rule in CHANGED.items():
        page.evaluate(CHANGE, rule)
        assert differing_places(before, take(page)), change
        page.evaluate("() => document.styleSheets[0].deleteRule(document.styleSheets[0].cssRules.length - 1)")
