"""The dialect of text-embeddings-inference: its requests, answers, defaults and errors, field by field."""

import pytest
from tokenarium.serialize.problem import Problem
from tokenarium.web.api.dialects.tei import TEI

TOKENIZE = ["/tokenize", "/compat/tei/tokenize"]
DECODE = ["/decode", "/compat/tei/decode"]
BERT = {"model": "bert-base-uncased"}


def token(id, text, start, stop):
    return {"id": id, "text": text, "special": start is None, "start": start, "stop": stop}


@pytest.mark.parametrize("path", TOKENIZE)
def test_a_text_is_answered_field_by_field_in_a_nested_list(ask, path):
    expected = [
        token(101, "[CLS]", None, None),
        token(7592, "Hello", 0, 5),
        token(1010, ",", 5, 6),
        token(100, "🌍", 7, 11),
        token(999, "!", 11, 12),
        token(102, "[SEP]", None, None),
    ]
    assert ask("POST", path, json={**BERT, "inputs": "Hello, 🌍!"}).json() == [expected]
    bare = {**BERT, "inputs": "Hello, 🌍!", "add_special_tokens": False, "prompt_name": None}
    assert ask("POST", path, json=bare).json() == [expected[1:-1]]


@pytest.mark.parametrize("path", TOKENIZE)
def test_places_are_bytes_of_utf8_and_texts_what_stands_there(ask, path):
    assert ask("POST", path, json={"inputs": "Hello, 🌍! 你好!"}).json() == [
        [
            token(13225, "Hello", 0, 5),
            token(11, ",", 5, 6),
            token(130321, " \ufffd", 6, 10),
            token(235, "\ufffd", 10, 11),
            token(0, "!", 11, 12),
            token(220, " ", 12, 13),
            token(177519, "你好", 13, 19),
            token(0, "!", 19, 20),
        ]
    ]


def test_a_special_token_spelled_in_the_text_is_special(ask):
    answer = ask("POST", "/compat/tei/tokenize", json={**BERT, "inputs": "a [MASK]", "add_special_tokens": False})
    assert answer.json() == [[token(1037, "a", 0, 1), token(103, "[MASK]", None, None)]]


@pytest.mark.parametrize("path", TOKENIZE)
def test_a_batch_gives_what_its_singles_give(ask, path):
    texts = ["Hello", "", "wörld 🌍", "a" * 100]
    for model in ("bert-base-uncased", "mistral-v1", "gpt-4o"):
        singles = [ask("POST", path, json={"model": model, "inputs": text}).json() for text in texts]
        assert [one for (one,) in singles] == ask("POST", path, json={"model": model, "inputs": texts}).json()


@pytest.mark.parametrize("path", DECODE)
def test_ids_are_read_back_to_a_list(ask, path):
    ids = [101, 7592, 1010, 2088, 102]
    assert ask("POST", path, json={**BERT, "ids": ids}).json() == ["hello, world"]
    kept = {**BERT, "ids": [ids, [7592]], "skip_special_tokens": False}
    assert ask("POST", path, json=kept).json() == ["[CLS] hello, world [SEP]", "hello"]
    assert ask("POST", path, json={**BERT, "ids": [ids, [], [101]]}).json() == ["hello, world", "", ""]
    assert ask("POST", path, json={"ids": [13225, 11, 130321, 235, 199999]}).json() == ["Hello, 🌍"]
    assert ask("POST", path, json={"model": "mistral-v1", "ids": [1, 22557, 0, 1526, 2]}).json() == ["Hello world"]


def test_a_batch_may_have_32_inputs(ask):
    for path in TOKENIZE:
        assert len(ask("POST", path, json={"inputs": ["a"] * 32}).json()) == 32
    for path in DECODE:
        assert ask("POST", path, json={"ids": [64] * 33}).json() == ["a" * 33]
        assert ask("POST", path, json={"ids": [[64]] * 32}).json() == ["a"] * 32


def test_unknown_fields_are_ignored(ask):
    assert ask("POST", "/compat/tei/tokenize", json={"inputs": "", "truncate": True}).json() == [[]]


@pytest.mark.parametrize(
    ("problem", "status", "kind"),
    [
        (Problem(503, "unavailable", "", "x"), 503, "unhealthy"),
        (Problem(500, "internal", "", "x"), 503, "unhealthy"),
        (Problem(503, "overloaded", "", "x"), 429, "overloaded"),
        (Problem(413, "too-large", "", "x"), 413, "validation"),
    ],
)
def test_faults_of_the_server_have_their_kinds(problem, status, kind):
    assert TEI.format_error(problem) == (status, {"error": "x", "error_type": kind})
