"""At most seven places; related pages are tabs of one place, and each exists."""

import re

import pytest
from tokenarium.web.navigation import PLACES

LINK = re.compile(r'<a href="([^"]+)"(?: aria-current="(\w+)")?>([^<]+)</a>')


def links(page, label):
    """The links of a navigation: address, what is current, and text."""
    (found,) = re.findall(rf'<nav[^>]* aria-label="{label}">(.*?)</nav>', page, re.DOTALL)
    return LINK.findall(found)


def test_there_are_at_most_seven_places():
    assert len(PLACES) <= 7


def test_every_place_that_exists_is_offered_on_every_page(ask):
    for _, _, label in links(ask("GET", "/").text, "Pages"):
        assert label in {place.label for place in PLACES}
    assert [address for address, _, _ in links(ask("GET", "/steps").text, "Pages")][:3] == ["/", "/steps", "/compare"]
    for address, _, _ in links(ask("GET", "/docs").text, "Pages"):
        assert ask("GET", address).status_code == 200


@pytest.mark.parametrize(
    ("path", "place", "tab"),
    [
        ("/", "Playground", "Text"),
        ("/chat", "Playground", "Chat"),
        ("/pipeline", "Playground", "Pipeline"),
        ("/languages", "Compare", "Languages"),
        ("/compare/vocabularies", "Compare", "Vocabularies"),
        ("/surgery", "Vocabulary", "Surgery"),
        ("/conformance", "API", "Conformance"),
        ("/docs", "API", "Reference"),
    ],
)
def test_a_page_is_a_tab_of_its_place(ask, path, place, tab):
    page = ask("GET", path).text
    assert [label for _, current, label in links(page, "Pages") if current] == [place]
    assert [(address, label) for address, current, label in links(page, place) if current == "page"] == [(path, tab)]


def test_a_place_of_one_page_has_no_tabs(ask):
    assert 'class="tabs"' not in ask("GET", "/steps").text
