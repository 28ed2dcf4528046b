"""How long a text may be is shown where it comes within a tenth of that, and not before."""

from playwright.sync_api import expect


def test_the_limit_is_shown_near_the_limit(open_page):
    page = open_page("/beyond/concepts")
    limit = page.locator("#text-limit")
    expect(limit).to_have_text("At most 20,000 bytes")
    expect(limit).to_be_hidden()
    page.fill("#text", "é" * 9_500)
    expect(limit).to_be_visible()
    page.fill("#text", "e" * 9_500)
    expect(limit).to_be_hidden()
