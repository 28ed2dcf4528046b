"""Comparing under a finger: adding and taking away, rings and light, places, links, costs, downloads, many texts."""

import csv
import re

import pytest
from playwright.sync_api import expect

from tests.support.axe import PHONES, findings
from tests.support.deeds import DROP, after_comparison, open_menu, pick, too_narrow

FOUR = ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased"]
OPENING = ["o200k_base", "gemma4", "deepseek-v3", "qwen3.5", "tekken"]
WITH_FOUR = "&".join(f"tokenizer={one}" for one in FOUR)
LIT = """() => Object.fromEntries([...document.querySelectorAll(".col")].map((col) =>
  [col.dataset.tokenizer, [...col.querySelectorAll(".on")].map((token) => token.textContent)]))"""
DROP_MANY = """files => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name, { type: "text/plain" }));
  const options = { dataTransfer: data, bubbles: true, cancelable: true };
  document.querySelector("#text").dispatchEvent(new DragEvent("drop", options));
}"""


@pytest.fixture
def compare(open_page):
    """Open the page of comparisons with four tokenizers: `compare("hindi", color_scheme="dark")`."""
    return lambda example="arithmetic", **options: open_page(f"/compare?example={example}&{WITH_FOUR}", **options)


def columns(page):
    return page.locator(".col").evaluate_all("all => all.map((one) => one.dataset.tokenizer)")


def count(page, tokenizer, name="tokens"):
    return page.locator(f".col[data-tokenizer='{tokenizer}'] [data-count={name}]")


def chosen(page):
    return page.locator("[data-unpick]").evaluate_all("all => all.map((one) => one.dataset.unpick)")


def test_columns_stand_where_they_will_before_the_script_and_the_last_of_them_come(open_page):
    page = open_page("/compare")
    first = page.locator(".col").first
    place = first.bounding_box()
    page.route("**/js/pages/**", lambda route: route.fulfill(content_type="text/javascript", body=""))
    page.reload()
    assert page.locator(".table-tools").count() == 0
    assert first.bounding_box() == place
    page.evaluate("document.querySelector('.col:last-child').remove()")
    assert first.bounding_box() == place


def tick(page, tokenizer):
    """Choose a tokenizer, or remove it if it is chosen."""
    after_comparison(page, lambda: pick(page, tokenizer, label="Tokenizers"))


def test_the_four_are_lit_together_follow_what_is_typed_and_take_a_baseline_and_a_price(compare):
    page = compare()
    assert columns(page) == FOUR
    assert [count(page, one).inner_text() for one in FOUR] == ["8", "8", "17", "9"]
    ringed = page.locator(".col[data-tokenizer='bert-base-uncased'] .ring").all_text_contents()
    assert ringed == ["123", "45", "6", "76", "54", "32"]
    box = page.locator(".col[data-tokenizer=o200k_base] .tok", has_text="456").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.evaluate(LIT) == {
        "o200k_base": ["456"],
        "cl100k_base": ["456"],
        "mistral-v1": ["5"],
        "bert-base-uncased": ["45"],
    }
    page.mouse.move(2, 2)
    assert set(map(len, page.evaluate(LIT).values())) == {0}
    page.locator(".col[data-tokenizer=o200k_base] .text").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(LIT)["mistral-v1"] == ["4", "5", "6"]
    expect(page.locator("#lit")).to_have_text(
        "456: GPT-5 · o200k_base 1, GPT-4 · cl100k_base 1, Mistral 7B v0.1 · mistral-v1 3, "
        "all-MiniLM-L6-v2 · bert-base-uncased 2"
    )
    page.keyboard.press("End")
    assert page.evaluate(LIT)["o200k_base"] == ["1"]
    after_comparison(page, lambda: page.check("#baseline-mistral-v1"))
    expect(count(page, "o200k_base", "change")).to_have_text("−53 %")
    expect(page.locator("#baseline-mistral-v1")).to_be_focused()
    after_comparison(page, lambda: page.fill("#calls", "1000000") or page.keyboard.press("Tab"))
    after_comparison(page, lambda: page.fill("[name='price:GPT-4o']", "5") or page.keyboard.press("Tab"))
    row = page.locator(".cost tr", has=page.locator("[name='price:GPT-4o']"))
    expect(row).to_contain_text("$40.00")
    expect(row).to_contain_text("your price")
    after_comparison(page, lambda: page.fill("#text", "Hello, 🌍! 你好!"))
    expect(count(page, "o200k_base")).to_have_text("8")
    expect(page.locator("#announce")).to_contain_text("o200k_base 8 tokens")
    after_comparison(page, lambda: page.evaluate(DROP, ["notes.txt", list(b"abc")]))
    expect(page.locator(".gist")).to_contain_text("3 characters")


