"""SGLang's dialect, and the form of /detokenize that serves it, vLLM and llama.cpp at once."""

import pytest

GREETING = "Hello, 🌍! 你好!"
IDS = [13225, 11, 130321, 235, 0, 220, 177519, 0]
TOKENIZE = ["/v1/tokenize", "/compat/sglang/tokenize", "/compat/sglang/v1/tokenize"]
DETOKENIZE = ["/v1/detokenize", "/compat/sglang/detokenize", "/compat/sglang/v1/detokenize"]
BERT = {"model": "bert-base-uncased"}


@pytest.mark.parametrize("path", TOKENIZE)
def test_a_prompt_is_answered_field_by_field(ask, path):
    for fields in ({}, {"model": "default"}, {"model": "gpt-4o"}):
        answer = ask("POST", path, json={**fields, "prompt": GREETING}).json()
        assert answer == {"tokens": IDS, "count": 8, "max_model_len": -1}
    assert ask("POST", path, json={**BERT, "prompt": "hello"}).json()["tokens"] == [101, 7592, 102]
    bare = {**BERT, "prompt": "hello", "add_special_tokens": False}
    assert ask("POST", path, json=bare).json() == {"tokens": [7592], "count": 1, "max_model_len": -1}


@pytest.mark.parametrize("path", ["/tokenize", *TOKENIZE])
def test_a_batch_gives_what_its_singles_give(ask, path):
    prompts = [GREETING, "", "a<|endoftext|>"]
    answer = ask("POST", path, json={"prompt": prompts}).json()
    assert answer == {"tokens": [IDS, [], [64, 199999]], "count": [8, 0, 2], "max_model_len": -1}
    singles = [ask("POST", path, json={"prompt": prompt}).json() for prompt in prompts]
    assert [one["tokens"] for one in singles] == answer["tokens"]
    assert [one["count"] for one in singles] == answer["count"]
    assert ask("POST", path, json={"prompt": []}).json() == {"tokens": [], "count": [], "max_model_len": -1}


@pytest.mark.parametrize("path", DETOKENIZE)
def test_ids_are_read_back_without_special_tokens_unless_it_is_said(ask, path):
    ids = [101, 7592, 100, 102]
    assert ask("POST", path, json={**BERT, "tokens": ids}).json() == {"text": "hello"}
    kept = {**BERT, "tokens": ids, "skip_special_tokens": False}
    assert ask("POST", path, json=kept).json() == {"text": "[CLS] hello [UNK] [SEP]"}
    assert ask("POST", path, json={**BERT, "tokens": [ids, [], [7592]]}).json() == {"text": ["hello", "", "hello"]}
    assert ask("POST", path, json={"tokens": []}).json() == {"text": ""}
    assert ask("POST", path, json={"tokens": [[]]}).json() == {"text": [""]}


def test_tokens_without_a_prefix_are_answered_under_the_keys_of_all_with_special_tokens_kept(ask):
    answer = ask("POST", "/t/bert-base-uncased/detokenize", json={"tokens": [101, 7592, 102]}).json()
    assert answer == {
        **dict.fromkeys(("text", "prompt", "content"), "[CLS] hello [SEP]"),
        "bytes_hex": b"[CLS] hello [SEP]".hex(),
        "lossless": True,
    }
    skipped = {**BERT, "tokens": [[101, 7592], [102]], "skip_special_tokens": True}
    assert ask("POST", "/detokenize", json=skipped).json() == {
        **{key: ["hello", ""] for key in ("text", "prompt", "content")},
        "bytes_hex": [b"hello".hex(), ""],
        "lossless": [True, True],
    }
    half = ask("POST", "/detokenize", json={"tokens": [130321]}).json()
    assert (half["prompt"], half["bytes_hex"], half["lossless"]) == (" \ufffd", "20f09f8c", False)


def test_tokens_without_a_prefix_are_refused_as_vllm_refuses_them(ask):
    for tokens, param in (([1, 200_019], "tokens.1"), ([[1], [2, -1]], "tokens.1.1"), ("a", "tokens")):
        response = ask("POST", "/detokenize", json={"tokens": tokens})
        told = response.json()["error"]
        assert (response.status_code, told["param"], told["code"]) == (400, param, 400)
    ours = ask("POST", "/detokenize", json={"tokenizer": "gpt2", "tokens": [1]})
    assert (ours.status_code, ours.json()["code"]) == (422, "invalid")
