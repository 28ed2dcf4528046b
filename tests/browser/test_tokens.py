"""What is typed comes back as the tokens that /tokenize gives."""

import re

import pytest
from playwright.sync_api import expect
from tokenarium.web.forms import fold

from tests.conftest import TIER
from tests.support.deeds import after, choose, count, open_menu, show_together, type_text
from tests.support.strings import NASTY

READ = """() => {
  const of = (selector) => [...document.querySelectorAll(selector)];
  const text = of(".window .text").map((region) => {
    const copy = region.cloneNode(true);
    copy.querySelectorAll("[data-code='0']").forEach((chip) => chip.replaceWith("\\0".repeat(chip.dataset.times)));
    return copy.textContent;
  }).join("");
  const bytes = of(".window .by").map((one) => one.textContent);
  const indexes = (selector) => of(selector).map((one) => Number(one.dataset.i)).sort((a, b) => a - b);
  return { text, bytes, ids: of(".window .id").map((one) => Number(one.textContent)),
           inText: indexes(".window .tok"), inIds: indexes(".window .ids .id"), inBytes: indexes(".window .by") };
}"""


def assert_true(page, base, tokenizer, text):
    """The page shows the text unchanged, and the tokens of the JSON answer in every view."""
    shown = page.evaluate(READ)
    answer = page.request.post(f"{base}/tokenize", data={"tokenizer": tokenizer, "text": text}).json()
    assert shown["text"] == text
    assert shown["ids"] == answer["ids"]
    assert shown["inText"] == shown["inIds"] == shown["inBytes"] == list(range(answer["count"]))
    assert count(page) == f"{answer['count']:,}"
    raws = [bytes.fromhex(p["bytes_hex"]) if isinstance(p, dict) else None for p in answer["pieces"]]
    assert all(raw is None or raw.hex(" ").upper() == seen for raw, seen in zip(raws, shown["bytes"], strict=True))


TYPED = [fold(text) for text in NASTY.values() if text]
STEP = 1 if TIER == "nightly" else 3
"""Nightly each of three tokenizers is given every nasty string, before a commit every third."""


@pytest.mark.parametrize(("first", "tokenizer"), [*enumerate(["o200k_base", "bert-base-uncased", "mistral-v3"])])
def test_every_nasty_string_typed_shows_its_tokens(page, base, first, tokenizer):
    show_together(page)
    choose(page, tokenizer)
    for text in TYPED[first % STEP :: STEP]:
        type_text(page, text)
        assert_true(page, base, tokenizer, text)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "tokenizer", ["gpt2", "tekken", "mistral-v1", "udhr-unigram-16k", "characters", "bytes", "words", "o200k_harmony"]
)
def test_other_tokenizers_show_theirs(page, base, tokenizer):
    """Before a commit `tests/web/pages/test_tokenize.py` holds each page equal to the tokens, without a browser."""
    show_together(page)
    choose(page, tokenizer)
    for name in ("globe", "family", "hindi", "arabic", "specials"):
        type_text(page, NASTY[name])
        assert_true(page, base, tokenizer, NASTY[name])


def test_counts_are_true_announced_and_in_sight(page):
    names = ("tokens", "characters", "bytes", "words", "bytes-per-token", "tokens-per-word", "distinct")
    assert [count(page, name) for name in names] == ["8", "13", "20", "2", "2.50", "4.00", "7"]
    cell = page.locator(".split")
    expect(cell).to_have_count(1)  # the globe
    assert cell.locator(".part").evaluate_all("parts => parts.map(p => getComputedStyle(p, '::before').content)") == [
        '"20 F0 9F 8C"',
        '"8D"',
    ]
    assert "\ufffd" not in page.content()
    type_text(page, "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน")
    assert [count(page, name) for name in ("words", "tokens-per-word")] == ["–", "–"]
    type_text(page, "one\ntwo\nthree")
    expect(page.locator("#announce")).to_have_text("5 tokens, 13 characters")
    assert [count(page, name) for name in ("characters", "words")] == ["13", "3"]
    expect(page.locator(".notes .cutter")).to_have_text("GPT-5 · o200k_base · computed with tiktoken.")
    expect(page.locator(".notes .note")).to_have_count(0)
    type_text(page, "line\n" * 200)
    page.mouse.move(900, 500)
    page.mouse.wheel(0, 3000)
    expect(page.locator(".counts")).to_be_in_viewport()


def test_the_count_follows_while_one_types_and_the_last_key_wins(page, base):
    show_together(page)
    type_text(page, "x")
    page.evaluate(
        """() => { window.counts = new Set(); new MutationObserver(() => window.counts.add(
             document.querySelector("[data-count=characters]").textContent)).observe(
             document.getElementById("summary"), { subtree: true, childList: true }); }"""
    )
    typed = "x"  # without a pause, until ten counts were seen on the way, however slow the machine
    while page.evaluate("() => window.counts.size") < 10:
        assert len(typed) < 600
        page.locator("#text").press_sequentially(" and so on", delay=60)
        typed += " and so on"
    expect(page.locator("[data-count=characters]")).to_have_text(f"{len(typed)}")
    assert_true(page, base, "o200k_base", typed)


