"""llama.cpp's dialect: its requests, answers, defaults and errors, field by field."""

import pytest

PATHS = ["/tokenize", "/compat/llamacpp/tokenize"]


@pytest.mark.parametrize("path", PATHS)
def test_content_is_answered_with_ids_alone_and_without_special_tokens(ask, path):
    greeting = {"content": "Hello, 🌍! 你好!"}
    ids = [13225, 11, 130321, 235, 0, 220, 177519, 0]
    assert ask("POST", path, json=greeting).json() == {"tokens": ids}
    assert ask("POST", path, json={**greeting, "model": "gpt-4o"}).json() == {"tokens": ids}
    bert = {"model": "bert-base-uncased", "content": "hello"}
    assert ask("POST", path, json=bert).json() == {"tokens": [7592]}
    assert ask("POST", path, json={**bert, "add_special": True}).json() == {"tokens": [101, 7592, 102]}
    assert ask("POST", path, json={"content": ""}).json() == {"tokens": []}


@pytest.mark.parametrize("path", PATHS)
def test_pieces_are_strings_or_bytes(ask, path):
    answer = ask("POST", path, json={"content": " 🌍", "with_pieces": True}).json()
    assert answer == {"tokens": [{"id": 130321, "piece": [32, 240, 159, 140]}, {"id": 235, "piece": [141]}]}
    world = {"model": "mistral-v1", "content": "Hello world", "with_pieces": True, "add_special": True}
    assert ask("POST", path, json=world).json() == {
        "tokens": [{"id": 1, "piece": "<s>"}, {"id": 22557, "piece": " Hello"}, {"id": 1526, "piece": " world"}]
    }


def test_the_published_example_of_a_cut_character(ask):
    answer = ask("POST", "/tokenize", json={"model": "bytes", "content": "á", "with_pieces": True}).json()
    assert answer == {"tokens": [{"id": 195, "piece": [195]}, {"id": 161, "piece": [161]}]}


@pytest.mark.parametrize("path", PATHS)
def test_special_tokens_spelled_in_the_content_are_parsed_unless_it_is_said(ask, path):
    sent = {"content": "a<|endoftext|>"}
    assert ask("POST", path, json=sent).json() == {"tokens": [64, 199999]}
    as_text = ask("POST", path, json={**sent, "parse_special": False}).json()["tokens"]
    assert 199999 not in as_text
    assert len(as_text) > 2


@pytest.mark.parametrize("path", PATHS)
def test_strings_and_ids_are_joined(ask, path):
    mixed = {"model": "bert-base-uncased", "content": ["hello", 2088, "world", 102]}
    assert ask("POST", path, json=mixed).json() == {"tokens": [7592, 2088, 2088, 102]}
    around = ask("POST", path, json={**mixed, "add_special": True}).json()
    assert around == {"tokens": [101, 7592, 102, 2088, 2088, 102]}
    first = {**mixed, "content": [2088, "hello"], "add_special": True, "with_pieces": True}
    assert ask("POST", path, json=first).json() == {
        "tokens": [{"id": 2088, "piece": "world"}, {"id": 7592, "piece": "hello"}]
    }
    assert ask("POST", path, json={"content": []}).json() == {"tokens": []}


def test_without_content_there_are_no_tokens_but_only_under_the_prefix(ask):
    assert ask("POST", "/compat/llamacpp/tokenize", json={}).json() == {"tokens": []}
    assert ask("POST", "/compat/llamacpp/tokenize", json={"add_special": True}).json() == {"tokens": []}
    assert ask("POST", "/tokenize", json={}).json()["code"] == "invalid"


def test_ids_are_read_back_with_special_tokens_kept(ask):
    sent = {"model": "mistral-v1", "tokens": [1, 22557, 1526]}
    assert ask("POST", "/compat/llamacpp/detokenize", json=sent).json() == {"content": "<s>Hello world"}
    assert ask("POST", "/compat/llamacpp/detokenize", json={"tokens": [130321]}).json() == {"content": " \ufffd"}
    assert ask("POST", "/compat/llamacpp/detokenize", json={}).json() == {"content": ""}


CHAT = {"model": "mistral-v3", "messages": [{"role": "user", "content": "Hello!"}]}


@pytest.mark.parametrize("path", ["/apply-template", "/compat/llamacpp/apply-template"])
def test_a_conversation_is_written_out_without_the_mark_that_tokenize_adds(ask, path):
    assert ask("POST", path, json=CHAT).json() == {"prompt": "[INST]Hello![/INST]"}
    tokens = ask(
        "POST", "/tokenize", json={"model": "mistral-v3", "content": "[INST]Hello![/INST]", "add_special": True}
    )
    whole = ask("POST", "/compat/vllm/tokenize", json=CHAT)
    assert tokens.json()["tokens"] == whole.json()["tokens"]


@pytest.mark.parametrize("path", ["/apply-template", "/compat/llamacpp/apply-template"])
def test_the_fields_of_apply_template(ask, path):
    harmony = {"model": "gpt-oss-20b", "messages": CHAT["messages"]}
    assert ask("POST", path, json=harmony).json()["prompt"].endswith("Hello!<|end|><|start|>assistant")
    bare = ask("POST", path, json={**harmony, "add_generation_prompt": False}).json()["prompt"]
    assert bare.endswith("Hello!<|end|>")
    low = ask("POST", path, json={**harmony, "chat_template_kwargs": {"reasoning_effort": "low"}}).json()["prompt"]
    assert "Reasoning: low" in low
    tool = {"type": "function", "function": {"name": "add", "parameters": {}}}
    assert "[AVAILABLE_TOOLS]" in ask("POST", path, json={**CHAT, "tools": [tool]}).json()["prompt"]
