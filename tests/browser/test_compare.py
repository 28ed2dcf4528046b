"""Comparing under a finger: adding and taking away, lanes and light, places, links, costs, downloads, many texts."""

import csv
import re

import pytest
from playwright.sync_api import expect

from tests.support.axe import PHONES, findings
from tests.support.deeds import DROP, after_comparison, fonts_loaded, open_menu, pick, too_narrow

FOUR = ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased"]
OPENING = ["o200k_base", "claude-sonnet-5", "gemma4", "llama-4", "deepseek-v3", "qwen3.5"]
WITH_FOUR = "&".join(f"tokenizer={one}" for one in FOUR)
LIT = """() => {
  const names = [...document.querySelector(".lane-names").children].map((one) => one.textContent);
  const segments = [...document.querySelectorAll(".seg")];
  const text = (one) => one.querySelector("bdi").textContent;
  return Object.fromEntries(names.map((name, lane) => [name, segments.filter((one) =>
    one.querySelectorAll(".lane")[lane].querySelector(".lit")).map(text).join("")]));
}"""
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


def rows(page):
    return page.locator(".tally tr[data-tokenizer]").evaluate_all("all => all.map((one) => one.dataset.tokenizer)")


def cell(page, tokenizer, name="tokens"):
    return page.locator(f".tally tr[data-tokenizer='{tokenizer}'] [data-count={name}]")


def segment(page, text):
    return page.locator(".seg").filter(has=page.locator("bdi", has_text=text)).first


def chosen(page):
    return page.locator("[data-unpick]").evaluate_all("all => all.map((one) => one.dataset.unpick)")


def test_rows_stand_where_they_will_before_the_script_comes(open_page):
    page = open_page("/compare")
    last = page.locator(".tally tr[data-tokenizer]").last
    fonts_loaded(page)
    place = last.bounding_box()
    page.route("**/js/pages/**", lambda route: route.fulfill(content_type="text/javascript", body=""))
    page.reload()
    assert page.locator(".table-tools").count() == 0
    fonts_loaded(page)
    assert last.bounding_box() == place


def tick(page, tokenizer):
    """Choose a tokenizer, or remove it if it is chosen."""
    after_comparison(page, lambda: pick(page, tokenizer, label="Tokenizers"))


def test_the_lanes_are_lit_together_follow_what_is_typed_and_take_a_baseline_and_a_price(compare):
    page = compare()
    assert rows(page) == FOUR
    assert [cell(page, one).inner_text() for one in FOUR] == ["8", "8", "17", "9"]
    segment(page, "5").locator(".lane").first.hover()
    assert page.evaluate(LIT) == {"GPT-5": "456", "GPT-4": "456", "Mistral 7B v0.1": "5", "all-MiniLM-L6-v2": "45"}
    expect(page.locator("#pointed span")).to_have_text(
        ["GPT-5 456 19354", "GPT-4 456 10961", "Mistral 7B v0.1 5 28782", "all-MiniLM-L6-v2 ##45 19961"]
    )
    page.locator(".lanes").focus()
    page.keyboard.press("Home")
    assert page.evaluate(LIT)["all-MiniLM-L6-v2"] == "123"
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.evaluate(LIT)["Mistral 7B v0.1"] == "4"
    expect(page.locator("#lit")).to_have_text("4: GPT-5 1, GPT-4 1, Mistral 7B v0.1 1, all-MiniLM-L6-v2 1")
    page.keyboard.press("End")
    assert page.evaluate(LIT)["GPT-5"] == "1"
    after_comparison(page, lambda: cell(page, "mistral-v1").click())  # anywhere on its row
    expect(cell(page, "o200k_base", "change")).to_have_text("−53 %")
    page.locator(".measures > summary").click()
    after_comparison(page, lambda: page.fill("#calls", "1000000") or page.keyboard.press("Tab"))
    after_comparison(page, lambda: page.fill("[name='price:GPT-4o']", "5") or page.keyboard.press("Tab"))
    row = page.locator(".cost tr", has=page.locator("[name='price:GPT-4o']"))
    expect(row).to_be_visible()  # the measures stay open
    expect(row).to_contain_text("$40.00")
    expect(row).to_contain_text("your price")
    after_comparison(page, lambda: page.fill("#text", "Hello, 🌍! 你好!"))
    expect(cell(page, "o200k_base")).to_have_text("8")
    expect(cell(page, "o200k_base", "change")).to_have_text(re.compile("^−"))  # the baseline stays
    expect(page.locator("#announce")).to_contain_text("o200k_base 8 tokens")
    after_comparison(page, lambda: page.evaluate(DROP, ["notes.txt", list(b"abc")]))
    expect(page.locator(".gist")).to_contain_text("3 characters")


