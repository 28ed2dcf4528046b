"""The table of models beside the text: counts, a range for Claude, a vocabulary on request in one dialog."""

import re

import pytest
from playwright.sync_api import expect

from tests.support import package_index
from tests.support.servers import serving

LOADING = 150_000
"""Milliseconds for vocabularies to load one after another on a busy machine."""
COUNTED = ("GPT-5", "Gemini 3.1", "Mistral NeMo", "DeepSeek V4", "Qwen3.5")


def row(page, name):
    return page.locator(f'#models tr[data-model="{name}"]')


@pytest.fixture
def filled(open_page):
    """The playground at 1280 × 800, with a table that is filled in."""
    page = open_page(viewport={"width": 1280, "height": 800})
    for name in COUNTED:
        expect(row(page, name).locator(".model-tokens")).to_have_text(re.compile(r"^\d+$"), timeout=LOADING)
    return page


def test_counts_and_a_range_for_claude_are_on_one_screen_and_follow_a_click_a_text_and_none(filled):
    expect(row(filled, "GPT-5").locator(".model-tokens")).to_have_text("8")
    expect(row(filled, "GPT-5").locator(".model-price")).to_have_text("$0.010")
    expect(row(filled, "Claude Sonnet 5").locator(".model-tokens")).to_contain_text("9–15")
    expect(row(filled, "Llama 4")).to_contain_text(re.compile(r"Download Llama 4 \(\d"))
    for name in (*COUNTED, "Claude Sonnet 5", "Llama 4"):
        expect(row(filled, name)).to_be_in_viewport(ratio=1)
    assert filled.evaluate("scrollY") == 0
    expect(row(filled, "GPT-5").locator(".model-name")).to_have_attribute("aria-pressed", "true")
    row(filled, "DeepSeek V4").click()
    expect(filled.locator(".picker-field")).to_have_value("DeepSeek V4 · deepseek-v3")
    expect(filled.locator(".cutter")).to_contain_text("DeepSeek V4 · deepseek-v3", timeout=LOADING)
    expect(filled.locator(".model-name[aria-pressed=true]")).to_have_text(["DeepSeek V4"])
    filled.locator("select[name=tokenizer]").evaluate(
        "list => { list.value = 'o200k_base'; list.dispatchEvent(new Event('change', {bubbles: true})) }"
    )
    expect(filled.locator(".model-name[aria-pressed=true]")).to_have_text(["GPT-5"])
    row(filled, "Gemini 3.1").locator(".model-name").focus()
    filled.locator("#text").evaluate(
        "box => { box.value = 'a'; box.dispatchEvent(new Event('input', {bubbles: true})) }"
    )
    expect(row(filled, "Gemini 3.1").locator(".model-tokens")).to_have_text("1")
    expect(row(filled, "Gemini 3.1").locator(".model-name")).to_be_focused()
    filled.click("#clear")
    expect(filled.locator(".model-tokens")).to_have_text(["0"] * 6)
    expect(filled.locator(".model-price")).to_have_text(["$0"] * 6)


def test_a_count_that_is_not_there_is_no_old_one(filled, watch):
    """Not beside the count of another text, nor while the server works, nor where it refuses the text."""
    watch.allowed += ["net::", "422", "Failed to fetch"]
    filled.route("**/models", lambda route: route.abort())
    filled.fill("#text", "one two three")
    expect(filled.locator(".counts dd").first).to_have_text("3")
    expect(filled.locator(".model-tokens")).to_have_text(["…"] * 6)
    expect(filled.locator(".model-price")).to_have_text([""] * 6)
    held = []
    filled.route("**/", lambda route: held.append(route))
    with filled.expect_request(lambda request: request.method == "POST" and request.url.endswith("/")):
        filled.fill("#text", "one two")
    expect(filled.locator(".counts dd")).to_have_text(["…"] * 3)
    held.pop().fulfill(status=422, body='<section class="problem"><h2>Refused</h2></section>')
    expect(filled.locator("#result .problem")).to_be_visible()
    expect(filled.locator(".counts dd")).to_have_text(["–"] * 3)


