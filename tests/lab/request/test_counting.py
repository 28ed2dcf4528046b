"""Requests counted: every measured case, open models against transformers, closed ones as ranges, media, secrets."""

import json
import struct
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import Invalid, TooLarge, UnknownTokenizer
from tokenarium.lab.chat.conversation import Conversation
from tokenarium.lab.request.counting import count_request
from tokenarium.lab.request.log import read_requests
from tokenarium.lab.request.targets import find_target
from tokenarium.settings import ROOT

from tests.support.conversations import by_transformers

MEASURED = json.loads((ROOT / "tests/support/measured_requests.json").read_text())
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a place",
        "parameters": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
    },
}


def count(registry, body, **options):
    (call,) = read_requests(json.dumps(body)).calls
    return count_request(registry, call, limit=2_000_000, **options)


def name(one):
    return f"{one['from']}-{one['tokens']}"


@pytest.mark.parametrize("one", MEASURED["cases"], ids=name)
def test_a_measured_request_has_the_tokens_that_were_billed(registry, one):
    counted = count(registry, {"model": one["model"], **one["body"]})
    assert (counted.tokens.low, counted.tokens.high, counted.complete) == (one["tokens"], one["tokens"], True)


@pytest.mark.parametrize("one", MEASURED["calls"], ids=name)
def test_a_measured_call_of_tools_lies_in_the_range(registry, one):
    counted = count(registry, {"model": one["model"], **one["body"]})
    assert counted.tokens.low <= one["tokens"] <= counted.tokens.high
    assert counted.basis == "range"


WORDS = st.text(alphabet="ab \n{}\"'éé🌍▁", min_size=1, max_size=12).filter(str.strip)


@st.composite
def requests_with_tools(draw):
    """A conversation with a call of a tool and its result, as an agent sends it."""
    question = {"role": "user", "content": draw(WORDS)}
    arguments = {"place": draw(WORDS)}
    call = {"id": "call00001", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    turns = [{"role": "assistant", "content": "", "tool_calls": [call]}]
    turns += [{"role": "tool", "tool_call_id": "call00001", "name": "get_weather", "content": draw(WORDS)}]
    system = [{"role": "system", "content": draw(WORDS)}] * draw(st.integers(0, 1))
    return {
        "messages": [*system, question, *turns * draw(st.integers(0, 1))],
        "tools": [TOOL] * draw(st.integers(0, 1)),
    }


@pytest.mark.parametrize(
    ("id", "basis"),
    [("qwen3", "exact"), ("glm-4", "template"), ("deepseek-v3", "template"), ("o200k_harmony", "exact")],
)
@given(body=requests_with_tools())
def test_an_open_model_reads_what_transformers_renders(registry, id, basis, body):
    options = {"current_date": "2025-01-02"}
    text = by_transformers(registry, id, Conversation(body["messages"], body["tools"] or None, options=options))
    counted = count(registry, {"model": id, "chat_template_kwargs": options, **body})
    encoding = registry.get(id).encode(text, special="parse")
    assert (counted.tokens.low, counted.basis, counted.complete) == (len(encoding), basis, True)


def test_each_tool_and_message_of_an_open_model_is_a_part(registry):
    body = {"model": "Qwen/Qwen3-8B", "messages": [{"role": "user", "content": "Hello"}], "tools": [TOOL, TOOL]}
    parts = [(part.kind, part.name, part.tokens.low) for part in count(registry, body).parts]
    assert parts == [
        ("tool", "get_weather", 56),
        ("tool", "get_weather", 56),
        ("message", "1 · user", 1),
        ("format", "Written by the chat template", 87),
        ("prompt", "Generation prompt", 3),
    ]


def test_a_failing_template_says_why_and_the_rest_is_counted(registry):
    body = {"model": "mistral-v3", "messages": [{"role": "assistant", "content": "Hello"}, {"role": "x", "content": 1}]}
    counted = count(registry, body)
    assert counted.tokens.low == 1
    assert not counted.complete
    assert any("template" in note for note in counted.notes)


def png(width, height):
    return b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)).decode()


def jpeg(width, height):
    return b64encode(b"\xff\xd8\xff\xc0\0\x11\x08" + struct.pack(">HH", height, width) + b"\3\0\0").decode()


