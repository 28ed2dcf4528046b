"""A conversation under a finger: typing, lines, options, alarms, copying, links; without a script too."""

import json

import pytest
from playwright.sync_api import expect

from tests.support.axe import DESKS, findings
from tests.support.deeds import after_comparison, open_menu, pick


@pytest.fixture
def chat(open_page):
    """Open the page of conversations: `chat("?example=tool", color_scheme="dark")`."""
    return lambda query="", **options: open_page(f"/chat{query}", **options)


def lines(page):
    return page.locator(".chat-line").evaluate_all(
        "all => all.map((one) => [one.querySelector('select').value, one.querySelector('textarea').value])"
    )


def count(page, name="tokens"):
    return page.locator(f"[data-count={name}]")


def test_the_count_follows_what_is_typed(chat):
    page = chat("?example=twice")
    expect(count(page)).to_have_text("9")
    after_comparison(page, lambda: page.uncheck("[name=twice]"))
    expect(count(page)).to_have_text("8")
    after_comparison(page, lambda: page.locator("[name=content]").fill("Hello world"))
    expect(count(page)).to_have_text("5")
    expect(page.locator("#announce")).to_have_text("5 tokens")
    after_comparison(page, lambda: pick(page, "mistral-v1"))
    expect(count(page)).to_have_text("10")


def test_lines_are_added_and_taken_away_and_only_one_of_two_ends_can_be_had(chat):
    page = chat("?example=twice")
    after_comparison(page, lambda: page.check("[name=continued]"))
    assert not page.locator("[name=prompted]").is_checked()
    after_comparison(page, lambda: page.check("[name=prompted]"))
    assert not page.locator("[name=continued]").is_checked()
    page.get_by_role("button", name="Add a message").click()
    expect(page.locator("[name=content]")).to_have_count(2)
    expect(page.locator("[name=content]").nth(1)).to_be_focused()
    page.locator("[name=content]").nth(1).fill("Goethe.\nWho else?")
    page.get_by_role("button", name="Add a message").click()
    expect(page.locator("[name=content]")).to_have_count(3)
    expect(page.locator("[name=content]").nth(1)).to_have_value("Goethe.\nWho else?")
    expect(page.locator("[name=role]").nth(1)).to_have_value("assistant")
    page.get_by_role("button", name="Remove message 1").click()
    expect(page.locator("[name=content]")).to_have_count(2)
    expect(page.locator(".chat-prompt")).to_contain_text("Goethe.")


def test_an_injection_raises_an_alarm_until_it_is_text(chat):
    page = chat("?example=injection")
    expect(page.locator("[role=alert]")).to_contain_text("Message 2 contains special tokens as text: <|end|> (twice)")
    expect(page.locator(".chat-injected")).to_have_count(4)
    after_comparison(page, lambda: page.check("[name=special][value=text]", force=True))
    expect(page.locator("[role=alert]")).to_have_count(0)
    expect(page.locator(".chat-averted")).to_contain_text("Here they stay text")
    expect(page.locator(".chat-prompt .chat-injected")).to_have_count(0)


def test_what_is_wrong_is_told_and_what_was_typed_stays(chat, watch):
    watch.allowed.append("422")
    page = chat("?example=own")
    after_comparison(page, lambda: page.fill("[name=template]", "{% for %}"))
    expect(page.locator("#result [role=alert]")).to_contain_text("line 1")
    open_menu(page)
    page.locator("[data-copy=ids]").click()
    expect(page.locator("#said")).to_contain_text("Not copied")
    after_comparison(page, lambda: page.fill("[name=template]", "{{ messages[1].content }}"))
    expect(page.locator(".chat-prompt")).to_have_text("Who wrote Faust?")


def test_prompt_ids_and_calls_are_copied(chat):
    page = chat("?example=twice")

    def copied(what):
        open_menu(page)
        page.locator(f"[data-copy={what}]").click()
        expect(page.locator("#said")).to_contain_text("copied")
        text = page.evaluate("() => navigator.clipboard.readText()")
        page.evaluate("() => { document.getElementById('said').textContent = ''; }")
        return text

    assert copied("prompt") == "<s>[INST]Who wrote Faust?[/INST]"
    assert copied("ids").startswith("[1, 1, 3, ")
    assert json.loads(copied("json"))["alarms"][0]["code"] == "doubled-bos"
    assert "/api/chat" in copied("curl")
    assert '"add_special_tokens": True' in copied("python")


def test_a_link_carries_the_whole_conversation(chat, open_page):
    page = chat("?example=tool")
    open_menu(page)
    page.click("#link")
    expect(page.locator("#said")).to_contain_text("Link copied")
    address = page.evaluate("() => navigator.clipboard.readText()")
    other = open_page("/chat#" + address.partition("#")[2])
    # The page that opens sends what the link carries, and so leads to the page that has it.
    expect(other.locator("#tokenizer-list")).to_have_value("o200k_harmony")
    other.wait_for_load_state()  # with all lines below the list
    assert lines(other) == lines(page)
    expect(count(other)).to_have_text(count(page).inner_text())
    broken = open_page("/chat#abcdefghij")
    expect(broken.locator("#said")).to_contain_text("damaged")


@pytest.mark.parametrize("screen", DESKS)
def test_axe_finds_nothing(chat, screen):
    for example in ("tool", "injection"):
        page = chat(f"?example={example}", **screen)
        page.check("#spaces")
        assert findings(page) == []


def test_the_tools_of_a_conversation_are_not_cut_by_a_scroller_of_their_own(open_page):
    page = open_page("/chat?example=tool", viewport={"width": 1280, "height": 800})
    assert page.locator(".desk").evaluate("desk => desk.scrollHeight <= desk.clientHeight + 1")
    page.locator("[name=tools]").scroll_into_view_if_needed()
    expect(page.locator("[name=tools]")).to_be_in_viewport(ratio=1)
