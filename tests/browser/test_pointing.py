"""Hover, keyboard, details: a token is pointed at in all views together."""

import json

import pytest
from playwright.sync_api import expect

from tests.support.deeds import after, choose, show_together, type_text

MARKED = "name => [...document.querySelectorAll(`.window .${name}`)].map((e) => [e.classList[0], e.dataset.i])"


def focused(page):
    return page.evaluate("() => document.activeElement.dataset.i")


def open_details(page, act):
    with page.expect_response("**/token"):
        act()
    expect(page.locator("#details .card")).to_be_visible()


def test_hovering_or_focusing_a_token_marks_it_in_text_ids_and_bytes(page):
    page.locator(".text .tok").first.focus()
    assert page.evaluate(MARKED, "on") == [["tok", "0"]]
    show_together(page)
    type_text(page, "Hello, 🌍! 你好?")
    for view in ("tok", "id", "by"):
        page.locator(f".window .{view}[data-i='3']").hover()
        assert page.evaluate(MARKED, "on") == [["tok", "3"], ["id", "3"], ["by", "3"]]
        page.locator(".wordmark").hover(force=True)
        assert page.evaluate(MARKED, "on") == []


FRAMED = """() => { const frame = document.querySelector(".text-mark mark")?.getBoundingClientRect();
  const box = document.getElementById("text").getBoundingClientRect();
  return frame && [document.querySelector(".text-mark mark").textContent,
    frame.left > box.left && frame.right < box.right && frame.top > box.top && frame.bottom < box.bottom]; }"""


def test_pointing_shows_piece_id_and_bytes_and_frames_the_token_in_the_text_without_a_request(page, watch):
    line = page.locator("[data-pointed]")
    expect(line).to_have_text("Point at a token.")
    type_text(page, "the cat,\nthe 🌍 Cat")
    page.locator(".text .tok", has_text="cat").first.hover()
    assert line.evaluate("one => [...one.children].map((part) => part.textContent)") == [
        *("·cat", "id 9059", "20 63 61 74", "once")
    ]
    assert page.evaluate(FRAMED) == [" cat", True]
    page.locator(".text .tok", has_text="the").last.hover()
    assert line.inner_text().split("\n")[0].startswith("the")
    assert "2 times" in line.inner_text()
    page.locator(".text .part").last.hover()
    assert [*line.locator("> *").all_inner_texts()][1:3] == ["id 235", "8D"]
    assert page.evaluate(FRAMED) == [" 🌍", True]
    assert not [one.url for one in watch.requests if one.url.endswith(("/token", "/window"))]
    after(page, lambda: page.check("[name=view][value=ids]", force=True))
    page.locator(".id").last.hover()
    assert [*line.locator("> *").all_inner_texts()] == ["·Cat", "id 19288", "20 43 61 74", "once"]
    assert page.evaluate(FRAMED) == [" Cat", True]
    line.get_by_role("button", name="id 19288").click()
    expect(page.locator("#said")).to_have_text("19288 copied.")
    assert page.evaluate("() => navigator.clipboard.readText()") == "19288"
    after(page, lambda: page.check("[name=view][value=text]", force=True))
    choose(page, "bert-base-uncased")
    page.locator(".text .tok", has_text="Cat").last.hover()
    assert [*line.locator("> *").all_inner_texts()][:3] == ["cat", "id 4937", "63 61 74"]


def test_with_the_details_open_arrows_show_those_of_the_next_token(page):
    open_details(page, page.locator(".text .tok").first.click)
    expect(page.locator("#details h2")).to_have_text("Token 0")
    page.locator(".text .tok").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#details h2")).to_have_text("Token 1")
    expect(page.locator("[data-pointed]")).to_contain_text("id 11")


def test_the_tokens_are_one_tab_stop_and_arrows_move_between_them_and_lines_as_the_eye_does(page):
    page.locator(".text .tok").first.focus()
    for key, index in [("ArrowRight", "1"), ("ArrowRight", "2"), ("ArrowRight", "3"), ("ArrowLeft", "2"), ("End", "7")]:
        page.keyboard.press(key)
        assert focused(page) == index
    page.keyboard.press("Home")
    assert focused(page) == "0"
    assert page.locator(".window [data-i][tabindex='0']").count() == 1
    type_text(page, "aaa bbb ccc\nddd eee fff\nggg hhh iii")
    page.locator(".text .tok").nth(1).focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.textContent").strip() in ("eee", "e", "ee")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "1"
    type_text(page, "מילה אחרת ועוד")
    page.locator(".text .tok").first.focus()
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "1"


def test_details_open_by_key_click_or_button_and_close_by_escape_button_or_another_text(page):
    details = page.locator("#details .card")
    box = page.locator(".text .tok").first.bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + 10)
    page.mouse.up()
    assert page.evaluate("() => getSelection().toString()") != ""
    expect(details).to_be_hidden()  # to select text with the mouse opens nothing
    for index, key in (("1", "Enter"), ("2", "Space")):
        page.locator(".text .tok").nth(int(index) - 1).focus()
        page.keyboard.press("ArrowRight")
        open_details(page, lambda key=key: page.keyboard.press(key))
        expect(page.locator("#details h2")).to_have_text(f"Token {index}")
        page.keyboard.press("Escape")
        expect(details).to_be_hidden()
        assert focused(page) == index
    open_details(page, page.locator(".part").first.click)
    said = details.inner_text()
    facts = ("130321 of 200,019 ids", "20 F0 9F 8C", "6–10", "6–8", "U+0020 U+1F30D", "normal", "No other occurrences")
    for fact in facts:
        assert fact in said, fact
    assert page.evaluate(MARKED, "picked") == [["tok", "2"]]
    page.get_by_role("button", name="Close the details").click()
    expect(details).to_be_hidden()
    assert focused(page) == "2"
    open_details(page, page.locator(".part").first.click)
    type_text(page, "É and more")
    expect(details).to_be_hidden()
    choose(page, "bert-base-uncased")
    open_details(page, page.locator(".text .tok").first.click)
    expect(details).to_contain_text("The input has other bytes at this position: C3 89")
    after(page, lambda: page.check("[name=view][value=table]", force=True))
    open_details(page, page.get_by_role("button", name="Details of token 1").click)
    expect(page.locator("#details h2")).to_have_text("Token 1")


