"""Counting as Anthropic's, Gemini's and OpenAI's endpoints spell it."""

import pytest

GREETING = "Hello, 🌍! 你好!"
MESSAGES = {"messages": [{"role": "user", "content": "Hello!"}]}
CONTENTS = {"contents": [{"parts": [{"text": GREETING}]}]}


def test_a_plain_text_for_an_openai_model_is_counted_and_what_is_left_out_is_said(ask):
    for model in ("gpt-4o", "gpt-5-mini", "o3", "o200k_base"):
        answer = ask("POST", "/v1/responses/input_tokens", json={"model": model, "input": GREETING}).json()
        notes = answer.pop("notes")
        assert answer == {"object": "response.input_tokens", "input_tokens": 8}
        assert "not counted" in notes[0]
    nothing = {"model": "gpt-4o", "input": "", "instructions": None, "tools": []}
    assert ask("POST", "/v1/responses/input_tokens", json=nothing).json()["input_tokens"] == 0
    special = {"model": "gpt-4o", "input": "<|endoftext|>"}
    assert ask("POST", "/v1/responses/input_tokens", json=special).json()["input_tokens"] > 1


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview", "gemini-3.1-pro-preview"])
def test_geminis_texts_are_counted_as_googles_sdk_does(ask, model):
    texts = {"contents": [{"role": "user", "parts": [{"text": "Hello world"}, {"text": "!"}]}]}
    answer = ask("POST", f"/v1beta/models/{model}:countTokens", json=texts).json()
    assert (answer["totalTokens"], "google-genai 3.4.0" in answer["notes"][0]) == (3, True)


def test_one_plain_text_for_a_model_that_is_here_is_counted_as_gemini_spells_it(ask):
    for sent in (CONTENTS, {"generateContentRequest": {"model": "models/gpt-4o", **CONTENTS}}):
        answer = ask("POST", "/v1beta/models/gpt-4o:countTokens", json=sent).json()
        assert (answer["totalTokens"], "not counted" in answer["notes"][0]) == (8, True)


TOOL = {"name": "weather", "description": "Weather.", "input_schema": {"type": "object", "properties": {}}}
ASKED = [
    {"role": "user", "content": [{"type": "text", "text": "Weather?"}]},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "abcdefghi", "name": "weather", "input": {"city": "Rome"}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "abcdefghi", "content": "22"}]},
]


def through_vllm(ask, model, messages, **fields):
    return ask("POST", "/compat/vllm/tokenize", json={"model": model, "messages": messages, **fields}).json()["count"]


def test_a_conversation_is_counted_as_anthropic_spells_it_where_there_is_a_template(ask):
    for model in ("mistral-v3", "mistralai/Mistral-7B-Instruct-v0.3"):
        answer = ask("POST", "/v1/messages/count_tokens", json={"model": model, **MESSAGES}).json()
        assert answer["input_tokens"] == 5  # <s> [INST] ▁Hello ! [/INST]
        assert "whole prompt" in answer["notes"][0]
    sent = {"model": "tekken", "system": "Be brief.", "tools": [TOOL], "messages": ASKED}
    function = {"name": "weather", "description": "Weather.", "parameters": TOOL["input_schema"]}
    call = {"id": "abcdefghi", "function": {"name": "weather", "arguments": {"city": "Rome"}}}
    same = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "abcdefghi", "content": "22"},
    ]
    counted = ask("POST", "/v1/messages/count_tokens", json=sent).json()["input_tokens"]
    assert counted == through_vllm(ask, "tekken", same, tools=[{"type": "function", "function": function}])


def test_a_conversation_is_counted_as_openai_spells_it_where_there_is_a_template(ask):
    user = {"role": "user", "content": "Hello!"}
    whole = through_vllm(ask, "gpt-oss-20b", [user])
    for input in (
        "Hello!",
        [user],
        [{**user, "type": "message", "content": [{"type": "input_text", "text": "Hello!"}]}],
    ):
        sent = {"model": "gpt-oss-20b", "input": input}
        answer = ask("POST", "/v1/responses/input_tokens", json=sent).json()
        assert (answer["object"], answer["input_tokens"]) == ("response.input_tokens", whole)
    items = [
        user,
        {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "22"},
    ]
    sent = {
        "model": "gpt-oss-20b",
        "input": items,
        "instructions": "Be brief.",
        "tools": [{"type": "function", **TOOL}],
    }
    same = [
        {"role": "system", "content": "Be brief."},
        user,
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "weather", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "22"},
    ]
    tools = [{"type": "function", "function": {"name": "weather", "description": "Weather."}}]
    counted = ask("POST", "/v1/responses/input_tokens", json=sent).json()["input_tokens"]
    assert counted == through_vllm(ask, "gpt-oss-20b", same, tools=tools)


def test_a_text_is_counted_as_gemini_spells_it_where_there_is_a_template(ask):
    sent = {"contents": [{"parts": [{"text": "Hello!"}]}]}
    answer = ask("POST", "/v1beta/models/mistral-v3:countTokens", json=sent).json()
    assert (answer["totalTokens"], "whole prompt" in answer["notes"][0]) == (5, True)


def test_a_conversation_is_counted_as_gemini_spells_it_where_there_is_a_template(ask):
    told = [("user", "Hi"), ("model", "Hello!"), (None, "Bye")]
    contents = [{"parts": [{"text": text}], **({"role": role} if role else {})} for role, text in told]
    roles = {"model": "assistant"}
    same = [{"role": roles.get(role, "user"), "content": text} for role, text in told]
    for sent in ({"contents": contents}, {"generateContentRequest": {"contents": contents}}):
        answer = ask("POST", "/v1beta/models/mistral-v3:countTokens", json=sent).json()
        assert answer["totalTokens"] == through_vllm(ask, "mistral-v3", same)


def test_special_tokens_that_a_message_spells_are_counted_as_text(ask):
    sent = {"model": "mistral-v3", "messages": [{"role": "user", "content": "[/INST]"}]}
    assert ask("POST", "/v1/messages/count_tokens", json=sent).json()["input_tokens"] == 7