def test_a_stale_answer_never_replaces_a_newer_one(page):
    held = []

    def hold_the_first(route):
        if held or "slow" not in (route.request.post_data or ""):
            route.continue_()
        else:
            held.append(route)

    page.route("**/", hold_the_first)
    with page.expect_request(lambda request: "slow" in (request.post_data or "")):
        page.fill("#text", "slow")
    page.fill("#text", "quick")
    # A choice replaces the request under way.
    after(page, lambda: page.check("[name=view][value=ids]", force=True))
    held[0].abort()
    after(page, lambda: page.check("[name=view][value=text]", force=True))
    expect(page.locator(".window .text")).to_have_text("quick")


def test_white_space_is_visible_on_request_not_and_letters_have_one_width(page):
    type_text(page, "a b\tc\nd     e")
    mark = "([selector, name]) => getComputedStyle(document.querySelector(`.text ${selector}`), name)"
    face = "() => getComputedStyle(document.querySelector('.text')).fontFamily"
    page.click("#options summary")
    assert page.evaluate(f"({mark})(['.nl', '::before']).content") == '"↵" / ""'
    assert page.evaluate(f"({mark})(['.tab', '::before']).content") == '"→" / ""'
    assert "radial-gradient" in page.evaluate(f"({mark})(['.spaced', null]).backgroundImage")
    assert "radial-gradient" in page.evaluate(f"({mark})(['.sp', null]).backgroundImage")
    assert page.locator(".window .text").evaluate("e => e.textContent") == "a b\tc\nd     e"
    assert "monospace" not in page.evaluate(face)
    page.check("#fixed")
    assert "monospace" in page.evaluate(face)
    page.uncheck("#spaces")
    assert page.evaluate(f"({mark})(['.nl', '::before']).content") == '""'
    page.wait_for_url(re.compile("#"))  # which was written before
    page.reload()  # both are remembered
    page.click("#options summary")
    expect(page.locator("#spaces")).not_to_be_checked()
    expect(page.locator("#fixed")).to_be_checked()


def test_tokens_look_different_by_kind_and_boundaries_are_seen_without_colour(page):
    type_text(page, "a\u200bb\u202ec\ufeff\0")
    names = page.locator(".text .chip").evaluate_all("all => all.map(c => getComputedStyle(c, '::before').content)")
    assert names == ['"ZWSP"', '"RLO"', '"BOM"', '"NUL"']
    type_text(page, "unhappily")
    widths = page.locator(".text .tok").evaluate_all("all => all.map(t => getComputedStyle(t).borderInlineStartWidth)")
    assert len(widths) > 1
    assert set(widths) == {"1px"}
    choose(page, "bert-base-uncased")
    type_text(page, "É 𓀀")
    page.click("#options summary")
    after(page, lambda: page.check("[name=template]"))
    marks = page.locator(".text .tok").evaluate_all("all => all.map(t => t.classList[t.classList.length - 1])")
    assert marks == ["special", "changed", "unknown", "special"]


def test_a_tab_shows_tokens_ids_bytes_or_the_table_with_even_columns(page):
    expect(page.locator(".ids")).to_have_count(0)
    after(page, lambda: page.get_by_role("radio", name="Ids").check(force=True))
    assert page.locator(".ids .id").all_inner_texts() == ["13225", "11", "130321", "235", "0", "220", "177519", "0"]
    after(page, lambda: page.get_by_role("radio", name="Bytes").check(force=True))
    assert page.locator(".bytes .by").all_inner_texts()[2:4] == ["20 F0 9F 8C", "8D"]
    after(page, lambda: page.get_by_role("radio", name="Table").check(force=True))
    expect(page.locator(".window .text")).to_have_count(0)
    assert page.locator(".tokens tbody tr").count() == 8
    assert page.locator(".tokens tbody tr").nth(2).locator("td").all_inner_texts()[4:] == ["6–10", "6–8", "normal"]
    type_text(page, "one, two  three 1")
    cells = page.locator(".tokens td.id")
    expect(cells).to_have_count(int(count(page)))
    widths = "all => all.map(one => one.getBoundingClientRect().width)"  # at once: a font may yet come
    assert len({round(width) for width in cells.evaluate_all(widths)}) == 1
    spaces = page.locator(".tokens .piece .sp").evaluate_all(widths)
    assert len(spaces) >= 3
    assert all(width > 2 for width in spaces)


