"""Recognizing requests: five formats, the records of loggers, logs with broken lines, and what is refused."""

import json

import pytest
from tokenarium.errors import Invalid
from tokenarium.lab.request.bill import check_bill
from tokenarium.lab.request.counting import count_request
from tokenarium.lab.request.diet import diet
from tokenarium.lab.request.log import read_requests
from tokenarium.lab.request.recognition import recognize
from tokenarium.lab.request.typescript import write_tools
from tokenarium.lab.request.values import hide_secrets

CHAT = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}]}
ANSWER = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}


@pytest.mark.parametrize(
    ("value", "format", "recorder"),
    [
        (CHAT, "chat", ""),
        (CHAT["messages"], "chat", ""),
        ({"model": "gpt-5", "input": "Hi"}, "responses", ""),
        ({"model": "claude-opus-5", "messages": []}, "anthropic", ""),
        ({"model": "m", "system": "S", "messages": []}, "anthropic", ""),
        ({"model": "m", "messages": [], "tools": [{"name": "f", "input_schema": {}}]}, "anthropic", ""),
        ({"contents": [{"parts": [{"text": "Hi"}]}]}, "gemini", ""),
        ({"generateContentRequest": {"contents": []}}, "gemini", ""),
        ({"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": CHAT}, "chat", "a batch"),
        ({"request": CHAT, "response": ANSWER}, "chat", "a record"),
        ({"request": {"body": CHAT}, "response": {"body": ANSWER}}, "chat", "a record"),
        ({"request_id": "r", "request_body": CHAT, "response_body": ANSWER}, "chat", "Helicone"),
        ({"call_type": "acompletion", **CHAT, "prompt_tokens": 9}, "chat", "LiteLLM"),
        (
            {
                "traceId": "t",
                "type": "GENERATION",
                "model": "gpt-4o",
                "input": CHAT["messages"],
                "usageDetails": {"input": 9},
            },
            "chat",
            "Langfuse",
        ),
        (
            {"log": {"entries": [{"request": {"postData": {"text": json.dumps(CHAT)}}}, {"request": {}}]}},
            "chat",
            "an HTTP archive",
        ),
    ],
)
def test_a_request_is_recognized_by_its_keys(value, format, recorder):
    (call,) = recognize(value)
    assert (call.format, call.recorder) == (format, recorder)
    assert call.usage is None or call.usage.get("prompt_tokens") == 9


def test_what_is_no_request_is_refused_with_the_keys_that_were_looked_for():
    with pytest.raises(Invalid, match="looked for messages, input, contents"):
        read_requests('{"prompt": "Hi", "top_k": 3}')


def test_what_is_no_json_is_refused_with_line_and_column():
    with pytest.raises(Invalid, match="line 2, column 6"):
        read_requests('{"model":\n "a" "b"}')


DEEP = f'{{"messages": {"[" * 200}{"]" * 200}}}'


@pytest.mark.parametrize(
    "text",
    ["", "Hello", "[" * 100_000, DEEP, "9" * 5_000, "null", "[]", '{"messages": "x"}'],
    ids=lambda text: text[:9],
)
def test_bad_texts_are_refused(text):
    with pytest.raises(Invalid):
        read_requests(text)


def test_broken_lines_of_a_log_are_listed_and_the_others_read():
    lines = [json.dumps(CHAT), "{broken", "", json.dumps({"a": 1}), json.dumps({"request": CHAT, "response": ANSWER})]
    log = read_requests("\n".join(lines))
    assert log.lines == (1, 5)
    assert [one.number for one in log.broken] == [2, 4]
    assert "column 2" in log.broken[0].reason
    assert log.calls[1].usage == ANSWER["usage"]


@pytest.mark.parametrize(
    "value",
    [
        {"type": "GENERATION", "input": [], "usageDetails": {"input": "x", "output": {}}},
        {"messages": [None, 1, "x", {"content": [None, {"type": []}], "tool_calls": [{"function": 1}]}], "tools": [1]},
        {"contents": [{"parts": [{"functionCall": 1, "inlineData": {"mimeType": 5}}]}], "tools": {"a": 1}},
        {"system": 5, "messages": [{"content": [{"type": "tool_result", "content": 5}, {"type": "image"}]}]},
        {"input": [{"type": "function_call", "name": 5}, {"role": 5}], "text": {"format": {"schema": []}}},
        {"messages": [], "usage": {"prompt_tokens": 10**3000, "prompt_tokens_details": 5}},
    ],
)
@pytest.mark.parametrize("model", ["gpt-4o", "gpt-5", "claude-opus-5", "gemini-2.5-pro", "qwen3"])
def test_values_of_the_wrong_kind_harm_nobody(registry, value, model):
    (call,) = recognize(value)
    counted = count_request(registry, call, model=model, limit=1_000_000)
    assert counted.tokens.low >= 0
    diet(registry, counted)
    check_bill(counted)


def test_types_in_lists_do_not_multiply():
    schema = {"type": "string"}
    for _ in range(30):
        schema = {"type": ["object"] * 10, "properties": {"a": schema}}
    assert len(write_tools([{"name": "f", "parameters": schema}]).text) < 500


def test_a_long_run_that_begins_as_a_key_takes_linear_time():
    assert hide_secrets("eyJabcdefgh-" * 20_000) == ("eyJabcdefgh-" * 20_000, 0)
