"""The page of costs."""

from playwright.sync_api import expect

LOADING = 150_000
"""Milliseconds for vocabularies to load one after another on a busy machine."""


def test_the_table_of_costs_fills_in_and_sorts(open_page):
    page = open_page("/costs?text=")
    expect(page.locator('[data-model="gpt-5"] td').nth(1)).to_have_text("0", timeout=LOADING)
    page.get_by_role("button", name="$ per million").click()
    expect(page.locator("tbody tr").first).to_have_attribute("data-model", "llama-3", timeout=LOADING)
    page.get_by_role("button", name="$ per million").click()
    expect(page.locator("tbody tr").first).to_have_attribute("data-model", "gpt-4", timeout=LOADING)
