"""Four places and a search; related pages are tabs of one place, and each exists."""

import re

import pytest
from tokenarium.web.navigation import PLACES

LINK = re.compile(r'<a href="([^"]+)"(?: data-carry)?(?: aria-current="(\w+)")?>([^<]+)</a>')


def links(page, label):
    """The links of a navigation: address, what is current, and text."""
    (found,) = re.findall(rf'<nav[^>]* aria-label="{label}">(.*?)</nav>', page, re.DOTALL)
    return LINK.findall(found)


def test_the_places_are_four_words():
    assert [place.label for place in PLACES] == ["Explore", "Compare", "Learn", "Build"]


def test_every_place_that_exists_is_offered_on_every_page(ask):
    for _, _, label in links(ask("GET", "/").text, "Pages"):
        assert label in {place.label for place in PLACES}
    assert [address for address, _, _ in links(ask("GET", "/steps").text, "Pages")] == [
        "/",
        "/compare",
        "/learn",
        "/tokenizers",
    ]
    for address, _, _ in links(ask("GET", "/docs").text, "Pages"):
        assert ask("GET", address).status_code == 200


@pytest.mark.parametrize(
    ("path", "place", "tab"),
    [
        ("/", "Explore", "Tokens"),
        ("/steps", "Explore", "Step by step"),
        ("/chat", "Explore", "Chat"),
        ("/pipeline", "Explore", "Pipeline"),
        ("/regex", "Explore", "Split patterns"),
        ("/chunks", "Explore", "Chunks"),
        ("/request", "Explore", "Request"),
        ("/folder", "Explore", "Folder"),
        ("/languages", "Compare", "Languages"),
        ("/compare/vocabularies", "Compare", "Vocabularies"),
        ("/learn/glossary", "Learn", "Glossary"),
        ("/lecture", "Learn", "Lecture"),
        ("/surgery", "Build", "Edit vocabulary"),
        ("/conformance", "Build", "Conformance"),
        ("/docs", "Build", "API"),
    ],
)
def test_a_page_is_a_tab_of_its_place(ask, path, place, tab):
    page = ask("GET", path).text
    assert [label for _, current, label in links(page, "Pages") if current] == [place]
    assert [(address, label) for address, current, label in links(page, place) if current == "page"] == [(path, tab)]


def test_a_page_that_does_not_exist_cannot_be_presented(ask):
    assert "Present this page" in ask("GET", "/doctor").text
    lost = ask("GET", "/nowhere", headers={"Accept": "text/html"})
    assert lost.status_code == 404
    assert "Present this page" not in lost.text
