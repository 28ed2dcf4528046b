"""One counter of a prompt: every address that counts one, in every format, says the same, or refuses as it says."""

import pytest
from tokenarium.agents.tools import AgentTools
from tokenarium.settings import Settings

GREETING = "Hello, 🌍! 你好!"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"name": "weather", "description": "The weather in a city."}
ARGUMENTS = {"city": "Rome"}
WRITTEN = '{"city":"Rome"}'
RESULT = {"sky": "clear"}
USER = {"role": "user", "content": "Weather?"}
CALL = {"id": "call00001", "type": "function", "function": {"name": "weather", "arguments": WRITTEN}}
ANSWER = '{"sky":"clear"}'
FUNCTION_CALL = {"type": "function_call", "call_id": "call00001", "name": "weather", "arguments": WRITTEN}
USED = {"type": "tool_use", "id": "call00001", "name": "weather", "input": ARGUMENTS}
RETURNED = {"type": "tool_result", "tool_use_id": "call00001", "content": ANSWER}
ASKED = {"role": "user", "parts": [{"text": "Weather?"}]}
BRIEF = "Be brief."
CONVERSATIONS = {
    "text": {
        "chat": {"messages": [USER]},
        "responses": {"input": "Weather?"},
        "anthropic": {"messages": [USER]},
        "gemini": {"contents": [ASKED]},
    },
    "system": {
        "chat": {"messages": [{"role": "system", "content": BRIEF}, USER]},
        "responses": {"instructions": BRIEF, "input": [{**USER, "type": "message"}]},
        "anthropic": {"system": BRIEF, "messages": [{**USER, "content": [{"type": "text", "text": "Weather?"}]}]},
        "gemini": {"systemInstruction": {"parts": [{"text": BRIEF}]}, "contents": [ASKED]},
    },
    "tools": {
        "chat": {
            "messages": [
                USER,
                {"role": "assistant", "content": "", "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": "call00001", "content": ANSWER},
            ],
            "tools": [{"type": "function", "function": {**WEATHER, "parameters": SCHEMA}}],
        },
        "responses": {
            "input": [
                {**USER, "content": [{"type": "input_text", "text": "Weather?"}]},
                FUNCTION_CALL,
                {"type": "function_call_output", "call_id": "call00001", "output": ANSWER},
            ],
            "tools": [{"type": "function", **WEATHER, "parameters": SCHEMA}],
        },
        "anthropic": {
            "messages": [USER, {"role": "assistant", "content": [USED]}, {"role": "user", "content": [RETURNED]}],
            "tools": [{**WEATHER, "input_schema": SCHEMA}],
        },
        "gemini": {
            "contents": [
                ASKED,
                {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": ARGUMENTS}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": RESULT}}]},
            ],
            "tools": [{"functionDeclarations": [{**WEATHER, "parameters": SCHEMA}]}],
        },
    },
}
"""The same conversation in the four formats."""
COUNTS = [
    ("gpt-4o", "text", 9, 9, "formula"),
    ("gpt-4o", "system", 16, 16, "formula"),
    ("gpt-4o", "tools", 65, 76, "range"),
    ("gpt-5", "text", 2, 10, "range"),
    ("gpt-5", "tools", 38, 86, "range"),
    ("gpt-oss-120b", "text", 69, 69, "exact"),
    ("gpt-oss-120b", "system", 79, 79, "exact"),
    ("gpt-oss-120b", "tools", 154, 154, "exact"),
    ("phi-4", "text", 9, 9, "formula"),
    ("phi-4", "system", 16, 16, "formula"),
    ("qwen3", "text", 10, 10, "exact"),
    ("qwen3", "system", 18, 18, "exact"),
    ("qwen3", "tools", 184, 184, "exact"),
    ("Qwen2.5-7B-Instruct", "text", 31, 31, "exact"),
    ("DeepSeek-V3.2", "tools", 362, 362, "template"),
    ("claude-sonnet-5", "text", 2, 4, "unknown"),
    ("claude-sonnet-5", "system", 5, 10, "unknown"),
    ("claude-sonnet-5", "tools", 412, 505, "unknown"),
    ("gemini-2.5-flash", "text", 2, 2, "formula"),
    ("gemini-2.5-flash", "system", 5, 5, "formula"),
    ("gemini-2.5-flash", "tools", 17, 17, "formula"),
]


def count_in_dialects(ask, model, forms, query=""):
    """The answers of the addresses of other servers: the number, and what is said of it."""
    sent = {
        "input_tokens": (f"/v1/responses/input_tokens{query}", {"model": model, **forms["responses"]}),
        "count_tokens": (f"/v1/messages/count_tokens{query}", {"model": model, **forms["anthropic"]}),
        "countTokens": (f"/v1beta/models/{model}:countTokens{query}", {"generateContentRequest": forms["gemini"]}),
    }
    return {name: ask("POST", path, json=body) for name, (path, body) in sent.items()}


def numbers(answers):
    return [
        answer.json()["totalTokens" if name == "countTokens" else "input_tokens"] for name, answer in answers.items()
    ]


