"""A program is written, run in the browser's own Python and compared; what goes wrong is said in plain words."""

import re

from playwright.sync_api import expect

from tests.support.axe import findings
from tests.support.programs import RIGHT, read_solutions

WASM = "**/pyodide.asm.wasm"
ESCAPES = {
    "import js; js.fetch('/healthz')": "AttributeError: fetch",
    "from pyodide.code import run_js; run_js('fetch(\"/healthz\")')": "cannot import name 'eval'",
    "from pyodide.http import open_url; open_url('/healthz')": "name 'XMLHttpRequest' is not defined",
    "from urllib.request import urlopen; urlopen('http://127.0.0.1/healthz')": "Host is unreachable",
}
"""Programs that ask for a page of the server, and what Python says."""


def check(page, program):
    page.get_by_label("Your program").fill(program)
    page.get_by_role("button", name="Check it").click()


def returned(page, row):
    return page.locator("[data-slide=checks] tr").nth(row).locator("td").nth(1)


def test_a_program_is_checked_and_stands_beside_the_teaching_file(open_page):
    page = open_page("/learn/write-it", color_scheme="dark", viewport={"width": 390, "height": 844})
    check(page, RIGHT)
    expect(page.get_by_role("heading", name="8 of 8 checks right")).to_be_visible()
    page.get_by_role("button", name="Compare with the teaching file").click()
    expect(page.get_by_role("cell", name="ids[i : i + 2] = [new]")).to_be_visible()
    assert findings(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_an_exercise_splits_by_gpt4s_pattern_in_the_browser(open_page):
    page = open_page("/learn/write-it/gpt4")
    right, wrong = read_solutions("gpt4")
    check(page, right)
    expect(page.get_by_role("heading", name="9 of 9 checks right")).to_be_visible()
    expect(page.locator("#said")).to_have_text("Your ids are those of tiktoken for these texts.")
    check(page, wrong[2][0])
    expect(page.get_by_role("heading", name="7 of 9 checks right")).to_be_visible()
    page.goto(page.url.replace("gpt4", "regex"))
    expect(page.get_by_label("Your program")).to_have_value(re.compile("class RegexTokenizer"))


def test_what_goes_wrong_has_its_line_and_what_is_printed_an_end(open_page):
    page = open_page("/learn/write-it")
    check(page, "print('ab' * 5000)\ndef merge(tokens, pair):\n    return [tokens[4]]")
    expect(page.get_by_role("heading", name="0 of 8 checks right")).to_be_visible()
    expect(returned(page, 1)).to_have_text("Nothing has this name. NameError: name 'most_frequent_pair' is not defined")
    expect(returned(page, 3)).to_have_text("['o']")
    expect(returned(page, 4)).to_have_text("Line 3: The index is outside the list. IndexError: list index out of range")
    expect(page.locator("[data-printed] pre")).to_have_text("ab" * 1000 + "…")
    check(page, "x = 1\ndef merge(")
    expect(page.locator("#said")).to_have_text("Line 2: Python cannot read this. SyntaxError: '(' was never closed")


def test_a_program_reaches_neither_the_page_nor_the_network(open_page):
    page = open_page("/learn/write-it")
    check(page, "raise ValueError('loaded')")
    expect(page.locator("#said")).to_have_text("Line 1: A value does not fit. ValueError: loaded")
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    for program, fault in ESCAPES.items():
        check(page, program)
        expect(page.locator("#said")).to_contain_text(fault)
    assert requests == []


def test_a_lost_connection_and_a_program_without_an_end_are_said_and_the_next_program_runs(open_page):
    page = open_page("/learn/write-it")
    page.clock.install()
    page.route(WASM, lambda route: route.abort())
    check(page, "while True: pass")
    expect(page.locator("#said")).to_contain_text("Python did not load: the connection was lost.")
    page.unroute(WASM)
    page.get_by_role("button", name="Check it").click()
    expect(page.locator("#said")).to_have_text("Checking…")
    page.clock.fast_forward(5000)
    expect(page.locator("#said")).to_have_text("Stopped after 5 seconds: does a loop never end?")
    expect(returned(page, 1)).to_have_text("It takes more than 5 seconds.")
    check(page, RIGHT)
    expect(page.get_by_role("heading", name="8 of 8 checks right")).to_be_visible()


def test_a_program_is_there_after_a_reload_until_one_starts_again(open_page):
    page = open_page("/learn/write-it")
    field = page.get_by_label("Your program")
    starter = field.input_value()
    field.fill("x = 1")
    page.reload()
    expect(field).to_have_value("x = 1")
    page.get_by_role("button", name="Start again").click()
    page.reload()
    expect(field).to_have_value(starter)