@pytest.mark.parametrize(
    ("model", "url", "detail", "expected"),
    [
        ("gpt-4o", f"data:image/png;base64,{png(512, 512)}", "auto", (255, 255)),
        ("gpt-4o", f"data:image/jpeg;base64,{jpeg(800, 400)}", "auto", (425, 425)),
        ("gpt-4o", "https://example.org/a.png", "low", (85, 85)),
        ("gpt-4o", "https://example.org/a.png", "auto", (255, 1445)),
        ("gpt-4o-mini", f"data:image/png;base64,{png(512, 512)}", "high", (8500, 8500)),
        ("gpt-5", f"data:image/png;base64,{png(512, 512)}", "high", (210, 210)),
        ("gpt-5-mini", f"data:image/png;base64,{png(1024, 1024)}", "high", (1659, 1659)),
        ("gpt-5-mini-2025-08-07", f"data:image/png;base64,{png(64, 64)}", "auto", (7, 7)),
        ("gpt-5-nano", f"data:image/png;base64,{png(1024, 1024)}", "high", (2520, 2520)),
        ("claude-sonnet-4-5", f"data:image/png;base64,{png(280, 280)}", "", (100, 100)),
    ],
)
def test_a_picture_takes_what_the_documentation_says(registry, model, url, detail, expected):
    content = [{"type": "image_url", "image_url": {"url": url, "detail": detail}}]
    counted = count(registry, {"model": model, "messages": [{"role": "user", "content": content}]})
    (picture,) = (part for part in counted.parts if part.kind == "media")
    assert (picture.tokens.low, picture.tokens.high) == expected


def test_a_factor_that_the_documentation_has_changed_says_so(registry):
    content = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png(64, 64)}"}}]
    counted = count(registry, {"model": "gpt-5-mini", "messages": [{"role": "user", "content": content}]})
    (picture,) = (part for part in counted.parts if part.kind == "media")
    assert picture.formula.error == (
        "An older version of the page has 1.62; the one read on 2026-11-22 has 1.2, which is less."
    )


@pytest.mark.parametrize(
    "source",
    [
        {"type": "text", "media_type": "text/plain", "data": "hello world"},
        {"type": "content", "content": [{"type": "text", "text": "hello world"}]},
        {"type": "content", "content": "hello world"},
    ],
)
def test_the_text_of_a_document_is_counted(registry, source):
    content = [{"type": "document", "source": source}]
    counted = count(registry, {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": content}]})
    typed = count(registry, {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": "hello world"}]})
    assert counted.tokens == typed.tokens


def test_an_unpublished_tokenizer_gives_a_range_and_says_what_is_missing(registry):
    body = {
        "model": "claude-sonnet-4-5-20250929",
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "a " * 50}],
    }
    counted = count(registry, body)
    assert (counted.tokens.low, counted.tokens.high, counted.complete) == (62, 71, False)
    assert counted.model.money.name == "Claude Sonnet 4.5"
    measured = count(registry, body, ratio=(1.2, 1.2))
    assert (measured.tokens.low, measured.tokens.high) == (64, 66)


@pytest.mark.parametrize(
    ("title", "names"),
    [
        (
            "Claude 3 to Opus 4.6",
            "claude-3-opus-20240229 claude-3-haiku claude-3-5-sonnet-20241022 claude-3-5-haiku-latest "
            "claude-3.7-sonnet claude-3-5-sonnet@20241022 anthropic.claude-3-5-sonnet-20241022-v2:0 "
            "claude-sonnet-4-20250514 claude-opus-4-20250514 claude-opus-4-1-20250805 anthropic/claude-opus-4.1 "
            "claude-opus-4-5 claude-sonnet-4-5-20250929 claude-haiku-4-5 claude-opus-4-6 claude-sonnet-4.6 "
            "us.anthropic.claude-opus-4-6-v1:0",
        ),
        (
            "Claude Opus 4.7 and later",
            "claude-opus-4-7 anthropic/claude-opus-4.8 claude-sonnet-5 claude-opus-5-20260801 claude-opus-5-5 "
            "claude-haiku-5 claude-latest",
        ),
    ],
)
def test_every_name_of_claude_has_the_range_of_its_version(registry, title, names):
    assert {find_target(registry, name, "anthropic").range.title for name in names.split()} == {title}


def test_claude_3_5_takes_less_than_the_widest_range(registry):
    body = {"model": "claude-3-5-sonnet-20241022", "messages": [{"role": "user", "content": "hello world " * 100}]}
    counted = count(registry, body)
    assert (counted.tokens.low, counted.tokens.high) == (233, 262)


def test_gemini_counts_each_text_alone(registry):
    body = {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Hello world"}, {"functionCall": {"name": "f", "args": {"a": 1}}}]}
        ],
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"properties": {"a": {"type": "NUMBER"}}}}]}],
    }
    parts = [(part.kind, part.tokens.low) for part in count(registry, body).parts]
    assert parts == [("system", 3), ("message", 2), ("call", 2), ("tool", 2), ("format", 0)]
    assert count(registry, {"contents": []}).basis == "formula"