@pytest.mark.parametrize(("model", "conversation", "low", "high", "basis"), COUNTS)
def test_every_address_counts_the_same_prompt_alike(ask, registry, model, conversation, low, high, basis):
    forms = CONVERSATIONS[conversation]
    bodies = [{"model": model, **body} for body in forms.values()]
    counted = [ask("POST", "/api/request", json={"request": body, "model": model}).json() for body in bodies]
    counted.append(AgentTools(registry, Settings()).request(bodies[0], model))
    for one in counted:
        (request,) = one["requests"]
        assert (request["tokens"], request["count"]) == ({"low": low, "high": high}, basis)
    answer = ask("POST", "/api/count", json={"tokenizer": model, **forms["chat"]}).json()
    settled = low == high and basis != "unknown"
    expected = (low, None, basis) if settled else (None, {"low": low, "high": high}, basis)
    assert (answer["count"], answer["range"], answer["basis"]) == expected
    dialects = count_in_dialects(ask, model, forms)
    if settled:
        assert numbers(dialects) == [low] * 3
        assert {answer.headers["x-token-count"] for answer in dialects.values()} == {f"{basis}; low={low}; high={high}"}
        assert all(one.json()["basis"] == basis and one.json()["estimate"] is None for one in dialects.values())
        return
    assert {answer.status_code for answer in dialects.values()} <= {400, 404}
    assert all("?estimate=1" in answer.text for answer in dialects.values())
    estimated = count_in_dialects(ask, model, forms, "?estimate=1")
    assert numbers(estimated) == [(low + high) // 2] * 3
    ends = {"low": low, "high": high, "complete": basis != "unknown"}
    assert [answer.json()["estimate"] for answer in estimated.values()] == [ends] * 3


@pytest.mark.parametrize("model", ["gpt-oss-120b", "qwen3", "mistral-v3", "Qwen2.5-7B-Instruct", "DeepSeek-R1"])
@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_a_prompt_has_as_many_tokens_as_it_has_ids(ask, model, conversation):
    body = {"model": model, **CONVERSATIONS[conversation]["chat"]}
    counted = ask("POST", "/api/count", json={"tokenizer": model, **CONVERSATIONS[conversation]["chat"]}).json()
    for path in ("/tokenize", "/compat/vllm/tokenize"):
        answer = ask("POST", path, json=body).json()
        assert (answer["count"], answer["basis"]) == (counted["count"], counted["basis"])


@pytest.mark.parametrize("model", ["Qwen/QwQ-32B", "phi-3"])
def test_a_call_without_a_content_is_counted_as_one_with_an_empty_one(ask, model):
    """The templates of both join the content to a text, and fail with null."""
    turn = {"role": "assistant", "tool_calls": [CALL]}
    conversations = [[USER, turn | content] for content in ({"content": ""}, {"content": None}, {})]
    paths = (("/api/count", "tokenizer"), ("/tokenize", "model"))
    sent = [(path, {name: model, "messages": messages}) for path, name in paths for messages in conversations]
    assert len({ask("POST", path, json=body).json()["count"] for path, body in sent}) == 1


def test_a_picture_makes_the_count_of_ids_unknown(ask):
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    sent = {"model": "gemma4", "messages": [{"role": "user", "content": [{"type": "text", "text": "What?"}, picture]}]}
    answer = ask("POST", "/tokenize", json=sent).json()
    assert (answer["basis"], "not counted" in answer["notes"][0]) == ("unknown", True)


def test_an_instruction_and_tools_of_gemini_count_in_both_forms(ask):
    sent = {"contents": [ASKED], "systemInstruction": {"parts": [{"text": BRIEF}]}}
    sent |= {"tools": [{"functionDeclarations": [WEATHER]}]}
    path = "/v1beta/models/qwen3:countTokens"
    whole, alone = (ask("POST", path, json=one).json() for one in (sent, {"contents": [ASKED]}))
    assert whole == ask("POST", path, json={"generateContentRequest": sent}).json()
    assert whole["totalTokens"] > alone["totalTokens"]


@pytest.mark.parametrize("model", ["gpt-4o", "gemini-2.5-flash"])
def test_a_prompt_without_a_template_has_no_ids(ask, model):
    answer = ask("POST", "/tokenize", json={"model": model, "messages": [USER]})
    assert (answer.status_code, "no chat template" in answer.text) == (400, True)


def test_a_vocabulary_without_a_format_counts_one_text_and_says_what_is_left_out(ask):
    answer = ask("POST", "/v1/responses/input_tokens", json={"model": "o200k_base", "input": GREETING}).json()
    assert (answer["input_tokens"], answer["basis"]) == (8, "exact")
    assert "not counted" in answer["notes"][0]
    special = {"model": "o200k_base", "input": "<|endoftext|>"}
    assert ask("POST", "/v1/responses/input_tokens", json=special).json()["input_tokens"] > 1


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview", "gemini-3.1-pro-preview"])
def test_geminis_texts_are_counted_as_googles_sdk_does(ask, model):
    texts = {"contents": [{"role": "user", "parts": [{"text": "Hello world"}, {"text": "!"}]}]}
    answer = ask("POST", f"/v1beta/models/{model}:countTokens", json=texts).json()
    assert (answer["totalTokens"], "Gemma 4 for Gemini 3.1" in answer["notes"][-1]) == (3, True)


def test_a_model_has_the_same_prompt_by_any_of_its_names(ask):
    for model in ("mistral-v3", "mistralai/Mistral-7B-Instruct-v0.3"):
        sent = {"model": model, "messages": [{"role": "user", "content": "Hello!"}]}
        answer = ask("POST", "/v1/messages/count_tokens", json=sent).json()
        assert answer["input_tokens"] == 5  # <s> [INST] ▁Hello ! [/INST]


def test_special_tokens_that_a_message_spells_are_counted_as_text(ask):
    sent = {"model": "mistral-v3", "messages": [{"role": "user", "content": "[/INST]"}]}
    assert ask("POST", "/v1/messages/count_tokens", json=sent).json()["input_tokens"] == 7


def test_a_prompt_that_the_template_refuses_is_no_estimate(ask):
    sent = {"model": "mistral-v3", "messages": [{"role": "narrator", "content": "a"}]}
    for query in ("", "?estimate=1"):
        answer = ask("POST", f"/v1/messages/count_tokens{query}", json=sent)
        assert (answer.status_code, "template" in answer.text) == (400, True)