def test_the_text_is_a_strip_above_the_table_until_it_is_edited(open_page):
    page = open_page("/compare", viewport={"width": 1280, "height": 800})
    after_comparison(page, lambda: page.fill("#text", "one line\n" * 200))
    page.locator("#result").focus()
    assert page.locator(".tally").bounding_box()["y"] < 420
    folded = page.locator("#text").bounding_box()["height"]
    assert folded < 190
    page.locator("#text").focus()
    assert page.locator("#text").bounding_box()["height"] > 1.5 * folded


def test_why_opens_under_its_row_and_an_example_marks_its_places(compare):
    page = compare("python")
    row = page.locator(".tally tr[data-tokenizer=mistral-v1]")
    after_comparison(page, lambda: row.get_by_role("button", name="Why").click())
    why = page.locator("tr[data-tokenizer=mistral-v1] + tr.explained")
    expect(why).to_contain_text("Mistral 7B v0.1 · mistral-v1 needs")
    labels = why.locator(".examples bdi").all_inner_texts()
    assert len(labels) == len(set(labels)) > 4
    example = why.locator(".examples button", has_text="two digits").first
    after_comparison(page, lambda: example.click())
    expect(page.locator(".turning mark")).to_have_text("two digits")
    expect(page.locator(".examples [aria-pressed=true]")).to_have_count(1)
    spotted = page.locator(".seg.spotted bdi").all_text_contents()
    assert "".join(spotted).strip().isdigit()
    page.get_by_role("button", name="Next →").click()
    expect(page.locator(".seg.here.spotted")).to_be_in_viewport()
    after_comparison(page, lambda: page.get_by_role("button", name="Show all differences").click())
    expect(page.locator(".seg.spotted")).to_have_count(0)
    after_comparison(page, lambda: row.get_by_role("button", name="Why").click())
    expect(page.locator("tr.explained")).to_have_count(0)


def test_claude_is_chosen_as_a_row_and_llama_is_offered_in_its_row(open_page):
    page = open_page("/compare?text=1234567&tokenizer=o200k_base")
    field = page.get_by_role("combobox", name="Tokenizers")
    for typed, name in (("claude opus", "Claude Opus 5"), ("llama 4", "Llama 4")):
        field.click()
        field.fill(typed)
        after_comparison(page, lambda name=name: page.get_by_role("option").filter(has_text=name).first.click())
    assert rows(page) == ["o200k_base", "claude-opus-5", "llama-4"]
    expect(cell(page, "claude-opus-5")).to_have_text("about ~ 3–6")
    expect(page.locator("[data-note]")).to_have_count(0)
    page.get_by_role("link", name="Download Llama 4").click()
    expect(page.get_by_role("dialog")).to_contain_text("Llama 4")


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
    expect(cell(page, "o200k_base")).to_have_text("8")
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
    assert rows(page) == [*FOUR, "characters"]
    after_comparison(page, lambda: page.get_by_role("button", name="Remove Mistral 7B").click())
    assert rows(page) == chosen(page) == ["o200k_base", "cl100k_base", "bert-base-uncased", "characters"]
    for one in ("mistral-v1", "gpt2", "words", "bytes"):
        tick(page, one)
        assert rows(page)[-1] == one
    expect(page.locator("#full")).to_be_visible()
    page.get_by_role("combobox", name="Tokenizers").fill("t5")
    expect(page.get_by_role("option").first).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    assert len(rows(page)) == 8
    page = open_page("/compare?tokenizer=gpt2")
    tick(page, "gpt2")
    expect(page.locator("#result")).to_contain_text("Choose one to eight tokenizers")
    page.get_by_role("combobox", name="Tokenizers").fill("t5")
    expect(page.get_by_role("option").first).not_to_have_attribute("aria-disabled", "true")


def test_the_address_remembers_all_that_was_chosen(compare, open_page, watch):
    page = compare()
    after_comparison(page, lambda: page.fill("#text", "geheim 1234567"))
    tick(page, "characters")
    after_comparison(page, lambda: page.get_by_role("button", name="Mistral 7B v0.1 · mistral-v1", exact=True).click())
    page.locator(".measures > summary").click()
    after_comparison(page, lambda: page.locator("[name='price:GPT-4o']").fill("7") or page.keyboard.press("Tab"))
    expect(page.locator("#said")).to_be_empty()
    open_menu(page)
    page.click("#link")
    expect(page.locator("#said")).to_contain_text("Link copied")
    link = page.evaluate("() => navigator.clipboard.readText()")
    assert link == page.url
    other = open_page("/docs")
    other.goto(link)
    expect(other.locator(".turning")).to_contain_text("Different in 5 places")
    assert other.input_value("#text") == "geheim 1234567"
    assert other.locator("[name=order]").input_value() == " ".join([*FOUR, "characters"])
    expect(other.locator("[name='price:GPT-4o']")).to_have_value("7")
    expect(cell(other, "o200k_base", "change")).to_have_text("−40 %")
    assert all("geheim" not in request.url and "#" not in request.url.replace(link, "") for request in watch.requests)