def test_each_count_is_shown_as_soon_as_it_is_there_and_counting_can_be_cancelled(compare):
    """The answer of the page is held back, as if a vocabulary were still being loaded."""
    page = compare()
    held, asked = [], []
    page.route("**/compare", lambda route: held.append(route))
    page.fill("#text", "Hello, 🌍! 你好!")
    arriving = page.locator("#arriving li")
    expect(arriving).to_have_count(4)
    expect(arriving.filter(has_text="o200k_base")).to_have_text(re.compile(" 8$"))
    held[0].continue_()
    expect(arriving).to_have_count(0)
    expect(count(page, "o200k_base")).to_have_text("8")
    page.route("**/api/compare", lambda route: asked.append(route) or (len(asked) <= 2 and route.continue_()))
    page.evaluate(DROP_MANY, [[f"{i}.txt", "abc"] for i in range(5)])
    expect(page.locator("#counted")).to_contain_text("of 5 texts")
    expect(page.locator("#progress")).to_be_visible()
    page.click("#cancel")
    expect(page.locator("#counted")).to_have_text(re.compile(r"Stopped after \d texts?"))
    expect(page.locator("#cancel")).to_be_hidden()
    expect(page.locator("#progress")).to_be_hidden()


def test_tokenizers_are_added_and_taken_away_with_one_action_from_one_to_eight(compare, open_page):
    page = compare()
    # What a screenshot or an extension of the browser leaves; a violation of the policy is a complaint of the page.
    page.evaluate("() => document.querySelectorAll('#result [id]').forEach(one => one.style.outline = '0')")
    tick(page, "characters")
    assert columns(page) == [*FOUR, "characters"]
    after_comparison(page, lambda: page.locator(".col").get_by_role("button", name="Remove Mistral 7B").click())
    assert columns(page) == chosen(page) == ["o200k_base", "cl100k_base", "bert-base-uncased", "characters"]
    expect(page.locator(".col[data-tokenizer=bert-base-uncased] .close")).to_be_focused()
    for one in ("mistral-v1", "gpt2", "words", "bytes"):
        tick(page, one)
        assert columns(page)[-1] == one
    expect(page.locator("#full")).to_be_visible()
    page.get_by_role("combobox", name="Tokenizers").fill("t5")
    expect(page.get_by_role("option").first).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    assert len(columns(page)) == 8
    page = open_page("/compare?tokenizer=gpt2")
    tick(page, "gpt2")
    expect(page.locator("#result")).to_contain_text("Choose one to eight tokenizers")
    page.get_by_role("combobox", name="Tokenizers").fill("t5")
    expect(page.get_by_role("option").first).not_to_have_attribute("aria-disabled", "true")


def test_the_address_remembers_all_that_was_chosen(compare, open_page, watch):
    page = compare()
    after_comparison(page, lambda: page.fill("#text", "geheim 1234567"))
    tick(page, "characters")
    after_comparison(page, lambda: page.check("#baseline-mistral-v1"))
    after_comparison(page, lambda: page.check("[name=view][value=places]", force=True))
    after_comparison(page, lambda: page.locator("[name='price:GPT-4o']").fill("7") or page.keyboard.press("Tab"))
    expect(page.locator("#said")).to_be_empty()
    open_menu(page)
    page.click("#link")
    expect(page.locator("#said")).to_contain_text("Link copied")
    link = page.evaluate("() => navigator.clipboard.readText()")
    assert link == page.url
    other = open_page("/docs")
    other.goto(link)
    expect(other.locator("#places-title")).to_contain_text("Differences in 5 places")
    assert other.input_value("#text") == "geheim 1234567"
    assert other.locator("[name=order]").input_value() == " ".join([*FOUR, "characters"])
    expect(other.locator("[name='price:GPT-4o']")).to_have_value("7")
    expect(other.locator(".compared .summary")).to_contain_text("−40 %")
    assert all("geheim" not in request.url and "#" not in request.url.replace(link, "") for request in watch.requests)


def test_places_show_the_same_characters_beneath_each_other_and_are_gone_through(compare):
    page = compare()
    after_comparison(page, lambda: page.check("[name=view][value=places]", force=True))
    rows = page.locator(".place").last.locator("tr")
    edges = [row.locator("td").evaluate_all("all => all.map((td) => td.getBoundingClientRect())") for row in rows.all()]
    singles = [round(box["left"]) for box in edges[2]]
    assert [round(box["left"]) for box in edges[0]] == singles[::3]
    assert [round(box["left"]) for box in edges[3]] == singles[::2]
    forth, back = page.get_by_role("button", name="Next"), page.get_by_role("button", name="Previous")
    for button, number in ((forth, 1), (forth, 2), (back, 1), (forth, 2), (forth, 3), (forth, 4), (forth, 4)):
        button.click()
        expect(page.get_by_role("group", name=f"Place {number},")).to_be_focused()
    after_comparison(page, lambda: page.fill("#text", "1234 " * 60))
    page.locator(".place").last.focus()
    after_comparison(page, lambda: forth.click())
    expect(page.locator(".place").first).to_be_focused()
    assert page.locator(".place").first.get_attribute("aria-label").startswith("Place 41,")


def test_tables_and_charts_are_downloaded(compare):
    page = compare()
    for name, begin in {
        "summary.csv": "tokenizer,",
        "summary.svg": "<?xml",
        "agreement.csv": ",o200k",
        "agreement.svg": "<?xml",
    }.items():
        open_menu(page)
        with page.expect_download() as waiting:
            page.locator(f"[formaction='/compare/download'][value='{name}']").click()
        assert waiting.value.suggested_filename == name
        assert waiting.value.path().read_text().lstrip().startswith(begin)
    assert columns(page) == FOUR


