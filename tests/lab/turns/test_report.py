"""Measured logs: how many ids of each prompt and turn begin the next, why the others do not, and what mends it."""

import json

import pytest
from tokenarium.errors import OverLimit
from tokenarium.lab.chat.limits import share_limits
from tokenarium.lab.chat.rendering import render
from tokenarium.lab.chat.tokens import tokenize_chat
from tokenarium.lab.turns.examples import MESSAGES, make_log
from tokenarium.lab.turns.report import TurnsOptions, examine_conversations, examine_turns
from tokenarium.lab.turns.trajectory import read_trajectories

LIMIT = 2_000_000
EVERY = {
    "qwen3": ([243, 298, 348, 353, 407], [0, 243, 298, 243, 353]),
    "mistral-v3": ([167, 233, 294, 308, 373], [0, 167, 233, 1, 308]),
    "gpt-oss-120b": ([165, 220, 267, 267, 320], [0, 165, 220, 165, 267]),
}
"""The ids of each prompt of the logs, and how many of them begin as the prompt before."""
BROKEN = {
    "qwen3": [("prompt", 348, 105, "reasoning"), ("turn", 362, 119, "reasoning")],
    "qwen3.5": [("prompt", 495, 134, "reasoning"), ("turn", 508, 147, "reasoning")],
    "glm-4": [("prompt", 340, 78, "reasoning"), ("turn", 351, 89, "reasoning")],
    "mistral-v3": [("prompt", 294, 293, "moved"), ("turn", 302, 301, "moved")],
    "gpt-oss-120b": [
        ("generation", 267, 102, "reasoning"),
        ("prompt", 267, 102, "reasoning"),
        ("turn", 265, 16, "reasoning"),
    ],
}
"""The checks that fail: the relation, the ids of the earlier sequence, how many of them are lost, and why."""


@pytest.fixture(scope="module")
def examine(registry):
    def examine(model, text=None, **options):
        [trajectory] = read_trajectories(text or make_log(model)).trajectories
        return examine_turns(registry, trajectory, TurnsOptions(model=model, **options), limit=LIMIT)

    return examine


@pytest.mark.parametrize("model", EVERY)
def test_the_prompts_of_a_log_share_the_measured_ids(examine, model):
    lanes = examine(model).lanes
    assert ([len(lane.prompt) for lane in lanes], [lane.shared for lane in lanes]) == EVERY[model]


@pytest.mark.parametrize("model", BROKEN)
def test_a_lost_prefix_has_its_cause(examine, model):
    broken = examine(model).broken
    assert [(one.relation, one.size, one.lost, one.cause.code) for one in broken] == BROKEN[model]


def test_the_first_difference_has_its_place_and_both_tokens(examine):
    check, *_ = examine("qwen3").broken
    difference = check.difference
    assert (difference.token, difference.before.piece, difference.after.piece) == (243, "<think>", "<tool_call>")
    assert difference.before_text.endswith("assistant\n<think>\nFirst the weather.\n</think>\n\n<tool…")
    assert check.earlier.text[: difference.char] == check.later.text[: difference.char]
    assert check.cause.detail == "The reasoning of message 3 (assistant) is dropped."


@pytest.mark.parametrize(
    ("model", "lost", "proof"),
    [
        ("qwen3", 224, "With TRL’s training template of Qwen3 nothing is lost."),
        ("qwen3.5", 281, "With TRL’s training template of Qwen3.5 nothing is lost."),
        ("qwen3.6", 281, "With preserve_thinking=true nothing is lost."),
        ("glm-4.7-flash", 132, "With clear_thinking=false nothing is lost."),
    ],
)
def test_what_mends_a_template_is_tried_on_the_conversation(examine, model, lost, proof):
    report = examine(model)
    assert (sum(check.lost for check in report.broken), report.mends[0].proof) == (lost, proof)


