"""/turns under a hand: an example, a lane shown whole, pointing, the address, the way from Request, no script."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.support.deeds import SET, open_menu, settled

CHAT = [
    {"role": "user", "content": "Who wrote Faust?"},
    {"role": "assistant", "content": "Goethe.", "reasoning_content": "A play."},
    {"role": "user", "content": "And Egmont?"},
]


@pytest.fixture
def turns(open_page):
    """Open the page: `turns("?example=mistral-v3", java_script_enabled=False)`."""
    return lambda query="", **options: open_page(f"/turns{query}", **options)


def test_the_first_screen_says_what_is_lost_and_shows_the_first_difference(turns):
    page = turns(viewport={"width": 1280, "height": 800})
    verdict = page.locator(".turns-verdict")
    expect(verdict).to_contain_text("Turn 4 loses 105 of 348 ids of the prompt before it.")
    first = page.locator(".turn[open] .window.first .tok")
    expect(first).to_have_text("<tool_call>")
    assert page.evaluate(
        """async (shown) => {
        await document.fonts.ready;
        const boxes = shown.map((one) => document.querySelector(one).getBoundingClientRect());
        return boxes.map(({ top, bottom }) => top >= 0 && bottom <= innerHeight);
        }""",
        [".turns-verdict", ".turn[open] .window.first .tok"],
    ) == [True, True]
    background = "one => getComputedStyle(one).backgroundColor"
    kept = page.locator(".turn[open] .window.kept .tok").first
    assert kept.evaluate(background) == "rgba(0, 0, 0, 0)"
    assert first.evaluate(background) == "rgb(28, 27, 25)"


def test_the_address_keeps_the_example_and_the_lane_but_no_text(turns):
    page = turns()
    open_menu(page, "Examples")
    page.locator("[name=example][value=mistral-v3]").click()
    expect(page.locator(".turns-verdict")).to_contain_text("Turn 4 loses 293 of 294 ids")
    expect(page).to_have_url(re.compile(r"/turns\?example=mistral-v3$"))
    page.get_by_role("button", name="Show all ids of turn 4").click()
    expect(page.get_by_role("button", name="Show only the surroundings")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?example=mistral-v3&whole=4$"))
    page.reload()
    expect(page.get_by_role("button", name="Show only the surroundings")).to_be_visible()
    page.fill("#text", json.dumps(CHAT))
    page.get_by_label("Model", exact=True).fill("qwen3")
    page.get_by_label("Model", exact=True).press("Tab")
    expect(page.locator(".turns-verdict")).to_contain_text("Turn 2 loses")
    expect(page).to_have_url(re.compile(r"\?model=qwen3&whole=4$"))


def test_a_token_is_described_and_its_id_copied_with_keys_alone(turns):
    page = turns()
    line = page.locator("[data-pointed]")
    expect(line).to_have_text("Point at a token.")
    page.locator(".window.first [data-i]").focus()
    spelled = "3C 74 6F 6F 6C 5F 63 61 6C 6C 3E"
    expect(line.locator("> *")).to_have_text(["<tool_call>", "id 151657", spelled, "4 times"])
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_have_text("Id 151657 copied.")
    page.keyboard.press("ArrowLeft")
    expect(line.locator("> *").nth(1)).to_have_text("id 198")


def test_a_conversation_of_several_is_opened_and_what_mends_it_used(turns):
    page = turns("?model=qwen3")
    page.evaluate(SET, "\n".join(json.dumps({"messages": messages}) for messages in (CHAT, CHAT[:2])))
    expect(page.locator(".turns-verdict")).to_have_text("1 of 2 conversations loses ids.")
    settled(page)
    page.get_by_role("button", name="Open conversation 2").click()
    expect(page.locator(".turns-verdict")).to_contain_text("The reasoning of message 2 (assistant) is dropped.")
    expect(page).to_have_url(re.compile(r"\?model=qwen3&conversation=2$"))
    page.get_by_role("button", name="Use it: TRL’s training template of Qwen3").click()
    expect(page.locator(".turns-verdict")).to_contain_text("Each of 2 turns begins with the ids of what came before.")
    expect(page.get_by_label("Model", exact=True)).to_have_value("TRL’s training template of Qwen3")
    expect(page.locator(".turns-choice")).to_contain_text("Conversation 2 of 2")


def test_a_log_of_requests_leads_to_its_turns(open_page):
    page = open_page("/request?example=log&model=qwen3")
    page.get_by_role("button", name="See which ids each turn loses").click()
    expect(page.get_by_role("heading", name="Which ids does the next turn lose?")).to_be_visible()
    expect(page.locator("#text")).to_have_value(re.compile("find_trains"))


def test_without_a_script_a_lane_is_shown_whole_and_an_example_chosen(turns):
    page = turns(java_script_enabled=False)
    page.get_by_role("button", name="Show all ids of turn 4").click()
    expect(page.get_by_role("button", name="Show only the surroundings")).to_be_visible()
    open_menu(page, "Examples")
    page.locator("[name=example][value=mistral-v3]").click()
    expect(page.locator(".turns-verdict")).to_contain_text("Turn 4 loses 293 of 294 ids")
