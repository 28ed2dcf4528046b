"""Addresses that pages had before lead to where they are now, with their query."""

import pytest
from starlette.requests import Request
from tokenarium.web.redirects import MOVED_PAGES, redirect, router

QUERY = "text=a%26b&tokenizer=gpt2&tokenizer=t5"


def visit(path, query=""):
    """The answer of the redirect, which in an app comes after a page that still has the address."""
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": []}
    return redirect(Request(scope | {"server": ("127.0.0.1", 8000), "scheme": "http"}))


@pytest.mark.parametrize("old", MOVED_PAGES)
def test_an_old_address_leads_to_a_page_with_its_query(ask, old):
    answer = visit(old, QUERY)
    assert (answer.status_code, answer.headers["location"]) == (308, f"{MOVED_PAGES[old]}?{QUERY}")
    assert visit(old).headers["location"] == MOVED_PAGES[old]
    assert ask("GET", MOVED_PAGES[old]).status_code == 200


def test_every_old_address_has_a_route():
    assert [route.path for route in router.routes] == [*MOVED_PAGES]


@pytest.mark.parametrize(
    ("address", "there"),
    [
        ("/costs", "/compare"),
        ("/costs?text=a%20b&output=100", "/compare?text=a+b&output=100"),
        (
            "/costs?text=a&models=gpt-5+claude-opus-5+llama-4",
            "/compare?text=a&tokenizer=o200k_base&tokenizer=claude-opus-5&tokenizer=llama-4",
        ),
    ],
)
def test_the_page_of_costs_is_that_of_comparisons_with_its_text_and_models(ask, address, there):
    answer = ask("GET", address)
    assert (answer.status_code, answer.headers["location"]) == (308, there)
    assert ask("GET", there).status_code == 200