def test_claude_in_the_picker_and_in_the_table_says_at_once_that_there_is_no_tokenizer(filled):
    field = filled.locator(".picker-field")
    field.click()
    field.fill("claude sonnet")
    filled.get_by_role("option").filter(has_text="Claude 3 and later").click()
    note = filled.locator("[data-note]")
    expect(note).to_contain_text("Anthropic publishes no tokenizer for Claude 3 and later.")
    expect(note).to_contain_text("This text: 9–15 tokens. Expect 1.16 to 1.76 times the tokens of GPT-4o.")
    expect(note.get_by_role("link", name="Source, and how to measure")).to_be_visible()
    expect(field).to_have_value("GPT-5 · o200k_base")
    note.get_by_role("button", name="Close").click()
    expect(note).to_be_empty()
    row(filled, "Claude Sonnet 5").click()
    note.get_by_role("button", name="Show Claude 2’s tokens instead").click()
    expect(note).to_be_empty()
    expect(field).to_have_value(re.compile("Claude 2"))


def test_the_models_of_the_table_are_chosen_and_kept(filled):
    filled.locator(".answer-top summary").click()
    filled.get_by_label("Qwen3.5").uncheck()
    filled.get_by_label("GPT-4o mini").check()
    names = filled.locator(".model-name")
    expect(names).to_have_count(7)
    expect(names.nth(1)).to_have_text("GPT-4o mini")
    filled.reload()
    expect(names.nth(1)).to_have_text("GPT-4o mini")
    expect(filled.locator(".model-name", has_text="Qwen3.5")).to_have_count(0)


def test_a_narrow_page_does_not_scroll_sideways_for_the_table(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    expect(row(page, "GPT-5").locator(".model-tokens")).to_have_text("8", timeout=LOADING)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator(".answer-top summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.fixture
def offering(tmp_path):
    """The address of a server whose Llama 4 is a small vocabulary in a package on loopback."""
    name, data = package_index.wheel(package_index.RANKS)
    path = package_index.catalogue(tmp_path, "wheel", data)
    path.write_text(path.read_text().replace('id = "tiny"', 'id = "llama-4"'))
    with package_index.serving(name, data) as index:
        env = {
            "TOKENARIUM_LOCAL": str(tmp_path / "local"),
            "TOKENARIUM_CATALOGUE": str(path),
            "TOKENARIUM_WORKERS_PER_PROCESS": "0",
            "PIP_INDEX_URL": index,
            "PIP_CONFIG_FILE": "/dev/null",
            "PIP_FIND_LINKS": "",
            "PIP_EXTRA_INDEX_URL": "",
        }
        with serving(**env) as (_, address):
            yield address


def test_a_model_on_request_is_one_dialog_and_then_tokenizes_the_text(offering, context_of, watch):
    page = context_of().new_page()
    watch.base = offering
    watch.see(page)
    page.goto(offering)
    page.locator("#text").fill("ab")
    field = page.locator(".picker-field")
    field.click()
    field.fill("llama 4")
    page.get_by_role("option").filter(has_text="Llama 4").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("link", name="Tiny Licence")).to_be_visible()
    dialog.get_by_role("button", name="Accept the licence and download").click()
    expect(dialog).to_have_count(0, timeout=LOADING)
    expect(field).to_have_value("Llama 4 · llama-4")
    expect(page.locator("[data-count=tokens]")).to_have_text("1", timeout=LOADING)
    expect(page.locator("#text")).to_have_value("ab")
    expect(row(page, "Llama 4").locator(".model-tokens")).to_have_text("1", timeout=LOADING)
    watch.check()
    page.close()


def test_llama_is_downloaded_in_its_row_and_then_counts(offering, context_of, watch):
    page = context_of().new_page()
    watch.base = offering
    watch.see(page)
    page.goto(offering)
    page.locator("#text").fill("ab")
    row(page, "Llama 4").get_by_role("link", name="Download").click(timeout=LOADING)
    page.get_by_role("button", name="Accept the licence and download").click()
    expect(row(page, "Llama 4").locator(".model-tokens")).to_have_text("1", timeout=LOADING)
    expect(page.locator("#text")).to_have_value("ab")
    watch.check()
    page.close()


def test_what_stands_below_a_model_comes_and_stays_with_it(filled):
    """Such as a reconstruction of the tokens of Claude; also where each model is asked for on its own."""

    def add(route):
        below = '<tr class="below"><td colspan="4">below</td></tr></tbody>'
        route.fulfill(body=route.fetch().text().replace("</tbody>", below), content_type="text/html")

    filled.route("**/models", add)
    filled.locator("[data-paid][value=claude-opus-5]").evaluate("tick => tick.click()")
    names = filled.locator("#models tr[data-model]")
    expect(filled.locator("#models tr[data-model] + tr.below")).to_have_count(8, timeout=LOADING)
    expect(names).to_have_count(8)
