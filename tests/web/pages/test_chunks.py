"""/chunks, its download, and POST /api/chunk: the same chunks everywhere."""

import html
import json
import re

SENT = {"text": "One. Two. Three.", "size": 4, "at": "sentence", "tokenizer": "gpt-4o"}
TOKENS = re.compile(r"data-tokens>([\d,]+)<")


def shown_text(page):
    """The text of the page's chunks without its tags."""
    (box,) = re.findall(r'<div class="text chunk-text.*?>(.*?)</div>', page, re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", box))


def test_the_api_answers_with_spans_and_tokens_that_differ(ask):
    answer = ask("POST", "/api/chunk", json=SENT)
    assert answer.status_code == 200
    first, second = answer.json()["chunks"]
    assert first == {
        "text": "One. ",
        "start": 0,
        "end": 5,
        "tokens": 3,
        "within": 3,
        "overlap": 0,
        "boundary": "sentence",
        "differing": [{"index": 2, "id": 220, "piece": " ", "start": 4, "end": 5}],
    }
    assert (second["text"], second["start"], second["boundary"]) == ("Two. Three.", 5, "end")


def test_the_page_shows_the_text_and_a_bar_for_each_chunk(ask):
    page = ask("POST", "/chunks", data=SENT).text
    assert shown_text(page) == SENT["text"]
    assert TOKENS.findall(page) == ["3", "4"]
    assert '<rect width="75.00" height="1"/>' in page
    assert "1 differ" in page


def test_an_overlap_is_drawn_once(ask):
    page = ask("POST", "/chunks", data={**SENT, "size": "4", "overlap": "2", "at": "token"}).text
    assert shown_text(page) == SENT["text"]
    assert 'title="in chunks 1 to 2"' in page


def test_the_first_visit_shows_chunks_of_an_example(ask):
    page = ask("GET", "/chunks").text
    assert '<option value="heading" selected>' in page
    assert max(int(tokens) for tokens in TOKENS.findall(page)) <= 32
    assert shown_text(page).startswith("# Chunks\n")


def test_the_download_has_the_chunks_of_the_api(ask):
    lines = ask("POST", "/chunks/download", data=SENT).text.splitlines()
    assert [json.loads(line) for line in lines] == ask("POST", "/api/chunk", json=SENT).json()["chunks"]


def test_a_refused_size_is_said_on_the_page_beside_the_text(ask):
    page = ask("POST", "/chunks", data={**SENT, "overlap": "3"})
    assert page.status_code == 422
    assert "overlap must be at most half of size: 2." in page.text
    assert ">\nOne. Two. Three.</textarea>" in page.text


def test_an_empty_text_is_no_error(ask):
    assert "Nothing to divide yet" in ask("POST", "/chunks", data={**SENT, "text": ""}).text
    assert ask("POST", "/api/chunk", json={**SENT, "text": ""}).json()["chunks"] == []
