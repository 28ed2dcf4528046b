"""The ways through the pages that the guide of the keyboard promises, without a pointer."""

from playwright.sync_api import expect


def test_the_first_page_is_used_by_keys_alone(page):
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Control+k")
    search = page.get_by_role("dialog")
    expect(search).to_be_visible()
    page.keyboard.press("Escape")
    expect(search).to_be_hidden()
    page.get_by_label("Text", exact=True).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("one two")
    tokens = page.locator(".window.cut [data-i]")
    expect(tokens).to_have_text(["one", "two"])
    tokens.first.focus()
    page.keyboard.press("ArrowRight")
    expect(tokens.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    details = page.locator(".details")
    expect(details).to_be_visible()
    page.keyboard.press("Escape")
    expect(details).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    expect(tokens.first).to_be_focused()


def test_an_address_without_a_page_is_not_presented(open_page, watch):
    watch.allowed.append("404 (Not Found)")
    page = open_page("/nowhere")
    expect(page.get_by_role("button", name="Present this page")).to_have_count(0)
    page.keyboard.press("p")
    page.get_by_role("link", name="Start page").focus()
    expect(page.locator(".deck")).to_have_count(0)
