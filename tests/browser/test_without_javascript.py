"""The page is a form: everything but copying works without a script.

`tests/web/pages` sends the other forms and follows the other links without a browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.deeds import count, open_menu


@pytest.fixture
def page(open_page):
    return open_page(java_script_enabled=False)


def follow(page, target):
    """Click what leads to another page, and wait until the whole of it is there: what is counted does not wait."""
    with page.expect_navigation():
        target.click()


def tokenize(page):
    follow(page, page.get_by_role("button", name="Tokenize", exact=True))


def test_a_text_an_example_or_a_file_is_tokenized_by_a_button(page, watch):
    page.fill("#text", "\nHello, 🌍! 你好!")
    page.locator("select[name=tokenizer]").select_option("gpt2")
    page.check("[name=view][value=table]", force=True)
    tokenize(page)
    expect(page.locator(".cutter")).to_contain_text("GPT-2")
    assert page.input_value("#text") == "\nHello, 🌍! 你好!"
    assert page.locator("[name=tokenizer]").input_value() == "gpt2"
    assert page.locator(".tokens tbody tr").count() == int(count(page))
    page.fill("#text", "mine")
    page.click("#options summary")
    with page.expect_navigation():
        page.locator("[name=special]").first.press("Enter")  # which is no example
    assert page.input_value("#text") == "mine"
    assert count(page, "characters") == "4"
    open_menu(page, "Examples")
    follow(page, page.locator("[name=example][value=chinese]"))
    assert page.input_value("#text").startswith("你好，世界")
    assert count(page, "characters") == str(len(page.input_value("#text")))
    page.set_input_files("#file", {"name": "a.txt", "mimeType": "text/plain", "buffer": b"a\r\nb"})
    tokenize(page)
    assert count(page, "bytes") == "4"


def test_other_windows_and_details_are_buttons(page):
    page.fill("#text", "straw " * 3000)
    tokenize(page)
    page.get_by_role("button", name="Show tokens 2,000–2,999").click()
    expect(page.locator(".window.cut")).to_have_attribute("data-n", "2")
    page.check("[name=view][value=table]", force=True)
    tokenize(page)
    page.get_by_role("button", name="Details of token 7", exact=True).click()
    expect(page.locator("#details h2")).to_have_text("Token 7")
    page.locator(".places button").nth(90).click()
    expect(page.locator("#details h2")).to_contain_text("Token 9")


def test_what_needs_a_script_is_not_offered_tokens_are_downloaded_and_a_refusal_is_a_page(page, watch):
    page.get_by_role("link", name="What a text costs in GPT, Claude, Gemini and others").click()
    expect(page).to_have_url(re.compile("/compare$"))
    page.go_back()
    for name in ("Copy ids", "Share", "Python", "curl", "Clear"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    open_menu(page)
    expect(page.get_by_role("group", name="Copy")).to_have_count(0)
    with page.expect_download() as waiting:
        page.get_by_role("group", name="Download").get_by_role("button", name="CSV").click()
    assert waiting.value.suggested_filename == "tokens.csv"
    watch.allowed.append("422")
    open_menu(page, "Examples")
    page.click("[name=example][value=injection]")
    page.click("#options summary")
    page.check("[name=special][value=refuse]", force=True)
    tokenize(page)
    expect(page.get_by_role("alert")).to_contain_text("is spelled out at code point 62")
    typed = page.get_by_label("text", exact=True).input_value()
    page.get_by_text("All other fields").click()
    page.get_by_label("special", exact=True).fill("text")
    page.get_by_role("button", name="Send again").click()
    expect(page.locator("#text")).to_have_value(typed)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_lines_of_a_chat_are_added_and_taken_away_and_its_text_begins_with_its_line_end(open_page):
    page = open_page("/chat?example=twice", java_script_enabled=False)
    page.locator("[name=content]").fill("\nHello")
    tokenize(page)
    assert page.locator("[name=content]").input_value() == "\nHello"
    page.get_by_role("button", name="Add a message").click()
    expect(page.locator("[name=content]")).to_have_count(2)
    expect(page.locator("[name=content]").nth(1)).to_be_focused()
    page.locator("[name=content]").nth(1).fill("Goethe.\nWho else?")
    page.get_by_role("button", name="Add a message").click()
    expect(page.locator("[name=content]")).to_have_count(3)
    assert page.locator("[name=content]").nth(1).input_value() == "Goethe.\nWho else?"
    page.get_by_role("button", name="Remove message 1").click()
    expect(page.locator("[name=content]")).to_have_count(2)
    expect(page.locator(".chat-prompt")).to_contain_text("Goethe.")


def test_forms_compare_and_change_a_pipeline(open_page):
    four = ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased"]
    page = open_page("/compare", java_script_enabled=False)
    page.fill("#text", "the cat 12")
    page.locator("select[name=tokenizer]").select_option([*four, "words"])
    follow(page, page.locator(".go"))
    rows = page.locator(".tally tr[data-tokenizer]")
    assert {*rows.evaluate_all("all => all.map((one) => one.dataset.tokenizer)")} == {*four, "words"}
    follow(page, page.get_by_role("button", name="Why Mistral 7B"))
    follow(page, page.locator(".examples button", has_text="two digits"))
    expect(page.locator(".turning")).to_contain_text("two digits in 1 place")
    follow(page, page.get_by_role("button", name="Mistral 7B v0.1 · mistral-v1", exact=True))
    expect(rows.filter(has_text="Mistral 7B v0.1")).to_contain_text("baseline")
    page.click("#run-set")
    expect(page.locator("#ledger tfoot")).to_contain_text("739")
    page = open_page("/pipeline?tokenizer=bert-base-uncased&text=H%C3%A9llo", java_script_enabled=False)
    page.get_by_role("checkbox", name="Use BertNormalizer").uncheck()
    follow(page, page.get_by_role("button", name="Show the stages"))
    expect(page.get_by_role("heading", name="Before and after")).to_be_visible()
    assert page.locator(".tokens").last.locator(".piece").all_inner_texts()[1].startswith("[UNK]")


def test_languages_are_sought_and_steps_turned_by_forms_and_links(open_page):
    page = open_page("/languages", java_script_enabled=False)
    names = page.locator("#atlas tbody tr:not([hidden]) > :nth-child(1)")
    page.fill("#seek", "dzong")
    follow(page, page.get_by_role("button", name="Find"))
    assert names.all_inner_texts() == ["Dzongkha"]
    follow(page, page.get_by_role("link", name="Code", exact=True))
    assert names.all_inner_texts() == ["Dzongkha"]
    page.locator("select[name=tokenizer]").select_option(["o200k_base", "bytes"])
    follow(page, page.get_by_role("button", name="Show", exact=True))
    expect(page.locator("#atlas [data-sort=bytes]")).to_be_visible()
    assert names.all_inner_texts() == ["Dzongkha"]
    page = open_page("/steps?example=newer", java_script_enabled=False)
    for step in range(1, 5):
        follow(page, page.get_by_role("link", name="Next step"))
        expect(page.locator("#counter")).to_have_text(f"{step} of 4")
    rows = page.locator("#stage .rows > .row")
    assert [rows.nth(row).locator("b").all_text_contents() for row in range(4)] == [
        ["low"],
        ["low", "e", "r"],
        ["new"],
        ["new", "e", "r"],
    ]
    page.fill("#text", "aab 3")
    page.get_by_role("button", name="Show the steps").click()
    page.get_by_role("button", name="Last step").click()
    expect(rows.first).to_contain_text("×3")


def test_vocabularies_and_a_pattern_are_given_in_a_form_and_a_lecture_is_links(open_page, base):
    page = open_page("/compare/vocabularies?a=gpt2&b=r50k_base", java_script_enabled=False)
    page.get_by_label("Optional: a text to compare on").fill("a b")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("[data-count=text-a]")).to_have_text("2")
    assert "text=a+b" in page.url
    page = open_page("/regex", java_script_enabled=False)
    page.fill("#pattern", r"\d")
    page.fill("#text", "a1")
    page.get_by_role("button", name="Match").click()
    expect(page.locator("[data-count=matches]")).to_have_text("1")
    page.get_by_role("button", name="Qwen 2", exact=True).click()
    expect(page.locator("#text")).to_have_value("a1")
    expect(page.locator("[data-count=matches]")).to_have_text("2")
    page = open_page("/lecture", java_script_enabled=False)
    expect(page.locator("#builder")).to_be_hidden()
    expect(page.get_by_text("this page needs JavaScript")).to_be_visible()
    follow(page, page.locator(".lecture-ready a").first)
    assert page.url == f"{base}/learn/ids"