def test_other_places_can_be_jumped_to_also_in_a_window_not_yet_cut(page):
    type_text(page, "needle" + " straw" * 4000 + " needle.\nneedle")
    choose(page, "words")
    open_details(page, page.locator(".text .tok").first.click)
    expect(page.locator("#details h3", has_text="other")).to_have_text("2 other occurrences in this text")
    open_details(page, page.locator(".places button").nth(1).click)
    expect(page.locator("#details h2")).to_have_text("Token 8,005")
    expect(page.locator(".text .tok[data-i='8005']")).to_be_in_viewport()
    assert focused(page) == "8005"


@pytest.fixture
def field(page):
    """The picker of tokenizers."""
    return page.get_by_role("combobox", name="Tokenizer")


def rows(page):
    """The names of the models that the open picker shows."""
    return page.get_by_role("option").locator(".picker-name")


BEST = (
    *(("gpt-4", "GPT-4"), ("gpt4o", "GPT-4o"), ("mistral", "Mistral Large 2411"), ("gpt-4.1-nano", "GPT-4.1")),
    *(("cl100k", "GPT-4"), ("google", "Gemini 3.1"), ("llama", "Llama 4"), ("claude-opus-4-5", "Claude 3 and later")),
)


def test_the_picker_is_searched_and_used_by_keyboard_and_click(page, field):
    field.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    active = field.get_attribute("aria-activedescendant")
    expect(page.locator(f"#{active} .picker-name")).to_have_text("o3, o4-mini")
    after(page, lambda: rows(page).get_by_text("GPT-2", exact=True).click())
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(field).to_have_value("GPT-2 · gpt2")
    field.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("listbox")).to_be_visible()
    page.keyboard.type("nemo")
    expect(rows(page)).to_have_text(["Mistral NeMo"])
    expect(page.get_by_role("option")).to_contain_text("Mistral AI, 2024 · 131,072 tokens")
    expect(page.locator("[data-matches]")).to_have_text("1 match")
    after(page, lambda: page.keyboard.press("Enter"))
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(field).to_be_focused()
    expect(field).to_have_value("Mistral NeMo · tekken")
    expect(page.locator(".cutter")).to_contain_text("tekken")


def test_the_picker_lists_the_newest_first_and_finds_the_best_match_or_says_that_there_is_none(page, field):
    field.click()
    groups = page.get_by_role("listbox").get_by_role("group")
    assert groups.evaluate_all("all => all.map((one) => one.ariaLabel)")[:3] == ["Popular", "Open", "Classic"]
    popular = groups.first.get_by_role("option")
    assert popular.locator(".picker-name").all_inner_texts()[:2] == ["DeepSeek V4", "Gemini 3.1"]
    claude = popular.filter(has_text="Claude 3 and later")
    expect(claude).to_contain_text("no public tokenizer")
    for typed, first in BEST:
        field.fill(typed)
        expect(rows(page).first).to_have_text(first)
    field.fill("wordpiece")
    expect(rows(page)).to_have_text(["all-MiniLM-L6-v2", "BERT"])
    field.fill("zzz")
    expect(page.get_by_text("No match for")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(field).to_have_value("GPT-5 · o200k_base")


def test_the_picker_opens_within_the_window(open_page):
    page = open_page(viewport={"width": 1280, "height": 620})
    page.get_by_role("combobox", name="Tokenizer").click()
    box = page.get_by_role("listbox").bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 620
    assert box["height"] > 200


def test_a_token_tells_where_it_comes_from_and_plays_in_steps(page):
    type_text(page, "How many r in strawberry")
    page.locator(".tok", has_text="berry").click()
    card = page.locator("#details .card")
    expect(card.locator(".origins")).to_be_visible()
    assert {"␣straw", "berry", "␣strawberry"} <= set(card.locator(".tree text").all_text_contents())
    expect(card.locator(".why-token")).to_contain_text("merge")
    expect(card.locator(".why-boundary")).not_to_be_empty()
    assert card.locator(".same-span dt").all_text_contents() == ["cl100k_base", "Tekken", "GPT-2"]
    neighbours = card.locator(".near:not(.variants)")
    assert neighbours.locator(".self b").inner_text() == "␣strawberry"
    assert neighbours.locator("span").count() == 5
    assert card.locator(".variants b").all_inner_texts() == ["␣strawberry", "␣Strawberry"]
    card.locator(".logit-bias button").click()
    expect(page.locator("#said")).to_contain_text("copied")
    biased = json.loads("{" + page.evaluate("() => navigator.clipboard.readText()") + "}")
    assert list(biased["logit_bias"].values()) == [-100] * 2
    card.get_by_role("button", name="Play step by step").click()
    expect(page.locator("#text")).to_have_value("How many r in strawberry")
    expect(page.locator("#caption")).to_contain_text("␣straw and berry merge")
    expect(page.locator(".desk .menu [aria-current], .shows")).to_have_count(0)
