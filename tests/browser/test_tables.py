"""Tables sort by their heads, and are copied as CSV and Markdown."""

import re

from playwright.sync_api import expect

from tests.support.axe import findings

FIRST = "table => [...table.tBodies[0].rows].slice(0, 3).map(row => row.cells[0].textContent.trim())"
COPIED = "() => navigator.clipboard.readText()"


def test_a_table_sorts_and_is_copied_words_with_their_spaces(open_page):
    page = open_page("/vocabulary/gpt2/summary")
    classes = page.get_by_role("region", name="Tokens by class").get_by_role("table")
    assert classes.evaluate(FIRST) == ["normal", "special", "special, no text found"]
    head = classes.get_by_role("columnheader", name="Tokens")
    head.get_by_role("button").click()
    assert classes.evaluate(FIRST) == ["special, no text found", "no text found", "special"]
    head.get_by_role("button").press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    assert classes.evaluate(FIRST) == ["normal", "undecodable", "special"]
    page.get_by_role("button", name="Markdown").first.click()
    expect(page.get_by_text("Copied, 5 rows.")).to_be_visible()
    lines = page.evaluate(COPIED).split("\n")
    assert lines[0].startswith("| Class | Tokens | Share |")
    assert lines[2].startswith("| normal | 49,912 | 99.3 % |")
    page.get_by_role("button", name="CSV").first.click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('Class,')")
    assert page.evaluate(COPIED).split("\r\n")[1].startswith('normal,"49,912",99.3 %,')
    assert findings(page) == []
    page = open_page("/vocabulary/gpt2/compare?ids=262,198")
    page.get_by_role("button", name="Markdown").click()
    expect(page.get_by_text(re.compile(r"Copied, \d+ rows\."))).to_be_visible()
    assert "| Made of |  t he |" in page.evaluate(COPIED)


def test_a_term_sorts_by_its_own_button_and_what_is_typed_or_drawn_is_copied_as_text(open_page):
    page = open_page("/compare?text=strawberry&tokenizer=o200k_base&tokenizer=bytes&tokenizer=gpt2")
    page.locator(".measures > summary").click()
    summary = page.get_by_role("region", name="Summary").get_by_role("table")
    summary.get_by_role("button", name="Sort by Tokens per word").click()
    expect(summary.get_by_role("columnheader", name="Tokens per word")).to_have_attribute("aria-sort", "ascending")
    summary.get_by_role("button", name="Sort by Tokens per word").press("Enter")
    assert "bytes" in summary.evaluate(FIRST)[0].lower()
    page.get_by_role("region", name="Prices and context windows").locator("+ p").get_by_role(
        "button", name="CSV"
    ).click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('Model,Vocabulary,')")
    lines = page.evaluate(COPIED).split("\r\n")
    assert lines[0].startswith(
        'Model,Vocabulary,Tokens,$ per million,"$ per million, output",This text,"1,000 requests",'
    )
    assert all(line.count(",") >= 8 for line in lines)


def test_the_list_of_tokenizers_is_filtered_at_every_key(open_page):
    page = open_page("/tokenizers")
    rows = page.locator("table.all tbody tr:visible")
    page.get_by_role("searchbox", name="Filter by model or kind").fill("gpt-4o")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("o200k_base")
    page.get_by_role("searchbox", name="Filter by model or kind").fill("")
    assert rows.count() > 30


def test_the_list_of_tokenizers_does_not_scroll_sideways(open_page):
    for width in (1280, 390):
        page = open_page("/tokenizers", viewport={"width": width, "height": 800})
        table = page.get_by_role("region", name="All tokenizers")
        assert table.evaluate("one => one.scrollWidth <= one.clientWidth")
