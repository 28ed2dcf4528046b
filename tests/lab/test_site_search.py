"""The search finds pages, and what one can do there, by the words that people use."""

import pytest
from tokenarium.lab.site_search import list_pages, search_site
from tokenarium.web.navigation import PLACES
from tokenarium.web.redirects import MOVED_PAGES

GUIDES = (("/docs/corpora#folders", "Folders", "Corpora"), ("/docs/settings", "Settings", "Guide"))


def search(registry, query):
    """The addresses found, in the order of the page."""
    groups = search_site(query, GUIDES, registry.infos(), "o200k_base")
    return [hit.address for hits in groups.values() for hit in hits]


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("regex", "/regex"),
        ("Regular expression", "/regex"),
        ("price", "/compare"),
        ("costs", "/compare"),
        ("upload", "/tokenizers#add"),
        ("json", "/tokenizers#add"),
        ("GGUF", "/tokenizers#add"),
        ("special tokens", "/learn/special-tokens"),
        ("chat template", "/chat"),
        ("logprobs", "/logprobs"),
        ("logits", "/learn/glossary#logit"),
        ("count", "/"),
        ("share", "/"),
        ("llama", "/tokenizers#list-request"),
        ("claude", "/compare"),
        ("train", "/train"),
        ("merge", "/steps"),
        ("merges", "/steps"),
        ("steps", "/steps"),
        ("decode", "/docs"),
        ("api", "/docs"),
        ("curl", "/docs/api"),
        ("embed", "/docs/api"),
        ("offline", "/docs/install"),
        ("diff", "/compare"),
        ("convert", "/doctor"),
        ("prune", "/surgery"),
        ("rag", "/chunks"),
        ("prompt caching", "/request"),
        ("vocab", "/vocabulary"),
        ("images", "/beyond"),
        ("folders", "/folder"),
        ("rollout", "/turns"),
        ("settings", "/docs/settings"),
        ("shortcuts", "/docs/keyboard"),
        ("gpt-4o", "/?tokenizer=o200k_base"),
        ("byte fallback", "/learn/glossary#byte-fallback"),
    ],
)
def test_a_word_finds_its_place_first(registry, query, address):
    assert search(registry, query)[0] == address


def test_what_is_being_typed_finds_what_begins_so(registry):
    assert search(registry, "pric")[0] == "/compare"
    assert "/docs/corpora#folders" in search(registry, "fold")


def test_without_a_query_the_pages_are_listed_and_none_of_the_navigation_is_missing(registry):
    navigation = {address for place in PLACES for address, _ in place.all_pages}
    pages = [hit.address for hit in list_pages() if hit.group == "Pages"]
    assert search(registry, " ") == pages
    assert navigation - {*MOVED_PAGES} <= {*pages}


def test_every_place_that_the_search_names_exists(ask):
    for address in {hit.address.partition("#")[0] for hit in list_pages()}:
        assert ask("GET", address).status_code in (200, 303), address
