"""Two vocabularies: a person chooses two, reads what differs, and filters the tokens by script."""

from playwright.sync_api import expect

from tests.support.axe import findings
from tests.support.deeds import pick

PATH = "/compare/vocabularies?a=r50k_base&b=whisper"


def test_two_vocabularies_are_chosen_compared_and_filtered(open_page):
    page = open_page(PATH, color_scheme="dark")
    expect(page.locator("[data-count=only-b]")).to_have_text("20,876")
    assert findings(page) == []
    page.get_by_role("region", name="Tokens by script").get_by_role("link", name="Thai").click()
    expect(page.get_by_role("heading", name="Tokens that only one has: Thai")).to_be_visible()
    pick(page, "p50k", label="Second vocabulary")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("[data-count=only-b]")).to_have_text("24")
    assert "a=r50k_base" in page.url
    assert "b=p50k_base" in page.url
