"""Five doors and a search; related pages are tabs of one door, and each exists."""

import re

import pytest
from tokenarium.web.navigation import PLACES

HTML = {"Accept": "text/html"}
LINK = re.compile(r'<a href="([^"]+)"(?: data-carry)?(?: aria-current="(\w+)")?>([^<]+)</a>')


def links(page, label):
    """The links of a navigation: address, what is current, and text."""
    (found,) = re.findall(rf'<nav[^>]* aria-label="{label}">(.*?)</nav>', page, re.DOTALL)
    return LINK.findall(found)


def test_every_door_is_on_every_page_and_leads_somewhere(ask):
    doors = [(address, label) for address, _, label in links(ask("GET", "/docs").text, "Pages")]
    assert doors == [
        ("/", "Tokens"),
        ("/compare", "Compare"),
        ("/request", "Prompts"),
        ("/learn", "Learn"),
        ("/tokenizers", "Tokenizers"),
    ]
    assert [
        (address, label) for address, _, label in links(ask("GET", "/nowhere", headers=HTML).text, "Pages")
    ] == doors
    for place in PLACES:
        assert {ask("GET", address).status_code for address, _ in place.all_pages} <= {200, 303}


@pytest.mark.parametrize(
    ("path", "door", "tabs", "tab"),
    [
        ("/", "Tokens", "", ""),
        ("/steps", "Tokens", "Tokens Steps Pipeline Decode", "Steps"),
        ("/pipeline", "Tokens", "Tokens Steps Pipeline Decode", "Pipeline"),
        ("/compare", "Compare", "Tokenizers Languages Vocabularies", "Tokenizers"),
        ("/languages", "Compare", "Tokenizers Languages Vocabularies", "Languages"),
        ("/compare/vocabularies", "Compare", "Tokenizers Languages Vocabularies", "Vocabularies"),
        ("/request", "Prompts", "Request Chat Turns Folder Chunks Logprobs", "Request"),
        ("/chat", "Prompts", "Request Chat Turns Folder Chunks Logprobs", "Chat"),
        ("/turns", "Prompts", "Request Chat Turns Folder Chunks Logprobs", "Turns"),
        ("/folder", "Prompts", "Request Chat Turns Folder Chunks Logprobs", "Folder"),
        ("/chunks", "Prompts", "Request Chat Turns Folder Chunks Logprobs", "Chunks"),
        ("/lecture", "Learn", "Course Lecture", "Lecture"),
        ("/learn/bpe", "Learn", "Course Lecture", "Course"),
        ("/beyond/sound", "Learn", "Course Lecture", ""),
        ("/learn/glossary", "Learn", "Course Lecture", ""),
        ("/learn/calculators", "Learn", "Course Lecture", ""),
        ("/tokenizers", "Tokenizers", "List Vocabulary Check Edit Regex Train", "List"),
        ("/vocabulary/gpt2/262", "Tokenizers", "List Vocabulary Check Edit Regex Train", "Vocabulary"),
        ("/doctor", "Tokenizers", "List Vocabulary Check Edit Regex Train", "Check"),
        ("/regex", "Tokenizers", "List Vocabulary Check Edit Regex Train", "Regex"),
    ],
)
def test_a_page_lights_its_door_and_its_tab(ask, path, door, tabs, tab):
    page = ask("GET", path).text
    assert [label for _, current, label in links(page, "Pages") if current] == [door]
    shown = links(page, door) if tabs else []
    assert ('class="tabs"' in page, " ".join(label for _, _, label in shown)) == (bool(tabs), tabs)
    assert [label for _, current, label in shown if current] == [tab][: bool(tab)]


@pytest.mark.parametrize(
    ("path", "addresses"),
    [
        ("/", ("/steps", "/pipeline", "/learn/introduction", "/search", "/docs", "/docs/keyboard", "/about", "/h")),
        ("/learn", ("/beyond", "/learn/glossary", "/learn/calculators")),
        ("/about", ("/conformance",)),
    ],
)
def test_what_has_no_tab_has_a_link(ask, path, addresses):
    linked = re.findall(r'<a (?:class="[\w-]+" )?href="([^"]+)"', ask("GET", path).text)
    assert {*addresses} <= {*linked}


def test_a_page_that_does_not_exist_cannot_be_presented(ask):
    assert "Present this page" in ask("GET", "/doctor").text
    lost = ask("GET", "/nowhere", headers=HTML)
    assert lost.status_code == 404
    assert "Present this page" not in lost.text


WITH_EXAMPLES = (
    *("/", "/steps", "/pipeline", "/compare", "/compare/vocabularies", "/request", "/chat", "/chunks"),
    *("/beyond/bytes", "/beyond/concepts", "/beyond/actions", "/learn/by-hand", "/learn/calculators/embedding"),
    *("/doctor", "/surgery", "/train", "/vocabulary/gpt2"),
)


@pytest.mark.parametrize("path", WITH_EXAMPLES)
def test_examples_are_one_menu(ask, path):
    page = ask("GET", path).text
    assert len(re.findall(r'<details class="menu[^"]*" name="menu">\s*<summary>Examples</summary>', page)) == 1
