"""The regex lab: a person types a pattern, takes a published one, and compares two."""

import re

from playwright.sync_api import expect

from tests.support.axe import findings


def after(page, act):
    """Do something that asks for matches, and wait until the answer is on the page."""
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.url.endswith("/regex")) as sent:
        act()
    expect(page.locator("#busy.htmx-request")).to_have_count(0)
    return sent.value


def checked(page, act):
    """Do the same, and wait until what takes longer than the words is on the page, too."""
    after(page, act)
    expect(page.locator("#checks[data-stale]")).to_have_count(0)
    expect(page.get_by_role("heading", name="In every engine", exact=True).first).to_be_visible()


def test_a_typed_pattern_is_matched_at_once_and_stays_in_the_address(open_page, base):
    page = open_page("/regex")
    pressed = page.get_by_role("group", name="Published patterns", exact=True).get_by_role("button", pressed=True)
    expect(pressed).to_have_text(["GPT-4"])
    after(page, lambda: page.get_by_role("button", name="Llama 3", exact=True).click())
    expect(pressed).to_have_text(["Llama 3"])
    after(page, lambda: page.locator("#pattern").press_sequentially("|x"))
    expect(pressed).to_have_count(0)
    after(page, lambda: page.fill("#text", "ab-12"))
    after(page, lambda: page.fill("#pattern", r"\p{L}+|\d"))
    expect(page.locator("[data-count=matches]")).to_have_text("3")
    expect(page.locator("[data-count=gaps]")).to_have_text("1")
    words = page.get_by_role("group", name="Words of the pattern")
    expect(words.locator(".tok")).to_have_text(["ab", "1", "2"])
    expect(words.locator(".gap")).to_have_text(["-"])
    expect(page.locator("#announce")).to_have_text("3 matches, 1 gap")
    page.wait_for_function("() => location.hash.length > 10")
    again = open_page("/" + page.url.removeprefix(base + "/"))
    expect(again.locator("#pattern")).to_have_value(r"\p{L}+|\d")
    expect(again.locator("[data-count=matches]")).to_have_text("3")


def test_a_published_pattern_beside_a_second_one(open_page):
    page = open_page("/regex", color_scheme="dark")
    after(page, lambda: page.fill("#text", "In 1234"))
    after(page, lambda: page.get_by_role("button", name="GPT-2", exact=True).click())
    expect(page.locator("#pattern")).to_have_value(re.compile(r"^'s\|'t"))
    page.get_by_text("Compare with a second pattern").click()
    second = page.get_by_role("group", name="Published patterns as the second")
    checked(page, lambda: second.get_by_role("button", name="GPT-4", exact=True).click())
    expect(page.get_by_role("heading", name="Beside the second pattern")).to_be_visible()
    expect(page.get_by_text("1 place differs.")).to_be_visible()
    rings = page.get_by_role("group", name="Words of the second pattern").locator(".ring")
    expect(rings).to_have_text([" ", "123", "4"])
    assert findings(page) == []


def test_where_engines_differ_is_reached_by_the_keyboard(open_page):
    page = open_page("/regex", viewport={"width": 390, "height": 900})
    page.get_by_text("Where engines differ").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name=r"\h: hex digit or blank").focus()
    checked(page, lambda: page.keyboard.press("Enter"))
    expect(page.locator("#text")).to_have_value("cafe \t x")
    row = page.locator("tr[data-engine='ours, as tiktoken']")
    expect(row).to_contain_text("character 0: no match begins, tiktoken has cafe")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert findings(page) == []


def test_a_catastrophic_pattern_is_warned_of_and_a_broken_one_is_told(open_page):
    page = open_page("/regex")
    checked(page, lambda: page.fill("#pattern", "(?:a|a)+c"))
    expect(page.get_by_text("Catastrophic backtracking.")).to_be_visible()
    expect(page.get_by_role("note")).to_contain_text("tokenizers: gives up.")
    assert findings(page) == []
    after(page, lambda: page.fill("#pattern", "(a"))
    expect(page.get_by_role("alert")).to_contain_text("missing ) at position 2")
    expect(page.locator("#pattern")).to_have_value("(a")


