"""The regex lab's page and API."""

import html
import re

import pytest

from tests.support.strings import NASTY

ALERT = re.compile(r'role="alert" data-code="([a-z-]+)"')
AREA = re.compile(r'<textarea id="(\w+)"[^>]*>\n(.*?)</textarea>', re.DOTALL)


def areas(page):
    return {name: html.unescape(text) for name, text in AREA.findall(page)}


def said(page):
    """A page without its tags, in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def test_the_api_answers_with_words_engines_explanation_and_tokens(ask):
    sent = {"pattern": r"\p{L}+|\d", "text": "ab-1", "other": r"\p{L}", "tokenizer": "gpt2"}
    answer = ask("POST", "/api/regex", json=sent)
    assert answer.status_code == 200
    done = answer.json()
    assert [(word["text"], word["matched"], word["alternative"]) for word in done["words"]] == [
        ("ab", True, 0),
        ("-", False, None),
        ("1", True, 1),
    ]
    assert [one["meaning"] for one in done["alternatives"]] == [r"a match of \p{L}+", r"a match of \d"]
    assert [(row["name"], row["rule"], row["matches"]) for row in done["engines"]] == [
        ("tiktoken", "dropped", [[0, 2], [3, 4]]),
        ("tokenizers", "kept as words", [[0, 2], [3, 4]]),
        ("ours, as tiktoken", "dropped", [[0, 2], [3, 4]]),
        ("ours, as tokenizers", "kept as words", [[0, 2], [3, 4]]),
    ]
    assert done["examined"][0]["parts"][0]["words"] == "one or more times: a letter of any script"
    assert done["examined"][0]["backtracking"]["growth"] == "linear"
    assert [(place["start"], place["end"]) for place in done["differences"]] == [(0, 2), (2, 4)]
    assert done["tokens"]["own"]["ids"] == [397, 12, 16]
    assert done["tokens"]["changed"] == {"ids": [397, 16], "differing": 0, "dropped_bytes": 1}


def test_the_api_lists_the_published_patterns(ask):
    listed = {one["id"]: one for one in ask("GET", "/api/regex/presets").json()}
    assert listed["llama3"]["patterns"][0].startswith(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+")
    assert (len(listed["deepseek-v3"]["patterns"]), listed["deepseek-v3"]["dialect"]) == (3, "tokenizers")
    assert "\n" not in "".join(listed["deepseek-v3"]["patterns"])


def test_a_catastrophic_pattern_is_shown_with_its_string_and_with_the_engines_that_give_up(ask):
    done = ask("POST", "/api/regex", json={"pattern": "(?:(?:a|a)+)+(?=c)", "text": "abc"}).json()
    worst = done["examined"][0]["backtracking"]
    assert (worst["growth"], worst["text"]) == ("exponential", "a" * 30 + "\x01")
    problems = {row["name"]: row["problem"] for row in worst["engines"]}
    assert "exceeded its backtracking limit" in problems["tiktoken"]
    assert "retry-limit-in-match over" in problems["tokenizers"]
    page = ask("POST", "/regex", data={"pattern": "(?:(?:a|a)+)+(?=c)", "text": "abc"}).text
    assert "Catastrophic backtracking." in page
    assert "gives up" in page


def test_the_page_opens_with_gpt_4s_pattern_and_needs_no_script(ask):
    page = ask("GET", "/regex").text
    assert areas(page)["pattern"].startswith("'(?i:[sdmt]|ll|ve|re)|")
    assert '<dd data-count="matches">30</dd>' in page
    assert '<dd data-count="gaps">0</dd>' in page
    assert re.findall(r'data-count="(?:own|changed)">(\d+)', page) == ["43", "46"]
    assert "character 3: 2024, tiktoken has 202" in said(page)


def test_an_address_carries_the_whole_state(ask):
    typed = {"pattern": r"\d", "text": "a1", "other": "a", "tests": "a|1"}
    page = ask("GET", "/regex", params=typed | {"dialect": "tokenizers", "tokenizer": "cl100k_base"}).text
    assert areas(page) == typed
    assert 'name="dialect" value="tokenizers" checked' in page
    assert '<option value="cl100k_base" selected' in page


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_button_fills_in_a_published_pattern(ask, method):
    fields = {"pattern": "x", "text": "12", "tokenizer": "gpt2"}
    how = {"params" if method == "GET" else "data": {**fields, "preset": "deepseek-v3"}}
    page = ask(method, "/regex", **how)
    assert page.status_code == 200
    assert areas(page.text)["pattern"].count("\n") == 2
    assert 'name="dialect" value="tokenizers" checked' in page.text
    assert areas(page.text)["text"] == "12"
    how = {"params" if method == "GET" else "data": {**fields, "second": "gpt2"}}
    assert areas(ask(method, "/regex", **how).text)["other"].startswith("'s|'t")
    how = {"params" if method == "GET" else "data": {**fields, "example": "h"}}
    assert areas(ask(method, "/regex", **how).text)["pattern"] == r"\h+"


def test_what_was_typed_stays_in_the_form_of_a_refused_pattern(ask):
    sent = {"pattern": "(<b>", "text": "</textarea><b>", "other": "y", "dialect": "tokenizers", "tokenizer": "gpt2"}
    answer = ask("POST", "/regex", data=sent)
    assert (answer.status_code, ALERT.findall(answer.text)) == (422, ["invalid"])
    assert "<b>" not in answer.text
    assert areas(answer.text) == {"pattern": "(<b>", "text": "</textarea><b>", "other": "y", "tests": ""}
    under = answer.text.partition('<textarea id="pattern"')[2].partition("</textarea>")[2]
    assert said(under).startswith("The group at character 1 of the pattern is never closed.")
    part = ask("POST", "/regex", data=sent, headers={"HX-Request": "true"})
    assert (part.status_code, "<html" in part.text, ALERT.findall(part.text)) == (422, False, ["invalid"])


def test_what_takes_longer_than_the_words_is_asked_for_by_itself(ask):
    sent = {"pattern": r"\p{L}+|\d", "text": "ab-1", "tokenizer": "gpt2"}
    words = ask("POST", "/regex", data=sent, headers={"HX-Request": "true"}).text
    assert '<dd data-count="matches">2</dd>' in words
    assert "one or more times: a letter of any script" in words
    assert "In every engine" not in words
    checks = ask("POST", "/regex/checks", data=sent, headers={"HX-Request": "true"}).text
    assert re.findall("<h2.*?>(.*?)</h2>", checks) == ["In every engine", "The tokens of GPT-2", "Backtracking"]
    slow = {"pattern": "(?:(?:a|a)+)+(?=c)|[^a]", "text": "a" * 28 + "b"}
    checks = ask("POST", "/regex/checks", data=slow, headers={"HX-Request": "true"}).text
    assert "Catastrophic backtracking. Repeat a before" in said(checks)


@pytest.mark.parametrize("name", NASTY)
def test_the_cells_of_a_nasty_text_join_to_it(ask, name):
    page = ask("POST", "/regex", data={"pattern": r"\w+", "text": NASTY[name], "tokenizer": ""}).text
    (region,) = re.findall(r'aria-label="Words of the pattern">(.*?)</div>', page, re.DOTALL) or [""]
    shown = html.unescape(re.sub(r"<[^>]*>", "", re.sub(r'<bdi[^>]*data-code="0"[^>]*></bdi>', "\0", region)))
    assert shown == NASTY[name].replace("\r\n", "\n").replace("\r", "\n")


def test_a_pattern_that_one_library_refuses_shows_its_message(ask):
    page = said(ask("POST", "/regex", data={"pattern": "(?P<x>a)", "text": "a", "tokenizer": ""}).text)
    assert "Refused. tokenizers refuses the pattern: Oniguruma error: undefined group option." in page
    assert "(?P at character 1 of the pattern is not supported." in page


def test_where_the_library_itself_matches_otherwise_the_page_says_so(ask):
    page = said(ask("POST", "/regex", data={"pattern": r"\h+", "text": "cafe \t x", "tokenizer": ""}).text)
    assert "tiktoken itself matches otherwise from character 0 on." in page
    page = said(ask("POST", "/regex", data={"pattern": r"\h+", "text": "cafe", "dialect": "tokenizers"}).text)
    assert "itself matches otherwise" not in page


def test_a_text_that_takes_too_long_is_refused_with_what_makes_the_pattern_slow(ask):
    sent = {"pattern": "(?:(?:a|a)+)+(?=c)|[^a]", "text": "a" * 28 + "b", "tokenizer": ""}
    answer = ask("POST", "/regex", data=sent)
    assert (answer.status_code, ALERT.findall(answer.text)) == (422, ["regex-timeout"])
    assert areas(answer.text)["text"] == sent["text"]
    assert "Catastrophic backtracking. Repeat a before" in said(answer.text)
    assert "Words of the pattern" not in answer.text


def test_the_lines_of_a_posted_pattern_end_where_the_browser_says(ask):
    page = ask("POST", "/regex", data={"pattern": "\\w+\r\n\\d", "text": "a1"}).text
    assert areas(page)["pattern"] == "\\w+\n\\d"
    assert said(page) == said(ask("POST", "/regex", data={"pattern": "\\w+\n\\d", "text": "a1"}).text)


def test_a_word_says_why_the_alternatives_before_did_not_match(ask):
    form = {"pattern": r"'(?:s|t)| ?\p{L}+|\p{N}{1,3}", "text": "In 1234", "at": "4"}
    page = said(ask("POST", "/regex/word", data=form).text)
    assert "Why 123" in page
    assert "1 '(?:s|t) ' (an apostrophe) fails at 1" in page
    assert r"2 ?\p{L}+ \p{L}+ (one or more times: a letter of any script) fails at 1" in page
    assert r"3 \p{N}{1,3} matches 123" in page
    gap = said(ask("POST", "/regex/word", data=form | {"at": "2", "pattern": r"\p{L}+|\s+(?!\S)"}).text)
    assert r"\s+(?!\S) takes , then (?!\S) (not followed by: anything but white space) fails at 1" in gap
    assert "No alternative matches at character 2: this is a gap." in gap


def test_the_tests_of_a_pattern_are_run(ask):
    form = {"pattern": r" ?\p{L}+|\p{N}{1,3}|\s", "text": "a", "tests": "In| |202|4\na1\n"}
    page = ask("POST", "/regex", data=form).text
    assert '<span data-count="passed">1</span> of 2 pass' in page
    assert areas(page)["tests"] == "In| |202|4\na1\n"
    assert 'data-add-test="a"' in page


def test_no_pattern_no_text_and_a_long_text_are_no_errors(ask):
    page = ask("POST", "/regex", data={"pattern": "", "text": "a"})
    assert (page.status_code, "Type a pattern" in page.text, ALERT.findall(page.text)) == (200, True, [])
    page = ask("POST", "/regex", data={"pattern": "a", "text": ""})
    assert (page.status_code, "Type a text to see its words." in page.text) == (200, True)
    page = ask("POST", "/regex", data={"pattern": r"\w+", "text": "ab " * 30_000})
    assert (page.status_code, "The first 5,000 of 90,000 characters are searched." in page.text) == (200, True)
