"""POST /api/compare: measures of each tokenizer, a failure in its own column, where they part."""

import asyncio
import json

import httpx
import pytest
from tokenarium.lab.compare import comparison
from tokenarium.main import create_app
from tokenarium.settings import Settings
from tokenarium.web.services import get_services

from tests.conftest import asker

FOUR = ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased"]
EIGHT = [*FOUR, "bytes", "characters", "words", "gpt2"]
DIGITS = "1234567 + 7654321"


def compared(ask, text=DIGITS, tokenizers=FOUR, **options):
    answer = ask("POST", "/api/compare", json={"text": text, "tokenizers": tokenizers, **options})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_four_tokenizers_count_the_digits_differently(ask):
    found = compared(ask)
    assert [(one["tokenizer"], one["tokens"]) for one in found["columns"]] == [
        ("o200k_base", 8),
        ("cl100k_base", 8),
        ("mistral-v1", 17),
        ("bert-base-uncased", 9),
    ]
    assert found["baseline"] == "o200k_base"
    assert found["spread"] == 2.125
    assert [one["difference"] for one in found["columns"]] == [0, 0, 1.125, 0.125]


def test_counts_are_those_of_the_other_routes(ask):
    for one in compared(ask, "Hello, 🌍! 你好!", include=["ids"])["columns"]:
        alone = ask("POST", "/tokenize", json={"tokenizer": one["tokenizer"], "text": "Hello, 🌍! 你好!"}).json()
        assert one["ids"] == alone["ids"]
        assert one["tokens"] == alone["count"]


def test_the_difference_is_to_the_baseline_named(ask):
    found = compared(ask, baseline="mistral-v1")
    assert found["baseline"] == "mistral-v1"
    assert [round(one["difference"], 3) for one in found["columns"]] == [-0.529, -0.529, 0, -0.471]


def test_the_agreement_is_a_symmetric_matrix_with_ones(ask):
    found = compared(ask)["agreement"]
    assert found["tokenizers"] == FOUR
    assert found["matrix"][0][1] == 1.0
    assert all(found["matrix"][i][i] == 1.0 for i in range(4))
    assert all(found["matrix"][i][j] == found["matrix"][j][i] for i in range(4) for j in range(4))


def test_places_are_where_the_columns_part(ask):
    found = compared(ask, "the cats 12", ["o200k_base", "mistral-v1"], include=["places"])
    assert found["places"] == {"byte_starts": [9], "byte_ends": [11]}
    assert "agreement" not in found


def test_causes_say_why_a_tokenizer_needs_more_tokens_than_the_baseline(ask):
    found = compared(ask, "the cats 12", ["o200k_base", "mistral-v1", "bytes"], include=["causes"])
    assert found["causes"][0] == {"tokenizer": "mistral-v1", "extra": 1, "causes": [
        {"cause": "digits", "script": None, "extra": 1, "places": 1,
         "byte_starts": [9], "byte_ends": [11], "tokens": [2], "baseline_tokens": [1]},
    ]}  # fmt: skip
    assert [(one["cause"], one["extra"]) for one in found["causes"][1]["causes"]] == [("words", 6), ("digits", 1)]
    assert found["causes"][1]["extra"] == 7


def test_a_tokenizer_that_fails_shows_why_and_the_others_answer(ask):
    first, second = compared(ask, tokenizers=["nonesuch", "o200k_base"])["columns"]
    assert first["tokenizer"] == "nonesuch"
    assert (first["problem"]["status"], first["problem"]["code"]) == (404, "unknown-tokenizer")
    assert second["tokens"] == 8


def test_a_special_token_is_refused_only_where_it_is_one(ask):
    columns = compared(ask, "[CLS]", ["bert-base-uncased", "o200k_base"], special="refuse")["columns"]
    assert columns[0]["problem"]["code"] == "special-token"
    assert columns[1]["tokens"] > 0


def test_no_text_is_no_tokens_and_no_ratios(ask):
    found = compared(ask, "")
    assert found["spread"] is None
    assert all(
        (one["tokens"], one["bytes_per_token"], one["difference"]) == (0, None, None) for one in found["columns"]
    )


def test_eight_tokenizers_are_compared_and_the_same_twice_is_one_column(ask):
    assert len(compared(ask, tokenizers=["bytes", "bytes"])["columns"]) == 1
    assert len(compared(ask, tokenizers=EIGHT)["columns"]) == 8


@pytest.mark.parametrize("path", ["/api/compare", "/api/compare/columns"])
def test_a_name_that_no_answer_could_spell_is_refused(ask, path):
    sent = r'{"text": "a", "tokenizers": ["gpt2", "gpt2", "\ud800"]}'
    answer = ask("POST", path, content=sent, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["code"], answer.json()["pointer"]) == (
        422,
        "lone-surrogate",
        "/tokenizers/2",
    )


def test_names_are_counted_before_they_are_looked_up(ask, monkeypatch):
    looked_up = []
    monkeypatch.setattr(comparison, "canonical", lambda registry, name: looked_up.append(name))
    names = [f"x{number}" for number in range(20_000)]
    answer = ask("POST", "/api/compare", json={"text": "a", "tokenizers": names})
    assert (answer.status_code, answer.json()["limit"], looked_up) == (422, 8, [])


def test_a_baseline_that_is_not_compared_is_refused(ask):
    answer = ask("POST", "/api/compare", json={"text": "a", "tokenizers": ["gpt2"], "baseline": "bytes"})
    assert (answer.status_code, answer.json()["pointer"]) == (422, "/baseline")


def test_a_text_over_the_limit_is_refused_by_name(registry):
    answer = asker(registry, max_text=10)("POST", "/api/compare", json={"text": "a" * 11, "tokenizers": ["bytes"]})
    assert (answer.status_code, answer.json()["limit"]) == (413, 10)


def columns_of(answer):
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert sorted(one["index"] for one in found) == [*range(len(found))]
    return sorted(found, key=lambda one: one["index"])


def test_each_column_of_a_stream_is_that_of_the_whole_comparison(ask):
    sent = {"tokenizers": [*FOUR, "nonesuch"], "text": DIGITS, "include": ["ids"]}
    streamed = columns_of(ask("POST", "/api/compare/columns", json=sent))
    whole = compared(ask, tokenizers=sent["tokenizers"], include=["ids"])["columns"]
    for one, other in zip(streamed, whole, strict=True):
        del one["index"]
        other.pop("difference", None)
        assert one == other


def test_workers_compute_the_columns_of_a_stream_and_load_each_vocabulary_once(ask):
    sent = {"tokenizers": ["gpt2", "mistral-v1", "bert-base-uncased"], "text": DIGITS}

    async def run():
        app = create_app(Settings(workers=1, max_wait=1000.0, max_seconds=1000.0))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            answers = [await client.post("/api/compare/columns", json=sent, timeout=None) for _ in range(2)]
        workers = get_services(app).workers
        assert (workers.killed, workers.started) == (0, 2)
        await workers.stop()
        return answers

    for answer in asyncio.run(run()):
        assert columns_of(answer) == columns_of(ask("POST", "/api/compare/columns", json=sent))
