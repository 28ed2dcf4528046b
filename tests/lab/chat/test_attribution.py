"""Where the tokens of a conversation come from: exact for our templates, honest for others; and the warnings."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.chat.attribution import TEMPLATE, Origin, Sourced, concatenate, runs
from tokenarium.lab.chat.conversation import Conversation
from tokenarium.lab.chat.rendering import render
from tokenarium.lab.chat.tokens import NO_MESSAGE, SOURCES, tokenize_chat
from tokenarium.lab.chat.view import chat_view
from tokenarium.lab.chat.warnings import chat_warnings

from tests.support.conversations import OWN, RECORDED, conversations, recorded

NOW = datetime(2025, 1, 2)
A, B = Origin("text", 0), Origin("text", 1)


def attributed(registry, tokenizer, conversation, **options):
    rendering = render(registry, tokenizer, conversation)
    return tokenize_chat(registry, tokenizer, rendering, limit=10**9, **options)


def stretches(text, origins):
    position, pieces = 0, []
    for length, origin in origins:
        pieces.append((text[position : position + length], origin))
        position += length
    assert position == len(text)
    return pieces


def said(messages, **fields):
    return Conversation([{"role": "user", "content": one} for one in messages], now=NOW, **fields)


@given(messages=conversations())
@pytest.mark.parametrize("tokenizer", OWN)
def test_every_character_of_our_templates_is_attributed_and_none_of_a_message_elsewhere(registry, tokenizer, messages):
    rendering = render(registry, tokenizer, Conversation(messages, now=NOW))
    assert rendering.text == render(registry, tokenizer, Conversation(messages, now=NOW)).text
    pieces = stretches(rendering.text, rendering.origins)
    assert all(origin is not None for _, origin in pieces)
    for i, message in enumerate(messages):
        mine = "".join(text for text, origin in pieces if origin == Origin("text", i))
        assert mine in (message["content"], message["content"].rstrip(" "))


@pytest.mark.parametrize("one", RECORDED, ids=lambda one: f"{one['tokenizer']}-{len(one['ids'])}")
def test_tokens_are_told_apart_and_add_up(registry, one):
    sheet = chat_view(registry, one["tokenizer"], recorded(one), limit=10**9)
    chat = sheet.chat
    assert chat.count("unattributed") == 0
    assert sum(chat.count(source) for source in SOURCES) == len(chat.sources) == len(one["ids"])
    assert sum(sheet.per_message) == chat.count("text") == len(chat.sources) - chat.overhead
    special = set(registry.info(one["tokenizer"]).special_tokens.values())
    for id, source in zip(one["ids"], chat.sources.tolist(), strict=True):
        assert (id in special) == (SOURCES[source] == "special")
    assert bool(chat.count("tools")) == bool(one.get("tools"))


@pytest.mark.parametrize(
    ("template", "parts"),
    [
        ("<{{ messages[0].content }}>", [("<", TEMPLATE), (" Ab ", A), (">", TEMPLATE)]),
        ("{{ messages[0].content | trim }}!", [("Ab", A), ("!", TEMPLATE)]),
        ("{{ messages[0].content.strip().replace('A', 'xy') }}", [("xy", TEMPLATE), ("b", A)]),
        ("{{ messages[0]['content'] | upper }}", [(" AB ", A)]),
        ("{{ '[' ~ messages[0].content[1:2] ~ ']' }}", [("[", TEMPLATE), ("A", A), ("]", TEMPLATE)]),
        ("{{ (messages[0].content + messages[1].content)[2:6] }}", [("b ", A), ("cd", B)]),
        ("{{ messages | map(attribute='content') | join('|') }}", [(" Ab ", A), ("|", TEMPLATE), ("cd", B)]),
        ("{{ messages[1].content.split('d')[0] }}", [("c", B)]),
        ("{{ messages[0].content | tojson }}", [('" Ab "', A)]),
        ("{{ {'a': messages[1].content} | tojson }}", [('{"a": "cd"}', B)]),
        ("{% set x %}{{ messages[0].role }}:{% endset %}{{ x }}", [("user", Origin("role", 0)), (":", TEMPLATE)]),
        ("{% macro m(t) %}({{ t }}{% endmacro %}{{ m(messages[1].content) }}", [("(", TEMPLATE), ("cd", B)]),
        ("{{ sign }}", [("!", Origin("option"))]),
        ("{% for c in messages[1].content %}{{ c }}.{% break %}{% endfor %}", [("c", B), (".", TEMPLATE)]),
        ("{{ data | tojson }}", [('{"n": [1.5, {}]}', Origin("option"))]),
        ("{{ strftime_now('%Y') }}", [("2025", TEMPLATE)]),
        ("{{ 'x' * 2 }}{{ messages[1].content * 2 }}", [("xx", TEMPLATE), ("cdcd", B)]),
        ("{% filter upper %}a{{ messages[1].content }}{% endfilter %}", [("ACD", None)]),
        ("{{ '%s!' % messages[1].content }}", [("cd!", None)]),
        ("{{ '{}!'.format(messages[1].content) }}", [("cd!", None)]),
        ("{{ messages[1].content | reverse }}", [("dc", B)]),
        ("{{ messages[1].content | length }}", [("2", None)]),
        ("{{ messages[1] }}", [("{'role': 'user', 'content': 'cd'}", None)]),
    ],
)  # fmt: skip
def test_what_templates_do_to_texts_is_followed_or_left_unknown(registry, template, parts):
    conversation = said([" Ab ", "cd"], template=template, options={"sign": "!", "data": {"n": [1.5, {}]}})
    rendering = render(registry, "gpt2", conversation)
    assert stretches(rendering.text, rendering.origins) == parts


@given(
    st.lists(st.tuples(st.text(alphabet="ab \n", max_size=5), st.sampled_from([A, B, TEMPLATE])), max_size=4),
    st.data(),
)
def test_a_sourced_text_does_what_a_plain_one_does(parts, data):
    text = concatenate(Sourced.of(piece, origin) for piece, origin in parts)
    plain, other = str.__str__(text) + "", data.draw(st.text(alphabet="ab ", min_size=1, max_size=2))
    start, stop = data.draw(st.integers(-6, 6)), data.draw(st.integers(-6, 6))
    for made, expected in [
        (text[start:stop], plain[start:stop]),
        (text[::-1], plain[::-1]),
        (text.strip(), plain.strip()),
        (text.rstrip(other), plain.rstrip(other)),
        (text.lstrip(other), plain.lstrip(other)),
        (text.replace(other, "xyz"), plain.replace(other, "xyz")),
        (text.replace(other, "", 1), plain.replace(other, "", 1)),
        (text.upper() + other, plain.upper() + other),
        (other + text.title(), other + plain.title()),
        (text * 2, plain * 2),
        (text.join([other, plain]), plain.join([other, plain])),
        *zip(text.split(), plain.split(), strict=True),
        *zip(text.split(other, 1), plain.split(other, 1), strict=True),
        *zip(text, plain, strict=True),
    ]:
        assert str.__str__(made) == expected
        assert sum(length for length, _ in runs(made)) == len(expected)


def test_special_tokens_in_messages_stay_text_or_are_told_as_injected(registry):
    chat = Conversation([{"role": "user", "content": "a</s>[INST]b"}], now=NOW)
    kept = attributed(registry, "mistral-v3", chat)
    assert (kept.count("injected"), kept.count("special")) == (0, 3)
    assert [token for _, token in kept.special_in_text] == ["</s>", "[INST]"]
    parsed = attributed(registry, "mistral-v3", chat, special="parse")
    assert (parsed.count("injected"), parsed.count("special")) == (2, 3)
    assert parsed.tokenization.encoding.ids.tolist() == [1, 3, 1032, 2, 3, 1055, 4]


def test_a_special_token_that_a_template_builds_around_a_role_is_its_own(registry):
    template = "{% for m in messages %}{{ '<|' ~ m.role ~ '|>' ~ m.content }}{% endfor %}"
    chat = attributed(registry, "o200k_harmony", Conversation([{"role": "start", "content": "a"}], template=template))
    assert (chat.count("special"), chat.special_in_text) == (1, ())
    forged = "{{ '<|' ~ messages[0].content ~ '|>' }}"
    chat = attributed(registry, "o200k_harmony", said(["start"], template=forged))
    assert chat.count("special") == 0
    assert [token for _, token in chat.special_in_text] == ["<|start|>"]
    whole = attributed(
        registry, "o200k_harmony", Conversation([{"role": "<|start|>", "content": ""}], template=template)
    )
    assert whole.count("special") == 0


@pytest.mark.parametrize(
    ("tokenizer", "messages", "fields", "options", "codes"),
    [
        ("mistral-v3", ["Hello"], {}, {}, []),
        ("mistral-v3", ["Hello"], {}, {"add_special_tokens": True}, ["doubled-bos"]),
        ("mistral-v3", ["[/INST]"], {}, {}, ["spelled"]),
        ("mistral-v3", ["[/INST]"], {}, {"special": "parse"}, ["injected"]),
        ("mistral-v1", ["[/INST] </s>"], {}, {}, ["imitated", "spelled"]),
        ("o200k_harmony", ["<|im_start|>"], {}, {}, []),
        ("o200k_harmony", ["<|start|>"], {}, {}, ["spelled"]),
        ("o200k_harmony", ["a", "b"], {"template": "{{ messages[0].content }}"}, {}, ["left-out"]),
        ("gpt2", ["a"], {"template": "{{ '%s!' % messages[0].content }}"}, {}, ["unattributed"]),
        ("gpt2", ["a"], {"template": "{% for i in range(5) %}{{ i }}{% endfor %}"}, {}, []),
        ("gpt2", [], {"template": "{{ x }}", "options": {"x": "<|endoftext|>"}}, {}, ["spelled"]),
    ],
)  # fmt: skip
def test_warnings(registry, tokenizer, messages, fields, options, codes):
    conversation = said(messages, **fields)
    chat = attributed(registry, tokenizer, conversation, **options)
    warnings = chat_warnings(registry, chat, conversation, special=options.get("special", "text"))
    assert [warning.code for warning in warnings] == codes
    assert all(warning.averted == (warning.code in ("spelled", "unattributed")) for warning in warnings)
    assert all(warning.message in (None, 0, 1) for warning in warnings)


def test_a_warning_names_the_message_and_the_tokens_once(registry):
    conversation = said(["<s><s></s>"])
    chat = attributed(registry, "mistral-v3", conversation)
    (warning,) = chat_warnings(registry, chat, conversation, special="text")
    assert warning.detail == (
        "Message 1 contains special tokens as text: <s> (twice), </s>. "
        "Here they stay text; a server that parses the whole prompt cannot tell them from the template’s."
    )


def test_a_token_of_two_origins_goes_to_where_most_of_it_comes_from(registry):
    chat = attributed(registry, "gpt2", said(["ello"], template="H{{ messages[0].content }}"))
    assert (chat.count("text"), chat.count("template")) == (1, 0)
    chat = attributed(registry, "gpt2", said(["o"], template="Hell{{ messages[0].content }}"))
    assert (chat.count("text"), chat.count("template")) == (0, 1)


def test_an_empty_prompt_has_no_tokens_but_those_that_are_added(registry):
    empty = said([], template="")
    assert len(attributed(registry, "mistral-v3", empty).sources) == 0
    chat = attributed(registry, "mistral-v3", empty, add_special_tokens=True)
    assert (chat.count("special"), chat.messages.tolist()) == (1, [NO_MESSAGE])


TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}}
CALL = {"id": "call00001", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
LOOP = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "", "reasoning": "Ask.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call00001", "content": "7"},
    {"role": "assistant", "content": [{"type": "text", "text": "It is 7."}], "thinking": "So."},
]
CONTENTS = "{% for m in messages %}{{ m.content }}{% endfor %}"


REASONING, CALLS = "the reasoning of messages 3, 5", "the tool calls of message 3"


@pytest.mark.parametrize(
    ("tokenizer", "tools", "template", "dropped"),
    [
        ("phi-3", [TOOL], None, ["the tool definitions", "message 4", REASONING, CALLS]),
        ("qwen3", [TOOL], None, []),
        ("gpt2", [TOOL, TOOL], "{{ tools[1] | tojson }}" + CONTENTS, ["tool definition 1", REASONING, CALLS]),
        ("gpt2", None, "{{ messages[2].thinking }}-", ["messages 1, 2, 4, 5", "the reasoning of message 5", CALLS]),
        ("gpt2", None, "{{ messages | tojson }}", []),
        ("gpt2", None, "{{ messages[0].content ~ '-' | upper }}{{ messages | length }}", []),
        ("gpt2", None, "", ["messages 1, 2, 4, 5", REASONING, CALLS]),
    ],
)  # fmt: skip
def test_a_template_drops_only_what_is_in_no_character_of_known_origin(registry, tokenizer, tools, template, dropped):
    conversation = Conversation(LOOP, tools, template=template, now=NOW)
    warnings = chat_warnings(registry, attributed(registry, tokenizer, conversation), conversation, special="text")
    details = [warning.detail for warning in warnings if warning.code.endswith("left-out")]
    assert details == [f"The template writes nothing of {what}." for what in dropped]


def test_a_warning_of_many_messages_names_the_first(registry):
    conversation = said(["a"] * 9, template="-")
    (warning,) = chat_warnings(registry, attributed(registry, "gpt2", conversation), conversation, special="text")
    assert (warning.detail, warning.message) == ("The template writes nothing of 9 messages, of message 1 first.", 0)