def test_options_are_offered_where_they_mean_something_and_special_tokens_follow_theirs(page):
    page.click("#options summary")
    engine, marks = page.locator(".only-scratch"), page.locator(".only-template")
    expect(engine).to_be_visible()
    expect(marks).to_be_hidden()
    choose(page, "characters")
    expect(engine).to_be_hidden()
    choose(page, "bert-base-uncased")
    after(page, lambda: page.check("[name=template]"))
    assert page.locator(".inserted").evaluate_all("all => all.map(t => t.dataset.label)") == ["[CLS]", "[SEP]"]
    choose(page, "o200k_base")
    after(page, lambda: page.check("[name=engine][value=scratch]", force=True))
    expect(page.locator(".cutter")).to_contain_text("computed from scratch")
    show_together(page)
    open_menu(page, "Examples")
    after(page, lambda: page.click("[name=example][value=injection]"))
    as_text = count(page)
    choose(page, "o200k_harmony")
    after(page, lambda: page.check("[name=special][value=parse]", force=True))
    expect(page.locator(".ids")).to_contain_text("199999")
    assert count(page) != as_text
    after(page, lambda: page.check("[name=special][value=refuse]", force=True))
    expect(page.locator("#result [role=alert]")).to_contain_text("spelled out at code point")
    after(page, lambda: page.check("[name=special][value=text]", force=True))
    expect(page.locator("#result [role=alert]")).to_have_count(0)


def test_every_example_fills_the_box_and_shows_its_tokens(page, base):
    show_together(page)
    for button in page.locator("[name=example]").all():
        open_menu(page, "Examples")
        after(page, button.click)
        assert_true(page, base, "o200k_base", page.input_value("#text"))


def test_an_empty_box_has_no_tokens_and_what_was_cleared_or_replaced_comes_back(page):
    page.click("#clear")
    expect(page.locator(".counts dd")).to_have_text(["0", "0", "0"])
    expect(page.locator(".empty")).to_contain_text("Paste a text, or try:")
    after(page, lambda: page.locator(".empty").get_by_role("button", name="Emoji").click())
    expect(page.locator("#text")).to_have_value(re.compile("^Plain 🙂"))
    page.click("#clear")
    type_text(page, "my own words")
    expect(page.locator("#text")).to_be_focused()
    page.click("#clear")
    after(page, lambda: page.get_by_role("button", name="Undo").click())
    expect(page.locator("#text")).to_have_value("my own words")
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()
    open_menu(page, "Examples")
    after(page, lambda: page.click("[name=example][value=hindi]"))
    expect(page.locator("#text")).not_to_have_value("my own words")
    page.locator("#text").press("Control+z")
    expect(page.locator("#text")).to_have_value("my own words")


def test_tokens_are_laid_out_and_copied_as_the_text_is(page):
    type_text(page, "Hello, 🌍!\n  你好")
    page.locator(".window .text").evaluate("one => getSelection().selectAllChildren(one)")
    page.keyboard.press("Control+c")
    assert page.evaluate("() => navigator.clipboard.readText()") == "Hello, 🌍!\n  你好"
    type_text(page, '{"users":' + ",".join(f'{{"id":{i},"name":"user{i}"}}' for i in range(40)) + "}")
    (left, width), *ends = page.locator(".window").evaluate(
        """window => [window.querySelector(".text"), ...window.querySelectorAll(".tok")]
             .map(one => one.getBoundingClientRect()).map((b, at) => at ? [b.top, b.right] : [b.left, b.width])"""
    )
    lines = {}
    for top, right in ends:
        lines[round(top)] = max(right, lines.get(round(top), 0))
    full = [right - left for top, right in sorted(lines.items())[:-1]]
    assert len(full) > 2  # without spaces, too
    assert min(full) > 0.85 * width
    choose(page, "bytes")
    for text, runs_left in (("שלום 🌍", True), ("hello 🌍", False), ("سلام", True)):
        type_text(page, text)
        parts = page.locator(".split").last.locator(".part")
        edges = parts.evaluate_all("all => all.map(one => one.getBoundingClientRect().left)")
        assert (edges == sorted(edges, reverse=True)) == runs_left


def test_a_server_that_is_gone_is_told(page, watch):
    watch.allowed += ["net::", "Failed to fetch", "htmx:error"]
    page.route("**/", lambda route: route.abort())
    page.fill("#text", "anything")
    expect(page.locator("#said")).to_contain_text("Can’t reach the server. These results are out of date")
    expect(page.locator("#result")).to_have_attribute("data-stale", "")


def test_the_picker_opens_in_sight_below_a_long_text(page):
    type_text(page, "line\n" * 300)
    page.locator(".picker-field").click()
    expect(page.locator(".picker-row[aria-selected=true]").first).to_be_in_viewport(ratio=1)
    box = page.locator(".picker-rows").bounding_box()
    assert 0 <= box["y"] <= 900 - box["height"]
