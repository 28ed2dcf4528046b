"""The engines compared live: on a text of one's own, pair by pair, until all are compared or it is cancelled."""

import json
import re

from playwright.sync_api import expect

from tests.support.axe import findings

FEW = """(ids) => document.querySelectorAll("[data-pair]").forEach((one) =>
  ids.includes(one.dataset.pair) || one.closest("tr").remove())"""


def test_every_pair_is_compared_on_the_text_of_the_visitor(open_page):
    page = open_page("/conformance", color_scheme="dark")
    page.evaluate(FEW, ["gpt2", "bert-base-uncased"])
    page.fill("#text", "Hello, 🌍!")
    page.get_by_role("button", name=re.compile("^Compare all")).click()
    expect(page.locator("#outcome")).to_have_text("All 2 pairs agree on every token of this text.")
    expect(page.locator("#doing")).to_have_text("2 of 2 pairs compared")
    expect(page.locator("[data-pair=gpt2]")).to_have_text("agree, 6 tokens")
    assert findings(page) == []
    page.locator("#text").press_sequentially("?")
    expect(page.locator("[data-pair=gpt2]")).to_be_empty()


def test_a_difference_is_shown_with_the_tokens_around_it(open_page):
    page = open_page("/conformance")
    page.evaluate(FEW, ["gpt2", "bert-base-uncased"])
    lines = [
        {"tokenizer": "gpt2", "agrees": True, "tokens": 1},
        {
            "tokenizer": "bert-base-uncased",
            "agrees": False,
            "tokens": 2,
            "difference": {
                "index": 1,
                "stage": "model",
                "start": 0,
                "reference": [[7, "a"], [8, "b"]],
                "scratch": [[7, "a"], [9, "c"]],
            },
        },
    ]
    page.route("**/api/conformance", lambda route: route.fulfill(body="".join(f"{json.dumps(one)}\n" for one in lines)))
    page.get_by_role("button", name=re.compile("^Compare all")).click()
    expect(page.locator("#outcome")).to_have_text("1 pair agrees; 1 pair differs.")
    expect(page.locator("#differences li")).to_contain_text(
        "bert-base-uncased: the first token that differs has the index 1; the engines diverge in the stage model."
    )
    expect(page.locator("#differences .first")).to_have_text(["b8", "c9"])
    expect(page.locator("[data-pair=bert-base-uncased]")).to_have_text("differ from token 1 on")


def test_a_comparison_is_cancelled_with_the_keyboard_and_a_text_that_is_too_long_is_refused(open_page):
    page = open_page("/conformance", viewport={"width": 390, "height": 900})
    page.fill("#text", "Hello " * 16_000)  # which takes longer than to cancel it
    begin = page.get_by_role("button", name=re.compile("^Compare all"))
    pairs = re.search(r"\d+ pairs", begin.inner_text()).group()  # also of what other tests have added
    begin.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#outcome")).to_have_text(re.compile(rf"^Cancelled after \d+ of {pairs}\.$"))
    expect(page.get_by_role("button", name=re.compile("^Compare all"))).to_be_focused()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.fill("#text", "a" * 100_001)
    page.get_by_role("button", name=re.compile("^Compare all")).click()
    expect(page.locator("#outcome")).to_have_text(
        "The text has 100,001 bytes; all pairs are compared on at most 100,000."
    )
