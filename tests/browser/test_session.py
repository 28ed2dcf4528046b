"""One text everywhere: it follows from page to page, through back, forward and reload, until it is cleared."""

import pytest
from playwright.sync_api import expect

from tests.support.deeds import choose, open_menu, pick, type_text

FOX = "the quick brown fox"


@pytest.fixture
def typed(page):
    """The playground, with a text and a tokenizer of the reader's."""
    choose(page, "gpt2")
    type_text(page, FOX)
    return page


def same_text_in(page, name):
    """Go to another view of the text, to the comparison, or to a training by the menu."""
    if name == "Train":
        open_menu(page)
    page.locator("[data-carry], .masthead nav a", has_text=name).first.click()


def test_text_and_tokenizer_follow_to_the_other_pages_and_back(typed, watch):
    same_text_in(typed, "Steps")
    expect(typed.locator("#text")).to_have_value(FOX)
    expect(typed.get_by_role("combobox", name="Tokenizer")).to_have_value("GPT-2 · gpt2")
    expect(typed.get_by_role("radio", name="Encode")).to_be_checked()
    same_text_in(typed, "Compare")
    expect(typed.locator("#text")).to_have_value(FOX)
    expect(typed.locator(".tally [data-tokenizer=gpt2] [data-count=tokens]")).to_have_text("4")
    typed.fill("#text", "changed on the way")
    expect(typed.locator(".lanes")).to_contain_text("changed")
    typed.go_back()
    expect(typed.locator("#text")).to_have_value("changed on the way")
    typed.go_back()
    expect(typed.locator("#text")).to_have_value("changed on the way")
    expect(typed.locator(".window .text")).to_have_text("changed on the way")
    typed.reload()
    expect(typed.locator(".window .text")).to_have_text("changed on the way")
    expect(typed.locator(".cutter")).to_contain_text("GPT-2")
    assert typed.context.cookies() == []
    assert not any("fox" in request.url for request in watch.requests)


def test_the_text_is_kept_before_the_page_goes(typed):
    typed.wait_for_function("text => sessionStorage.getItem('tokenarium')?.includes(text)", arg=FOX)
    typed.click("#clear")
    expect(typed.locator(".window .text")).to_have_count(0)
    assert typed.evaluate("() => sessionStorage.getItem('tokenarium')") is None


def test_a_page_that_is_loaded_anew_has_the_latest_text_though_its_address_is_older(typed):
    typed.wait_for_function("() => location.hash.length > 10")
    older = typed.url
    type_text(typed, "changed since")
    typed.wait_for_function("older => location.href !== older", arg=older)
    # As browsers do with an address that is written while they load the page anew: it is dropped, and so is its state.
    typed.evaluate("older => { history.replaceState(null, '', older); location.reload(); }", older)
    expect(typed.locator(".window .text")).to_have_text("changed since")
    expect(typed.locator("#text")).to_have_value("changed since")


def test_a_conversation_keeps_its_messages_and_a_corpus_is_taken_only_on_request(typed, base):
    typed.goto(f"{base}/train")
    expect(typed.locator("#text")).to_have_value("")
    typed.goto(base)
    expect(typed.locator(".window .text")).to_have_text(FOX)
    same_text_in(typed, "Train")
    expect(typed.locator("#text")).to_have_value(FOX)
    typed.goto(base)
    typed.goto(f"{base}/chat")
    asked = typed.locator("[name=content]").last
    expect(asked).not_to_have_value(FOX)
    asked.fill("A message of mine")
    expect(typed.locator("#result")).to_contain_text("A message of mine")
    typed.goto(base)
    expect(typed.locator("#text")).to_have_value(FOX)


def rows(page):
    return page.locator(".tally [data-tokenizer]").evaluate_all("all => all.map((one) => one.dataset.tokenizer)")


def test_a_page_with_room_for_fewer_tokenizers_takes_the_first(typed, base):
    typed.goto(f"{base}/compare")
    expect(typed.locator(".tally [data-tokenizer=gpt2]")).to_be_attached()  # chosen on the page before
    pick(typed, "t5", label="Tokenizers")
    expect(typed.locator(".tally [data-tokenizer]")).to_have_count(8)
    columns = rows(typed)
    typed.goto(f"{base}/beyond/bytes")
    expect(typed.locator("#text")).to_have_value(FOX)
    expect(typed.locator("#result")).to_contain_text("Bytes, one step each")
    selected = "select => [...select.selectedOptions].map(({ value }) => value)"
    counted = [one for one in columns if one not in ("claude-sonnet-5", "llama-4")]
    assert {*typed.locator("[name=tokenizer]").evaluate(selected)} == {*counted[:4]}
    typed.goto(f"{base}/compare")
    expect(typed.locator(".tally [data-tokenizer]")).to_have_count(8)
    assert (
        typed.locator(".tally [data-tokenizer]").evaluate_all("all => all.map((one) => one.dataset.tokenizer)")
        == columns
    )


def test_clear_forgets_it_and_a_link_wins_over_it(typed, base):
    typed.goto(f"{base}/compare?example=hindi&tokenizer=gpt-4")
    expect(typed.locator("#text")).not_to_have_value(FOX)
    assert rows(typed) == ["cl100k_base"]
    typed.goto(base)
    typed.wait_for_function("() => location.hash.length > 10")  # the address carries it as well
    typed.click("#clear")
    assert typed.evaluate("() => Object.keys(sessionStorage)") == []
    typed.reload()
    expect(typed.locator("#text")).to_have_value("Hello, 🌍! 你好!")