def test_a_prompt_of_which_nothing_is_known_has_no_cost(registry):
    failed = count(registry, {"model": "qwen3", "messages": []})
    assert (failed.tokens.high, failed.complete, failed.dollars) == (0, False, None)
    assert failed.model.money.price is not None


def test_a_request_is_counted_as_another_model_reads_it(registry):
    body = {"model": "claude-opus-5", "system": "Be brief.", "messages": [{"role": "user", "content": "Hello"}]}
    assert count(registry, body, model="gpt-4o").tokens.low == 15
    assert count(registry, body, model="qwen3").basis == "exact"
    assert count(registry, body, model="gemini-2.5-pro").tokens.low == 4


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"input": "Hi", "tools": [{"type": "web_search"}]}, "web_search"),
        ({"input": [{"role": "user", "content": "Hi"}, {"type": "reasoning"}]}, "reasoning"),
        ({"input": "Hi", "previous_response_id": "resp_1"}, "previous_response_id"),
        ({"system": "S", "messages": [{"role": "user", "content": [{"type": "document"}]}]}, "2 · user: document"),
        (
            {"system": "S", "messages": [], "tools": [{"type": "web_search_20260209", "name": "w"}]},
            "web_search_20260209",
        ),
        ({"contents": [{"parts": [{"executableCode": {"code": "1"}}]}]}, "1 · user: executableCode"),
        ({"contents": [], "tools": [{"googleSearch": {}}]}, "googleSearch"),
        ({"messages": [], "tools": [{"type": "web_search"}]}, "web_search"),
    ],
)
@pytest.mark.parametrize("model", ["gpt-4o", "claude-opus-5", "gemini-2.5-pro", "qwen3", "gpt2"])
def test_what_the_vendor_adds_is_a_part_whose_tokens_are_not_known(registry, body, name, model):
    counted = count(registry, body, model=model)
    assert name in [part.name for part in counted.parts if part.tokens is None]
    assert not counted.settled


def test_a_vocabulary_without_a_format_reads_one_text_and_of_more_the_roles_are_not_known(registry):
    assert [count(registry, {"model": "gpt2", "input": text}).settled for text in ("Hello", "")] == [True, True]
    added = count(registry, {"model": "bert-base-uncased", "input": "Hello"})
    assert (added.tokens.low, added.basis) == (3, "exact")
    body = {"model": "gpt2", "instructions": "Be brief.", "input": "Hello"}
    assert [(part.name, part.basis) for part in count(registry, body).parts] == [
        ("1 · system", "exact"),
        ("2 · user", "exact"),
        ("Roles and turns", "unknown"),
    ]


def test_a_model_whose_format_is_not_here_is_not_exact_by_its_text_alone(registry):
    counted = count(registry, {"model": "EleutherAI/pythia-1b", "input": "Hello"})
    assert (counted.tokens.low, counted.basis, counted.complete) == (1, "unknown", False)


def test_no_part_shows_a_key(registry):
    key = "sk-proj-abcdefghijklmnop0123456789"
    counted = count(registry, {"model": "gpt-4o", "messages": [{"role": "user", "content": f"My key is {key}."}]})
    assert counted.secrets == 1
    assert not any(key in part.text or part.shown for part in counted.parts)
    assert counted.parts[0].tokens.low > 10


def test_ten_thousand_messages_are_counted(registry):
    messages = [{"role": "user", "content": "Hello"}] * 10_000
    assert count(registry, {"model": "gpt-4o", "messages": messages}).tokens.low == 50_003


@pytest.mark.parametrize(
    ("body", "error", "text"),
    [
        ({"messages": []}, Invalid, "names no model"),
        ({"model": "no-such-model-9", "messages": []}, UnknownTokenizer, "There is no tokenizer"),
        ({"model": "gpt-4o", "messages": [{}] * 20_001}, TooLarge, "at most 20,000"),
    ],
)
def test_what_cannot_be_counted_is_refused(registry, body, error, text):
    with pytest.raises(error, match=text):
        count(registry, body)