def test_a_pattern_that_is_half_typed_keeps_the_words_and_has_the_error_beneath(open_page):
    page = open_page("/regex")
    after(page, lambda: page.fill("#text", "ab12"))
    with page.expect_request(lambda one: one.url.endswith("/checks") and one.post_data_json["pattern"] == r"\d"):
        checked(page, lambda: page.fill("#pattern", r"\d"))
    after(page, lambda: page.locator("#pattern").press_sequentially("("))
    expect(page.locator("#pattern + [role=alert]")).to_contain_text("missing ) at position 3")
    expect(page.locator("#pattern")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("group", name="Words of the pattern").locator(".tok")).to_have_text(["1", "2"])
    expect(page.get_by_role("heading", name="In every engine", exact=True)).to_be_visible()
    assert findings(page) == []
    after(page, lambda: page.keyboard.press("Backspace"))
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator("#pattern")).not_to_have_attribute("aria-invalid", "true")


def test_a_pattern_that_is_typed_ends_the_work_on_the_one_before_and_dims_its_result(open_page):
    page = open_page("/regex")
    held = []
    page.route("**/regex", lambda route: held.append(route) if not held else route.continue_())
    expect(page.locator("#result:not([data-stale])")).to_be_visible()
    with page.expect_request("**/regex"):
        page.fill("#pattern", r"\p{L}+")
    expect(page.locator("#result")).to_have_attribute("data-stale", "")
    with page.expect_event("requestfailed") as failed:
        after(page, lambda: page.fill("#pattern", r"\d"))
    assert failed.value.post_data_json["pattern"] == r"\p{L}+"
    expect(page.locator("#result:not([data-stale])")).to_be_visible()
    expect(page.locator(".alternatives code")).to_have_text([r"\d"])


def test_checks_of_the_words_before_are_dimmed_until_those_of_the_new_ones_are_there(open_page):
    page = open_page("/regex")
    dimmed = []

    def answer(route):
        dimmed.append(page.locator("#checks").get_attribute("data-stale"))
        route.continue_()

    page.route("**/regex/checks", answer)
    checked(page, lambda: page.fill("#pattern", r"\d"))
    assert dimmed == [""]


def test_an_engineer_finds_why_a_pattern_splits_a_number_and_keeps_it_as_a_test(open_page, base):
    page = open_page("/regex")
    after(page, lambda: page.fill("#text", "pay 1234567"))
    words = page.get_by_role("group", name="Words of the pattern")
    expect(words.locator(".tok")).to_have_text(["pay", " ", "123", "456", "7"])
    words.get_by_text("456").click()
    why = page.locator(".why")
    expect(why).to_contain_text("one or more times, never giving back: a letter of any script")
    expect(why.get_by_role("listitem").last).to_contain_text("matches 456")
    expect(page.locator(".alternatives .lit code")).to_have_text(r"\p{N}{1,3}+")
    page.locator(".alternatives li").nth(1).hover()
    expect(words.locator(".lit")).to_have_text(["pay"])
    words.focus()
    page.keyboard.press("ArrowRight")
    expect(why).to_contain_text("Why 7")
    after(page, lambda: page.get_by_role("button", name="Keep these words as a test").click())
    expect(page.get_by_role("heading", name="Tests: 1 of 1 pass")).to_be_visible()
    checked(page, lambda: page.fill("#pattern", r"\p{N}+|\D"))
    expect(page.get_by_role("heading", name="Tests: 0 of 1 pass")).to_be_visible()
    assert findings(page) == []
    page.wait_for_function("() => location.hash.length > 10")
    again = open_page("/" + page.url.removeprefix(base + "/"))
    expect(again.get_by_role("heading", name="Tests: 0 of 1 pass")).to_be_visible()
