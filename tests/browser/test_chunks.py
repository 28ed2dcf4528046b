"""Chunks: a person types a text, changes the size, and shares the result."""

from playwright.sync_api import expect


def after(page, act):
    """Do something that asks for chunks, and wait until the answer is on the page."""
    with page.expect_response(
        lambda answer: answer.request.method == "POST" and answer.url.endswith("/chunks")
    ) as sent:
        act()
    expect(page.locator("#busy.htmx-request")).to_have_count(0)
    return sent.value


def test_a_typed_text_is_divided_at_once_and_stays_in_the_address(open_page, base):
    page = open_page("/chunks")
    after(page, lambda: page.fill("#text", "One. Two. Three."))
    after(page, lambda: page.select_option("[name=at]", "sentence"))
    page.fill("[name=size]", "4")
    after(page, lambda: page.press("[name=size]", "Tab"))
    text = page.get_by_role("group", name="The text with its chunks")
    expect(text.locator(".chunk")).to_have_text(["One. ", "Two. Three."])
    expect(page.locator("[data-tokens]")).to_have_text(["3", "4"])
    expect(page.locator("#announce")).to_have_text("2 chunks")
    page.wait_for_function("() => location.hash.length > 10")
    again = open_page("/" + page.url.removeprefix(base + "/"))
    expect(again.locator("[data-count=chunks]")).to_have_text("2")
