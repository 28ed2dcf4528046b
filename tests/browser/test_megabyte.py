"""A megabyte stays usable, also as one line, also without spaces."""

import random

import pytest
from playwright.sync_api import expect

from tests.support.deeds import after, count, open_menu, set_text, show_together

WORDS = ["the", "of", "and", "tokenizer", "merges", "reading", "language", "carefully", "water", "light", "bytes"]
rng = random.Random(7)
MEGABYTES = {
    "lines": "\n".join(" ".join(rng.choices(WORDS, k=12)) for _ in range(15_000))[:1_000_000],
    "one line": " ".join(rng.choices(WORDS, k=180_000))[:1_000_000],
    "chinese": "".join(chr(rng.randrange(0x4E00, 0x6000)) for _ in range(333_333)),
}


def all_text(page):
    return page.evaluate("() => [...document.querySelectorAll('.window .text')].map((e) => e.textContent).join('')")


@pytest.mark.parametrize(
    "kind", ["one line", *(pytest.param(one, marks=pytest.mark.nightly) for one in ("lines", "chinese"))]
)
def test_a_megabyte_is_counted_at_once_and_cut_where_it_is_looked_at(page, base, kind):
    text = MEGABYTES[kind]
    show_together(page)
    set_text(page, text)
    answer = page.request.post(f"{base}/tokenize", data={"tokenizer": "o200k_base", "text": text, "include": []}).json()
    assert count(page) == f"{answer['count']:,}"
    assert count(page, "bytes") == f"{len(text.encode()):,}"
    windows = page.locator(".window")
    expect(windows.first).to_have_class("window cut")
    expect(page.locator(".text .tok[data-i='0']")).to_be_visible()
    last = windows.count() - 1
    assert last > 100
    expect(windows.nth(last)).to_have_class("window wait")
    windows.nth(last).scroll_into_view_if_needed()
    expect(windows.nth(last)).to_have_class("window cut")
    expect(page.locator(f".ids [data-i='{answer['count'] - 1}']")).to_be_visible()
    assert all_text(page) == text


def test_a_pasted_megabyte_keeps_the_text_box_quick(page):
    page.evaluate("text => navigator.clipboard.writeText(text)", MEGABYTES["lines"])
    page.focus("#text")
    page.keyboard.press("Control+A")
    after(page, lambda: page.keyboard.press("Control+V"))
    assert count(page, "bytes") == "1,000,000"
    expect(page.locator("#text")).to_have_attribute("dir", "ltr")
    open_menu(page, "Examples")
    after(page, lambda: page.click("[name=example][value=arabic]"))
    expect(page.locator("#text")).to_have_attribute("dir", "auto")


def test_windows_far_away_become_plain_again(page):
    text = MEGABYTES["lines"][:300_000]
    set_text(page, text)
    for n in range(1, 33):
        with page.expect_response("**/window"):
            page.locator(f".window[data-n='{n}'] button[name=window]").evaluate("button => button.click()")
    expect(page.locator(".window[data-n='32']")).to_have_class("window cut")
    assert 20 < page.locator(".window.cut").count() < 30
    assert all_text(page) == text
