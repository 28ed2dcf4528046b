"""Two vocabularies as a page, as JSON and as CSV."""

import csv
import html
import io
import re

API, PAGE = "/api/compare/vocabularies", "/compare/vocabularies"


def said(page):
    """A page without its tags, in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def test_the_api_answers_with_all_that_is_compared(ask):
    answer = ask("GET", API, params={"a": "r50k_base", "b": "p50k_base", "text": "if x:\n        return"})
    assert answer.status_code == 200
    done = answer.json()
    assert [done[name] for name in ("a", "b", "shared", "only_a", "only_b", "moved", "runs")] == [
        *("r50k_base", "p50k_base", 50_256, 0, 24, 0, []),
    ]
    assert done["special_tokens"] == [{"token": "<|endoftext|>", "a": 50_256, "b": 50_256}]
    assert {name: done["merges"][name] for name in ("counts", "prefix", "equal", "listed")} == {
        "counts": [50_000, 50_024],
        "prefix": 50_000,
        "equal": False,
        "listed": False,
    }
    assert done["merges"]["only_b"][0] == {"place": 50_000, "made": "2020", "parts": ["20", "20"]}
    assert done["text"] == {"a": 12, "b": 6}
    assert [token["id"] for token in done["samples"]["b"][:2]] == [50_257, 50_258]
    assert sum(row["b"] for row in done["scripts"]) == 50_280
    assert {row["code"] for row in done["languages"]} >= {"eng", "tha"}


def test_models_are_named_as_everywhere(ask):
    assert ask("GET", API, params={"a": "GPT-2", "b": "gpt2"}).json()["a"] == "gpt2"


def test_the_csv_has_every_difference(ask):
    answer = ask("GET", API, params={"a": "mistral-v1", "b": "mistral-v3", "format": "csv"})
    assert answer.headers["content-disposition"] == 'attachment; filename="vocabularies.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    counts = {kind: sum(row["difference"] == kind for row in rows) for kind in {row["difference"] for row in rows}}
    assert counts == {"special": 748, "only b": 20, "moved": 31_872}
    moved = next(row for row in rows if row["difference"] == "moved" and row["text"] == "the")
    assert int(moved["id_b"]) - int(moved["id_a"]) == 768


def test_the_page_says_what_differs_and_needs_no_script(ask):
    page = ask("GET", PAGE, params={"a": "mistral-v1", "b": "mistral-v3", "text": "Hello"})
    assert page.status_code == 200
    assert re.findall(r'data-count="([\w-]+)">([\d,]+)<', page.text) == [
        *(
            ("shared", "31,873"),
            ("only-a", "0"),
            ("only-b", "20"),
            ("moved", "31,872"),
            ("text-a", "1"),
            ("text-b", "1"),
        ),
    ]
    text = said(page.text)
    assert "Both have the same 28,446 merges in the same order." in text
    assert "31,872 of 31,873 shared tokens (100.0 %) have another id, in 1 run of a constant shift." in text
    assert "3 to 31999+76831,872" in text.replace(" ", "").replace("3to31999", "3 to 31999")
    assert f"{PAGE}?a=mistral-v1&amp;b=mistral-v3&amp;script=Latin&amp;text=Hello" in page.text


def test_the_overlap_is_one_picture_with_the_names_of_the_picker(ask):
    page = ask("GET", PAGE, params={"a": "r50k_base", "b": "p50k_base"}).text
    assert '<svg viewBox="0 0 50280 24"' in page
    assert "shared with the same id, 100.0 %" in page
    assert page.count("GPT-3 · r50k_base") > 3


def test_samples_are_filtered_by_script(ask):
    page = said(ask("GET", PAGE, params={"a": "gpt2", "b": "whisper", "script": "Thai"}).text)
    assert "Tokens that only one has: Thai" in page
    assert re.search(r"Only in \S+( \S+)*: 0 None\.", page)


def test_special_tokens_and_texts_are_escaped(ask):
    page = ask("GET", PAGE, params={"a": "gpt2", "b": "r50k_base", "text": "</textarea><b>"}).text
    assert "<b>" not in page
    assert "&lt;|endoftext|&gt;" in page
