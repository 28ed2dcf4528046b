"""/request in the browser: pasting, parts that open, another model, a log, an error that keeps the text."""

import json

import pytest
from playwright.sync_api import expect

KEY = "sk-proj-abcdefghijklmnop0123456789"
BODY = {"model": "gpt-4o", "messages": [{"role": "user", "content": f"Hello world, {KEY}"}]}


@pytest.fixture
def page(open_page):
    return open_page("/request")


def test_a_pasted_request_is_counted_and_its_parts_open(page):
    page.get_by_text("find_trains", exact=True).first.wait_for()
    page.fill("#text", json.dumps({**BODY, "messages": [{"role": "user", "content": "Hello world"}]}))
    expect(page.locator(".counts .lead dd")).to_have_text("9")
    page.locator(".request-parts summary").first.click()
    expect(page.locator(".request-parts .tok").first).to_have_text("Hello")
    page.get_by_label("Model", exact=True).fill("qwen3")
    page.get_by_label("Model", exact=True).press("Tab")
    expect(page.locator(".counts .lead dt")).to_have_text("tokens, exact")


def test_a_key_is_hidden_and_not_kept_an_error_names_the_place_and_a_log_has_its_causes(page):
    page.fill("#text", json.dumps(BODY))
    expect(page.get_by_text("1 key or token is counted and not shown.")).to_be_visible()
    assert KEY not in page.locator("#result").inner_html()
    assert page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})").find(KEY) == -1
    assert KEY not in page.url
    page.fill("#text", '{"model": "gpt-4o",\n "messages": [}')
    expect(page.locator(".problem")).to_contain_text("line 2, column 15")
    page.locator(".menu summary", has_text="Examples").click()
    page.locator("[name=example][value=log]").click()
    expect(page.get_by_text("A date or a time in the system prompt").first).to_be_visible()
    page.locator(".request-log button", has_text="3").click()
    expect(page.get_by_role("heading", name="Request 3")).to_be_visible()
