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