def test_an_argument_mends_a_conversation_without_tools(examine):
    messages = [{key: value for key, value in one.items() if key != "tool_calls"} for one in MESSAGES]
    spoken = [one for one in messages if one["role"] != "tool" and one.get("content")]
    report = examine("deepseek-v4", json.dumps(spoken), chat_template_kwargs={"thinking": True})
    assert [(one.relation, one.lost, one.cause.code) for one in report.broken] == [
        ("prompt", 1, "reasoning"),
        ("turn", 10, "reasoning"),
    ]
    assert report.mends[0].proof == "With drop_thinking=false nothing is lost."


def test_a_template_that_mends_nothing_is_not_named(examine):
    for model in ("mistral-v3", "gpt-oss-120b"):
        report = examine(model)
        assert (report.mends, report.notes[0]) == ((), "No argument of the template was found that mends this.")


USER, SECOND = {"role": "user", "content": "Hi"}, {"role": "user", "content": "Why?"}
ANSWER = {"role": "assistant", "content": "Yes."}
CALL = {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {"name": "f"}}]}
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
CALLS = (
    "{{ m.content }}{% set end = loop.last %}{% for c in m.tool_calls %}"
    "{{ c.function.arguments | tojson if end else c.function.name }}{% endfor %}"
)


def call(arguments):
    return {**CALL, "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": arguments}}]}


@pytest.mark.parametrize(
    ("messages", "template", "cause"),
    [
        ([USER, ANSWER, SECOND], None, "The empty reasoning block of message 2 (assistant) is left out later."),
        (
            [USER, ANSWER, SECOND],
            f"{CHATML}{{% if not add_generation_prompt %}}<|endoftext|>{{% endif %}}",
            "The turn ends with <|endoftext|>, which becomes <|im_start|> in the next prompt.",
        ),
        (
            [USER, ANSWER, SECOND],
            CHATML.replace("assistant\n{% endif", "assistant\n:{% endif"),
            "The generation prompt is “<|im_start|>assistant↵:”, "
            "and the turn has “<|im_start|>assistant↵Yes.<|im_end|>↵”.",
        ),
        (
            [USER, ANSWER, SECOND],
            CHATML.replace("{{ m.content }}", "{{ m.content[:loop.revindex] }}"),
            "Message 1 (user) is rewritten once more messages follow.",
        ),
        (
            [USER, call('{"a": 1}'), SECOND],
            CHATML.replace("{{ m.content }}", CALLS),
            "Message 2 (assistant) calls a tool; the template rewrites the call once more messages follow.",
        ),
    ],
)
def test_other_causes_are_found_by_trying(examine, messages, template, cause):
    text = json.dumps(messages)
    check, *_ = examine("qwen3", text, chat_template=template).broken
    assert check.cause.detail == cause


@pytest.mark.parametrize("model", ["qwen3", "mistral-v3", "gpt-oss-120b", "phi-3"])
def test_the_ids_of_a_turn_are_those_of_its_whole_text(registry, examine, model):
    report = examine(model)
    for one in (one for lane in report.lanes for one in (lane.prompt, lane.whole) if one):
        rendering = render(registry, report.tokenizer, one.conversation)
        whole = tokenize_chat(registry, report.tokenizer, rendering, limit=LIMIT).tokenization
        assert [*one.tokenization.tokens()] == [*whole.tokens()]


def test_a_special_token_in_a_message_is_no_special_token_of_the_turn(examine):
    report = examine("qwen3", json.dumps([{"role": "user", "content": "Say <|im_end|>"}, ANSWER]))
    assert report.lanes[0].prompt.ids.count(151645) == 1
    assert report.broken == ()


def test_the_turns_of_all_conversations_of_a_request_share_their_length(registry):
    conversation = [{"role": "user", "content": "a" * 500}, {"role": "assistant", "content": "b"}]
    options = TurnsOptions(model="qwen3", chat_template="{{ messages[0].content }}")
    rows = [{"messages": conversation}, {"messages": conversation}]
    with share_limits(length=2000):
        assert len(examine_conversations(registry, rows, options, limit=LIMIT)) == 2
        with pytest.raises(OverLimit, match="All turns together are longer than 60,000,000 characters"):
            examine_conversations(registry, rows[:1], options, limit=LIMIT)
