"""What each page says to nothing, one letter, a script from the right, emoji alone, 100 KB, and more than it takes."""

import re

import pytest

TEXTS = {
    "empty": "",
    "one letter": "x",
    "right to left": "שלום עולם! 12 شجرة.",
    "emoji": "👩‍👩‍👧‍👦🇺🇳🏳️‍🌈👍🏽",
    "100 KB": "The quick brown fox. " * 4_900,
    "too long": "The quick brown fox. " * 100_000,
}
BYTES = {"tokenizer": "bytes"}
PAGES = {
    "/": BYTES,
    "/beyond/actions": {},
    "/beyond/budget": {"model": "claude-opus-5"},
    "/beyond/bytes": BYTES,
    "/beyond/concepts": BYTES,
    "/chunks": {**BYTES, "size": "4000"},
    "/regex": {"pattern": r"\w+"},
    "/steps": {"branch": "learn", "merges": "3"},
}
FIELD = {"/beyond/actions": "numbers"}
UNLIMITED = {"/beyond/budget"}
"""A page whose text the limit of a form bounds."""
NEEDS_TEXT = {"/steps"}
"""A page that asks nothing for an empty box, and dims what it shows."""


@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_beside_the_box_how_long_a_text_may_be(ask, path):
    page = ask("POST", path, data={**PAGES[path], FIELD.get(path, "text"): "x"})
    assert path in UNLIMITED or re.search(r"At most (<[^>]*>)?[\d,]+ (bytes|characters|numbers)", page.text)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("kind", TEXTS)
def test_each_kind_of_text_is_answered_or_refused_with_a_reason(ask, path, kind):
    headers = {"HX-Request": "true", "HX-Request-Type": "partial"}
    page = ask("POST", path, data={**PAGES[path], FIELD.get(path, "text"): TEXTS[kind]}, headers=headers)
    assert page.status_code == 200  # what a form of htmx is refused is an answer, too, and the console stays clean
    refused = 'role="alert"' in page.text
    if path not in FIELD:
        assert refused <= (kind in ("100 KB", "too long") or (kind == "empty" and path in NEEDS_TEXT))
    if refused:
        assert re.search(r'role="alert".*?<p>[^<]{20,}</p>', page.text, re.DOTALL)
