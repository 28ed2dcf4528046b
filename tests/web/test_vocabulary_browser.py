"""The browser of tokens: its API and its pages, with and without a script."""

import csv
import io

import pytest


def found(ask, id, **query):
    answer = ask("GET", f"/api/vocabulary/{id}/tokens", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_api_finds_tokens_by_text_bytes_id_and_pattern(ask):
    exact = found(ask, "o200k_base", q=" the", match="exact")
    assert exact["total"] == 1
    assert exact["tokens"] == [
        {
            "id": 290,
            "piece": " the",
            "text": " the",
            "bytes_hex": "20746865",
            "length": 4,
            "characters": 4,
            "kind": "normal",
            "script": "Latin",
            "prefix_space": True,
        }
    ]
    fragments = found(ask, "o200k_base", q="F0 9F 8C", by="bytes", match="ends")["tokens"]
    assert [token["id"] for token in fragments] == [64364, 130321]
    assert [token["id"] for token in found(ask, "gpt2", q="50256, 0-2", by="id")["tokens"]] == [0, 1, 2, 50256]
    numbers = found(ask, "cl100k_base", q="^[0-9]+$", by="regex", limit=1)
    assert (numbers["total"], numbers["tokens"][0]["piece"]) == (1110, "0")


def test_spellings_are_found_too(ask):
    assert found(ask, "bert-base-uncased", q="##ing", match="exact")["tokens"][0]["text"] == "ing"
    assert found(ask, "mistral-v1", q="▁the", match="exact")["tokens"][0]["text"] == " the"


def test_pages_follow_one_another(ask):
    whole = [token["id"] for token in found(ask, "gpt2", q="ing", ignore_case=True, limit=1000)["tokens"]]
    parts = [found(ask, "gpt2", q="ing", ignore_case=True, limit=300, offset=offset)["tokens"] for offset in (0, 300)]
    assert [token["id"] for part in parts for token in part] == whole[:600]


def test_the_longest_token_of_gpt2_comes_first_where_that_is_wished(ask):
    longest = found(ask, "gpt2", sort="bytes", descending=True, limit=1)["tokens"][0]
    assert (longest["id"], longest["length"]) == (35496, 128)


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({"q": "xyz", "by": "bytes"}, "/q"),
        ({"q": "5-1", "by": "id"}, "/q"),
        ({"q": "999999", "by": "id"}, "/q"),
        ({"q": "(a", "by": "regex"}, "/q"),
        ({"q": "(?:a{1000}){1000}", "by": "regex"}, "/q"),
        ({"script": "Klingon"}, "/script"),
        ({"shortest": 5, "longest": 2}, "/longest"),
        ({"by": "colour"}, "/by"),
        ({"limit": 0}, "/limit"),
    ],
)
def test_what_cannot_be_searched_for_is_refused_with_the_field(ask, query, pointer):
    answer = ask("GET", "/api/vocabulary/gpt2/tokens", params=query)
    assert (answer.status_code, answer.json().get("pointer")) == (422, pointer), answer.text


def test_a_pattern_that_explodes_is_stopped(ask):
    answer = ask("GET", "/api/vocabulary/gpt2/tokens", params={"q": "^(?:.|.)+(?:(?<=~)q|(?<=q)~)$", "by": "regex"})
    assert (answer.status_code, answer.json()["code"]) == (422, "regex-timeout")


def test_a_vocabulary_that_grows_is_refused(ask):
    answer = ask("GET", "/api/vocabulary/words/tokens")
    assert (answer.status_code, answer.json()["pointer"]) == (422, "/tokenizer")


def test_an_unknown_tokenizer_is_not_found(ask):
    assert ask("GET", "/api/vocabulary/org/none/tokens").status_code == 404


def test_the_csv_has_every_token(ask):
    answer = ask("GET", "/api/vocabulary/gpt2/tokens", params={"format": "csv"})
    rows = [*csv.DictReader(io.StringIO(answer.text, newline=""))]
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert len(rows) == 50257
    assert (rows[198]["piece"], rows[198]["bytes_hex"], rows[198]["script"]) == ("\n", "0a", "white space")
