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


@pytest.mark.parametrize(
    ("sent", "status", "code", "param"),
    [
        ({"model": "gpt-9", "input": "a"}, 404, "model_not_found", "model"),
        ({"model": "default", "input": "a"}, 404, "model_not_found", "model"),
        ({"model": "gpt-4o", "input": [{"role": "user", "content": "a"}]}, 400, None, "input"),
        ({"model": "gpt-4o", "input": "a", "instructions": "b"}, 400, None, "input"),
        ({"model": "gpt-4o", "input": "a", "tools": [{"type": "function"}]}, 400, None, "input"),
        ({"model": "gpt-4o", "input": "a", "previous_response_id": "b"}, 400, None, "input"),
        ({"model": "gpt-4o"}, 400, None, "input"),
        ({"input": "a"}, 400, None, "model"),
    ],
)
def test_what_cannot_be_counted_exactly_is_refused_in_openais_shape(ask, sent, status, code, param):
    response = ask("POST", "/v1/responses/input_tokens", json=sent)
    assert response.status_code == status
    told = response.json()["error"]
    assert told.pop("message")
    assert told == {"type": "invalid_request_error", "param": param, "code": code}


@pytest.mark.parametrize(
    ("sent", "status", "kind"),
    [
        ({"model": "claude-sonnet-4-5", **MESSAGES}, 404, "not_found_error"),
        ({"model": "gpt-4o", **MESSAGES}, 400, "invalid_request_error"),
        ({"model": "claude-sonnet-4-5"}, 400, "invalid_request_error"),
        (MESSAGES, 400, "invalid_request_error"),
    ],
)
def test_messages_are_always_refused_in_anthropics_shape(ask, sent, status, kind):
    response = ask("POST", "/v1/messages/count_tokens", json=sent)
    assert response.status_code == status
    told = response.json()
    message = told["error"].pop("message")
    assert told == {"type": "error", "error": {"type": kind}}
    if "model" in sent and "messages" in sent:
        assert "No estimate is made." in message


def test_geminis_models_are_refused_in_its_shape(ask):
    response = ask("POST", "/v1beta/models/gemini-2.5-flash:countTokens", json=CONTENTS)
    assert response.status_code == 404
    told = response.json()["error"]
    assert "No estimate is made." in told.pop("message")
    assert told == {"code": 404, "status": "NOT_FOUND"}


def test_one_plain_text_for_a_model_that_is_here_is_counted_as_gemini_spells_it(ask):
    for sent in (CONTENTS, {"generateContentRequest": {"model": "models/gpt-4o", **CONTENTS}}):
        answer = ask("POST", "/v1beta/models/gpt-4o:countTokens", json=sent).json()
        assert (answer["totalTokens"], "not counted" in answer["notes"][0]) == (8, True)


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"contents": []},
        {"contents": CONTENTS["contents"] * 2},
        {"contents": [{"parts": [{"text": "a"}, {"text": "b"}]}]},
        {"contents": [{"parts": [{"inlineData": {"mimeType": "image/png", "data": ""}}]}]},
        {"contents": [{"parts": [{"text": "a", "thought": True}]}]},
        {"contents": [{"parts": [{"text": 7}]}]},
        {**CONTENTS, "generateContentRequest": CONTENTS},
        {"generateContentRequest": {**CONTENTS, "systemInstruction": {"parts": [{"text": "b"}]}}},
    ],
)
def test_anything_but_one_plain_text_is_refused_in_geminis_shape(ask, sent):
    response = ask("POST", "/v1beta/models/gpt-4o:countTokens", json=sent)
    told = response.json()["error"]
    assert (response.status_code, told["code"], told["status"]) == (400, 400, "INVALID_ARGUMENT")
    assert told["message"]


def test_refusals_never_echo_the_input(ask):
    secret = "correct horse battery staple"
    sent = {"model": secret, "messages": [{"role": secret}], "input": secret, "contents": [{"parts": secret}]}
    paths = ("/v1/messages/count_tokens", "/v1/responses/input_tokens", f"/v1beta/models/{secret}:countTokens")
    for path in paths:
        response = ask("POST", path, json=sent)
        assert response.status_code in (400, 404)
        assert secret not in response.text
