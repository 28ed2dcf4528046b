"""Ids to text: a person types ids and sees at once whether the tokenizer gives them."""

from playwright.sync_api import expect


def test_typed_ids_are_compared_at_once_and_a_wrong_one_is_told_beside_them(open_page, watch):
    watch.allowed.append("422")
    page = open_page("/detokenize?text=31373&tokenizer=gpt2")
    expect(page.locator(".ids-verdict")).to_have_text("Canonical: the tokenizer gives these ids for their text.")
    page.fill("#text", "258 18798")
    expect(page.locator(".ids-verdict")).to_contain_text("Not canonical: at index 0")
    expect(page.locator(".ids-token.differs .ids-id")).to_have_text(["258", "31373"])
    expect(page.locator("[data-segmentations] b")).to_have_text("16")
    page.fill("#text", "258 x")
    expect(page.locator("#result")).to_contain_text("Number 2 is no id")
    expect(page.locator("#text")).to_have_value("258 x")


def test_an_example_is_decoded_at_once_by_its_own_tokenizer(open_page):
    page = open_page("/detokenize?tokenizer=bert-base-uncased&text=7592")
    page.get_by_text("Examples").click()
    page.click("[name=example][value=cut]")
    expect(page.locator(".ids-verdict")).to_have_text("Not canonical: no text becomes these ids.")
    expect(page.locator(".ids-held").last).to_have_text("f0 9f 8c")
    expect(page.locator("#tokenizer-field")).to_have_value("GPT-5 · o200k_base")