def ledger(page):
    return page.locator("#ledger tbody tr, #ledger tfoot tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )


def counted(page, number):
    expect(page.locator("#counted")).to_have_text(re.compile(rf"^{number} texts? counted"))


def test_a_set_or_several_files_are_counted_text_by_text_and_saved(compare, tmp_path):
    page = compare()
    page.select_option("#set", "code")
    page.click("#run-set")
    counted(page, 5)
    assert [row[0] for row in ledger(page)] == ["Python", "JavaScript", "Rust", "C", "SQL", "Total"]
    *rows, total = [[cell.replace(",", "") for cell in row] for row in ledger(page)]
    assert [int(cell) for cell in total[1:]] == [sum(int(row[i]) for row in rows) for i in range(1, 6)]
    page.evaluate(DROP_MANY, [["one.txt", "1234567"], ["<two>.txt", "Hello, 🌍! 你好!"]])
    counted(page, 2)
    assert ledger(page) == [
        ["one.txt", "7", "3", "3", "8", "4"],
        ["<two>.txt", "20", "8", "10", "9", "7"],
        ["Total", "27", "11", "13", "17", "11"],
    ]
    assert page.input_value("#text") == "1234567 + 7654321"
    with page.expect_download() as waiting:
        page.click("#save")
    waiting.value.save_as(tmp_path / "texts.csv")
    assert list(csv.reader((tmp_path / "texts.csv").read_text().splitlines()))[:2] == [
        ["text", "bytes", *FOUR],
        ["one.txt", "7", "3", "3", "8", "4"],
    ]
    page.set_input_files("#files", {"name": "bad.txt", "mimeType": "text/plain", "buffer": b"\xff"})
    expect(page.locator("#counted")).to_have_text("bad.txt cannot be read: it is not UTF-8.")


TABLES = {
    "rows.csv": 'id,text,note\r\n1,"a, ""b""\nc",x\r\n2,plain,y\r\n',
    "rows.jsonl": '{"id": 1, "note": "x", "text": "a, \\"b\\"\\nc"}\n{"id": 2, "text": "plain", "note": "y"}\n',
}


def test_a_column_of_a_table_holds_the_texts(compare):
    page = compare()
    for name, content in TABLES.items():
        page.set_input_files("#files", {"name": name, "mimeType": "text/plain", "buffer": content.encode()})
        expect(page.locator("#field")).to_have_value("text")
        page.click("#run-files")
        expect(page.locator("#ledger tbody th").first).to_have_text(f"{name} 1")
        counted(page, 2)
        assert [row[:2] for row in ledger(page)] == [[f"{name} 1", "8"], [f"{name} 2", "5"], ["Total", "13"]]
        page.select_option("#field", "note")
        page.click("#run-files")
        expect(page.locator("#ledger tfoot td").first).to_have_text("2")


@pytest.mark.parametrize("screen", PHONES)
def test_axe_finds_nothing(compare, screen):
    page = compare("hindi", **screen)
    page.click("#run-set")
    counted(page, 4)
    assert findings(page) == []
    page.locator(".sources summary").evaluate_all("all => all.forEach((one) => one.click())")
    after_comparison(page, lambda: page.check("[name=view][value=places]", force=True))
    assert findings(page) == []


def test_columns_are_stacked_on_a_phone_with_prices_in_sight_and_fit_a_desk_side_by_side(compare):
    def lefts():
        return page.locator(".col").evaluate_all(
            "all => all.map((one) => Math.round(one.getBoundingClientRect().left))"
        )

    page = compare(viewport={"width": 390, "height": 844})
    assert len(set(lefts())) == 1
    row = page.locator(".cost tbody tr").first
    for cell in (3, 4, 5):
        box = row.locator("th, td").nth(cell).bounding_box()
        assert box["x"] + box["width"] <= 390
    assert "linear-gradient" in page.locator(".scroll:has(.cost)").evaluate(
        "one => getComputedStyle(one).backgroundImage"
    )
    page = compare(viewport={"width": 1200, "height": 900})
    assert len(set(lefts())) == 4
    for selector in (".columns", ".scroll:has(.summary)", ".scroll:has(.cost)"):
        assert page.locator(selector).first.evaluate("one => one.scrollWidth <= one.clientWidth + 1"), selector
    page = compare("python", viewport={"width": 320, "height": 800})
    assert too_narrow(page) == []
    after_comparison(page, lambda: page.check("[name=view][value=places]", force=True))
    assert too_narrow(page) == []


def test_the_page_opens_with_the_text_of_the_playground_in_five_tokenizers(open_page):
    page = open_page("/compare")
    assert page.input_value("#text") == open_page("/").input_value("#text")
    assert columns(page) == OPENING
    labels = page.locator("[data-unpick]").all_inner_texts()
    assert page.locator(".col h3").all_inner_texts() == labels
    assert sorted(page.locator(".tally tbody th").all_inner_texts()) == sorted(labels)
