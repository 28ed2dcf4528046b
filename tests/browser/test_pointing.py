"""Hover, keyboard, details: a token is pointed at in all views together."""

import pytest
from playwright.sync_api import expect

from tests.browser.deeds import after, choose, type_text

MARKED = "name => [...document.querySelectorAll(`.window .${name}`)].map((e) => [e.classList[0], e.dataset.i])"


def focused(page):
    return page.evaluate("() => document.activeElement.dataset.i")


def open_details(page, act):
    with page.expect_response("**/token"):
        act()
    expect(page.locator("#details")).to_be_visible()


@pytest.mark.parametrize("view", ["tok", "id", "by"])
def test_hovering_a_token_marks_it_in_text_ids_and_bytes(page, view):
    page.locator(f".window .{view}[data-i='3']").hover()
    assert page.evaluate(MARKED, "on") == [["tok", "3"], ["id", "3"], ["by", "3"]]
    page.locator("h1").hover(force=True)
    assert page.evaluate(MARKED, "on") == []


def test_focusing_a_token_marks_it_too(page):
    page.locator(".text .tok").first.focus()
    assert page.evaluate(MARKED, "on") == [["tok", "0"], ["id", "0"], ["by", "0"]]


def test_the_tokens_are_one_tab_stop_and_arrows_move_between_them(page):
    page.locator(".text .tok").first.focus()
    for key, index in [("ArrowRight", "1"), ("ArrowRight", "2"), ("ArrowRight", "3"), ("ArrowLeft", "2"), ("End", "7")]:
        page.keyboard.press(key)
        assert focused(page) == index
    page.keyboard.press("Home")
    assert focused(page) == "0"
    assert page.locator(".window [data-i][tabindex='0']").count() == 1


def test_up_and_down_move_between_lines(page):
    type_text(page, "aaa bbb ccc\nddd eee fff\nggg hhh iii")
    tokens = page.locator(".text .tok")
    tokens.nth(1).focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.textContent").strip() in ("eee", "e", "ee")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "1"


def test_arrows_follow_the_eye_in_right_to_left_text(page):
    type_text(page, "מילה אחרת ועוד")
    page.locator(".text .tok").first.focus()
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "1"


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_selecting_a_token_by_key_opens_its_details_and_escape_closes_them(page, key):
    page.locator(".text .tok").first.focus()
    page.keyboard.press("ArrowRight")
    open_details(page, lambda: page.keyboard.press(key))
    expect(page.locator("#details h2")).to_have_text("Token 1")
    page.keyboard.press("Escape")
    expect(page.locator("#details")).to_be_hidden()
    assert focused(page) == "1"


def test_details_say_everything_about_half_a_globe(page):
    open_details(page, page.locator(".part").first.click)
    said = page.locator("#details").inner_text()
    for fact in ("130321 of 200,019", "20 F0 9F 8C", "6–10", "6–8", "U+0020 U+1F30D", "normal", "No other occurrences"):
        assert fact in said, fact
    assert page.evaluate(MARKED, "picked") == [["tok", "2"], ["id", "2"], ["by", "2"]]


def test_other_places_can_be_jumped_to_also_in_a_window_not_yet_cut(page):
    type_text(page, "needle" + " straw" * 4000 + " needle.\nneedle")
    choose(page, "words")
    open_details(page, page.locator(".text .tok").first.click)
    expect(page.locator("#details h3")).to_have_text("2 other occurrences in this text")
    open_details(page, page.locator(".places button").nth(1).click)
    expect(page.locator("#details h2")).to_have_text("Token 8,005")
    expect(page.locator(".text .tok[data-i='8005']")).to_be_in_viewport()
    assert focused(page) == "8005"


def test_details_close_when_the_text_changes(page):
    open_details(page, page.locator(".part").first.click)
    type_text(page, "other")
    expect(page.locator("#details")).to_be_hidden()


def test_details_close_by_their_button(page):
    open_details(page, page.locator(".part").first.click)
    page.get_by_role("button", name="Close the details").click()
    expect(page.locator("#details")).to_be_hidden()
    assert focused(page) == "2"


def test_a_changed_token_tells_what_the_input_had(page):
    choose(page, "bert-base-uncased")
    type_text(page, "É")
    open_details(page, page.locator(".text .tok").first.click)
    expect(page.locator("#details")).to_contain_text("The input has other bytes at this position: C3 89")


def test_the_table_opens_details_by_its_buttons(page):
    after(page, lambda: page.check("[name=view][value=table]"))
    open_details(page, page.get_by_role("button", name="Details of token 6").click)
    expect(page.locator("#details h2")).to_have_text("Token 6")


def test_selecting_text_with_the_mouse_opens_nothing(page):
    box = page.locator(".text .tok").first.bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + 10)
    page.mouse.up()
    assert page.evaluate("() => getSelection().toString()") != ""
    expect(page.locator("#details")).to_be_hidden()


def test_the_picker_is_searched_and_used_by_keyboard(page):
    page.locator("#picker summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#seek")).to_be_focused()
    page.keyboard.type("nemo")
    expect(page.locator(".choice:visible")).to_have_count(1)
    after(page, lambda: page.keyboard.press("Enter"))
    expect(page.locator("#picker .choices")).to_be_hidden()
    expect(page.locator("[data-chosen=title]")).to_have_text("Tekken")
    expect(page.locator("[data-chosen=about]")).to_contain_text("131,072 tokens · Mistral NeMo")


def test_the_picker_narrows_by_family_and_says_when_nothing_fits(page):
    page.click("#picker summary")
    expect(page.locator("#seek")).to_be_focused()
    page.fill("#seek", "wordpiece")
    expect(page.locator(".choice:visible .name")).to_have_text(["BERT base, uncased"])
    page.fill("#seek", "zzz")
    expect(page.get_by_text("No match for")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#picker summary")).to_be_focused()


def test_the_picker_closes_after_a_click_and_arrows_walk_through_it(page):
    page.click("#picker summary")
    expect(page.locator("#seek")).to_be_focused()
    page.keyboard.press("ArrowDown")
    after(page, lambda: page.keyboard.press("ArrowDown"))
    expect(page.locator("#picker .choices")).to_be_visible()
    after(page, lambda: page.locator(".choice", has_text="GPT-2").first.click())
    expect(page.locator("#picker .choices")).to_be_hidden()
