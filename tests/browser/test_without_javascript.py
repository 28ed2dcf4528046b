"""The page is a form: everything but copying works without a script."""

import pytest
from playwright.sync_api import expect

from tests.support.deeds import count, open_menu


@pytest.fixture
def page(open_page):
    return open_page(java_script_enabled=False)


def test_a_text_is_tokenized_by_a_button(page):
    page.fill("#text", "\nHello, 🌍! 你好!")
    page.locator("select[name=tokenizer]").select_option("gpt2")
    page.check("[name=view][value=table]", force=True)
    page.get_by_role("button", name="Tokenize").click()
    expect(page.locator(".cutter")).to_contain_text("GPT-2")
    assert page.input_value("#text") == "\nHello, 🌍! 你好!"
    assert page.locator("[name=tokenizer]").input_value() == "gpt2"
    assert page.locator(".tokens tbody tr").count() == int(count(page))


def test_pressing_enter_in_an_option_submits_the_form_and_no_example(page):
    page.fill("#text", "mine")
    page.click("#options summary")
    page.locator("[name=special]").first.press("Enter")
    assert page.input_value("#text") == "mine"
    assert count(page, "characters") == "4"


def test_an_example_is_a_button(page):
    open_menu(page, "Examples")
    page.click("[name=example][value=chinese]")
    assert page.input_value("#text").startswith("你好，世界")
    assert count(page, "characters") == str(len(page.input_value("#text")))


def test_a_file_can_be_sent(page):
    page.set_input_files("#file", {"name": "a.txt", "mimeType": "text/plain", "buffer": b"a\r\nb"})
    page.get_by_role("button", name="Tokenize").click()
    assert count(page, "bytes") == "4"


def test_other_windows_and_details_are_buttons(page):
    page.fill("#text", "straw " * 3000)
    page.get_by_role("button", name="Tokenize").click()
    page.get_by_role("button", name="Show tokens 2,000–2,999").click()
    expect(page.locator(".window.cut")).to_have_attribute("data-n", "2")
    page.check("[name=view][value=table]", force=True)
    page.get_by_role("button", name="Tokenize").click()
    page.get_by_role("button", name="Details of token 7", exact=True).click()
    expect(page.locator("#details h2")).to_have_text("Token 7")
    page.locator(".places button").nth(90).click()
    expect(page.locator("#details h2")).to_contain_text("Token 9")


def test_what_needs_a_script_is_not_offered(page):
    for name in ("ids", "Python", "curl", "link", "Clear"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    open_menu(page)
    expect(page.get_by_role("group", name="Copy")).to_have_count(0)
    expect(page.get_by_role("button", name="CSV")).to_be_visible()


def test_a_refusal_is_a_page_that_says_so(page, watch):
    watch.allowed.append("422")
    open_menu(page, "Examples")
    page.click("[name=example][value=injection]")
    page.click("#options summary")
    page.check("[name=special][value=refuse]", force=True)
    page.get_by_role("button", name="Tokenize").click()
    expect(page.get_by_role("alert")).to_contain_text("is spelled out at code point 62")


def test_tokens_can_be_downloaded(page):
    open_menu(page)
    with page.expect_download() as waiting:
        page.get_by_role("group", name="Download").get_by_role("button", name="CSV").click()
    assert waiting.value.suggested_filename == "tokens.csv"