def test_lanes_stand_below_the_characters_that_their_tokens_cover(compare):
    page = compare()
    edges = page.locator(".seg").evaluate_all("""all => all.map((one) => {
      const place = ({ left, right }) => [Math.round(left), Math.round(right)];
      const parts = [one.querySelector("bdi"), ...one.querySelectorAll(".lane")];
      return parts.map((part) => place(part.getBoundingClientRect()));
    })""")
    assert all(len({*map(tuple, parts)}) == 1 for parts in edges)
    names, lanes = page.evaluate(
        """() => [".lane-names span", ".seg .lane"].map((all) => [...document.querySelectorAll(all)].slice(0, 4)
             .map((one) => Math.round(one.getBoundingClientRect().top)))"""
    )
    assert names == lanes


def test_places_are_gone_through_across_the_parts_of_a_long_text(compare):
    page = compare()
    forth, back = page.get_by_role("button", name="Next →"), page.get_by_role("button", name="← Previous")
    places = ((forth, 0), (forth, 1), (back, 0), (forth, 1), (forth, 2), (forth, 3), (forth, 3))
    for button, place in places:
        button.click()
        expect(page.locator(".seg.here")).to_have_attribute("data-place", f"{place}")
    after_comparison(page, lambda: page.fill("#text", "abc " * 6000 + "1234567"))
    expect(page.locator(".parts-of")).to_contain_text("Part 1 of")
    after_comparison(page, lambda: forth.click())
    expect(page.locator(".seg.here")).to_be_in_viewport()
    expect(page.locator(".seg.here")).to_have_attribute("data-place", "0")
    assert re.search(r"Part (\d+) of \1\b", page.locator(".parts-of").inner_text())


def test_tables_and_charts_are_downloaded(compare):
    page = compare()
    for name, begin in {
        "summary.csv": "tokenizer,",
        "costs.csv": "model,",
        "summary.svg": "<?xml",
        "agreement.csv": ",o200k",
        "agreement.svg": "<?xml",
    }.items():
        open_menu(page)
        with page.expect_download() as waiting:
            page.locator(f"[formaction='/compare/download'][value='{name}']").click()
        assert waiting.value.suggested_filename == name
        assert waiting.value.path().read_text().lstrip().startswith(begin)
    assert rows(page) == FOUR


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
    after_comparison(page, lambda: page.get_by_role("button", name="Why").first.click())
    page.locator(".measures summary").evaluate_all("all => all.forEach((one) => one.click())")
    page.locator(".seg").first.hover()
    assert findings(page) == []


def test_counts_and_prices_are_in_sight_on_a_phone_and_lanes_wrap_with_their_text(compare):
    page = compare("python", viewport={"width": 390, "height": 844})
    row = page.locator(".tally tr[data-tokenizer=o200k_base]")
    assert row.bounding_box()["y"] < 600
    for cell in row.locator("td:visible").all():
        box = cell.bounding_box()
        assert box["x"] + box["width"] <= 390
    expect(row.locator(".per-requests")).to_have_text("$0.18")
    words = page.locator(".lane-word").evaluate_all("all => all.map((one) => one.getBoundingClientRect().right)")
    assert max(words) <= 390
    page = compare("python", viewport={"width": 320, "height": 800})
    assert too_narrow(page) == []
    page.locator(".measures > summary").click()
    assert too_narrow(page) == []


def test_on_a_phone_the_table_keeps_its_columns_when_a_row_is_explained(compare):
    page = compare("python", viewport={"width": 390, "height": 844})
    prices = page.locator(".tally thead .per-requests")
    fonts_loaded(page)
    before = prices.bounding_box()
    after_comparison(page, lambda: page.locator(".tally").get_by_role("button", name="Why").first.click())
    assert page.locator("tr.explained").count() == 1
    fonts_loaded(page)
    now = prices.bounding_box()
    assert [now[side] for side in ("x", "width")] == [before["x"], before["width"]]


def test_the_page_opens_with_the_text_of_the_playground_in_five_tokenizers(open_page):
    page = open_page("/compare")
    assert page.input_value("#text") == open_page("/").input_value("#text")
    assert rows(page) == OPENING
    assert page.locator(".tally tbody th").all_inner_texts() == page.locator("[data-unpick]").all_inner_texts()
