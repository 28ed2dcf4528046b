"""Decode: ids of a text or typed ones become text again, and a person sees whether the tokenizer gives them."""

from playwright.sync_api import expect

from tests.support.deeds import choose, type_text


def test_the_tab_takes_the_ids_of_the_text_along_and_the_address_keeps_them(page):
    choose(page, "gpt2")
    type_text(page, "Hello world")
    page.get_by_role("link", name="Decode").click()
    expect(page.locator("#text")).to_have_value("15496 995")
    expect(page.locator(".ids-text")).to_have_text("Hello world")
    page.fill("#text", "tensor([[15496, 99999999]])")
    expect(page.locator(".problem li")).to_contain_text("Number 2, 99999999")
    expect(page.locator(".ids-text")).to_have_text("Hello")
    page.wait_for_function("() => location.hash")
    page.reload()
    expect(page.locator(".ids-text")).to_have_text("Hello")
    page.get_by_role("link", name="Pipeline").click()
    expect(page.locator("#text")).to_have_value("Hello world")


def test_typed_ids_are_compared_at_once_and_a_wrong_one_is_told_beside_them(open_page):
    page = open_page("/detokenize?text=31373&tokenizer=gpt2")
    expect(page.locator(".ids-verdict")).to_have_text("Canonical: the tokenizer gives these ids for their text.")
    page.fill("#text", "258 18798")
    expect(page.locator(".ids-verdict")).to_contain_text("Not canonical: at index 0")
    expect(page.locator(".ids-token.differs .ids-id")).to_have_text(["258", "31373"])
    expect(page.locator("[data-segmentations] b")).to_have_text("16")
    page.fill("#text", "258 x")
    expect(page.locator("#result")).to_contain_text("Number 2, x: ids are whole numbers")
    expect(page.locator("#text")).to_have_value("258 x")


def test_an_example_is_decoded_at_once_by_its_own_tokenizer(open_page):
    page = open_page("/detokenize?tokenizer=bert-base-uncased&text=7592")
    page.get_by_text("Examples").click()
    page.click("[name=example][value=cut]")
    expect(page.locator(".ids-verdict")).to_have_text("Not canonical: no text becomes these ids.")
    expect(page.locator(".ids-held").last).to_have_text("f0 9f 8c")
    expect(page.locator("#tokenizer-field")).to_have_value("GPT-5 · o200k_base")
