"""The tasks that people come with, from the first page to the answer they read off it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE
from tests.support.deeds import after, open_menu, pick, type_text
from tests.support.layout import SHIFTS
from tests.support.steps_page import counter, edit, press, tiles

REPORT = "Quarterly report: revenue rose by 12.5 %.\n" * 40


@pytest.fixture
def still(open_page):
    """Open a page whose layout does not shift while it fills; what follows an act is not judged: a browser knows its
    cause for half a second only, which a busy machine takes to answer."""

    def open_still(path="/", **options):
        page = open_page(path, **options)
        page.wait_for_load_state("networkidle")
        assert page.evaluate(SHIFTS) < 0.05
        return page

    return open_still


def counts(page):
    """The tokens by tokenizer in a comparison."""
    found = {}
    for row in page.locator(".tally tr[data-tokenizer]").all():
        found[row.get_attribute("data-tokenizer")] = row.locator("[data-count=tokens]").inner_text()
    return found


def test_an_engineer_counts_a_file_in_three_models(still, registry):
    page = still("/compare")
    chosen = page.get_by_role("list", name="Chosen").get_by_role("button")
    while chosen.count():
        chosen.first.click()
    for model in ("gpt-5", "deepseek", "qwen3.5"):
        pick(page, model, label="Tokenizers")
    page.set_input_files("#file", {"name": "report.txt", "mimeType": "text/plain", "buffer": REPORT.encode()})
    expect(page.locator(".tally tr[data-tokenizer]")).to_have_count(3)
    wanted = {id: len(registry.get(id).encode(REPORT)) for id in ("o200k_base", "deepseek-v3", "qwen3.5")}
    expect(page.locator(".tally [data-count=tokens]").first).to_have_text(f"{wanted['o200k_base']:,}")
    assert counts(page) == {id: f"{count:,}" for id, count in wanted.items()}


def test_a_lecturer_edits_predicts_presents_and_takes_the_lecture_along(still, chromium, tmp_path):
    page = still("/steps", viewport={"width": 1280, "height": 720})
    page.check("[name=branch][value=encode]")
    pick(page, "gpt-4")
    edit(page, "lowest lower")
    page.keyboard.press("p")
    expect(page.locator("html.presenting")).to_have_count(1)
    page.evaluate("() => document.getElementById('predict').click()")
    for _ in range(30):
        if page.locator(".pairs button").count() > 1:
            break
        before = counter(page).inner_text()
        page.keyboard.press("PageDown")
        expect(counter(page)).not_to_have_text(before)  # a question is asked at the same moment
    expect(page.locator("#caption")).to_have_text("Which pair comes next? Pick one.")
    page.locator(".pairs button").first.click()
    expect(page.locator("#caption")).to_contain_text("merge")
    page.keyboard.press("Escape")
    open_menu(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="HTML", exact=True).click()
    waiting.value.save_as(tmp_path / "lecture.html")
    context = chromium.new_context(offline=True)
    context.set_default_timeout(PATIENCE)
    away = context.new_page()
    away.goto((tmp_path / "lecture.html").as_uri())
    last = int(re.search(r"of (\d+)", counter(away).inner_text())[1])
    press(away, "End", last)
    assert tiles(away) == ["lowest", "␣lower"]
    context.close()


def test_a_student_on_a_phone_sees_where_a_token_comes_from(still):
    page = still(viewport={"width": 390, "height": 844}, has_touch=True)
    type_text(page, "strawberry")
    expect(page.locator("[data-count=tokens]")).to_be_in_viewport()
    expect(page.locator(".window .tok").last).to_be_in_viewport()
    page.locator(".window .tok").last.tap()
    panel = page.locator("#details")
    expect(panel.locator(".card")).to_contain_text("19772")  # the line above it knows the id at once, but is hidden
    box, text = panel.bounding_box(), page.locator(".window .tok").last.bounding_box()
    assert box["y"] >= text["y"] + text["height"]
    assert box["y"] + box["height"] <= 845
    expect(panel).to_contain_text("berry")
    panel.get_by_role("button", name="Play step by step").click()
    page.wait_for_url("**/steps*")
    expect(counter(page)).to_have_text(re.compile("^[1-9]"))  # at the step that made the token
    expect(page.locator("#text")).to_have_value("strawberry")
    expect(page.get_by_role("combobox", name="Tokenizer")).to_have_value(re.compile("o200k_base"))
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_a_visitor_with_a_keyboard_alone_reads_the_ids(still):
    page = still()

    def tab_to(selector):
        for _ in range(60):  # once round the page
            page.keyboard.press("Tab")
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"Tab does not reach {selector}.")

    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the text")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Control+A")
    after(page, lambda: page.keyboard.type("strawberry"))
    tab_to(".picker-field")
    page.keyboard.type("gpt-2")
    after(page, lambda: page.keyboard.press("Enter"))
    tab_to(".text .tok")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#details .card")).to_contain_text("8396")
    page.keyboard.press("Escape")
    expect(page.locator("#details .card")).to_be_hidden()
    expect(page.locator(".text .tok").last).to_be_focused()
