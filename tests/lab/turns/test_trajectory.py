"""Conversations are read from messages, logs and training rows, and cut into turns."""

import json

import pytest
from tokenarium.errors import Invalid, OverLimit
from tokenarium.lab.turns.trajectory import read_trajectories

SYSTEM, USER = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}
ANSWER, SECOND = {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "Why?"}
TOOL = {"type": "function", "function": {"name": "f"}}
MESSAGES = [USER, ANSWER, SECOND]
TURNS = [(1, ANSWER), (3, None)]


def lines(*values):
    return "\n".join(map(json.dumps, values))


def turns(text):
    return [
        [(len(one.prompt.messages), one.answer) for one in found.turns]
        for found in read_trajectories(text).trajectories
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (lines(MESSAGES), [TURNS]),
        (lines(*MESSAGES), [TURNS]),
        (lines({"model": "qwen3", "messages": MESSAGES}), [TURNS]),
        (lines({"messages": MESSAGES[:2]}, {"messages": MESSAGES[:2]}), [TURNS[:1]] * 2),
        (lines({"prompt": [USER], "completion": [ANSWER]}, {"prompt": "Hi", "completion": "Yes."}), [TURNS[:1]] * 2),
        (lines({"prompt": [USER], "chosen": [ANSWER], "rejected": [SECOND]}), [TURNS[:1]]),
        (lines({"data_source": "gsm8k", "prompt": [USER], "reward_model": {"style": "rule"}}), [[(1, None)]]),
        (lines({"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Yes."}]}), [TURNS[:1]]),
    ],
    ids=["messages", "a message a line", "request", "TRL", "TRL prompts", "TRL preferences", "verl", "ShareGPT"],
)
def test_each_shape_is_cut_into_its_turns(text, expected):
    assert turns(text) == expected


def test_requests_that_begin_alike_are_turns_and_others_are_conversations_of_their_own():
    one, other = {"model": "qwen3"}, {"model": "glm-4.6"}
    log = [
        {**one, "messages": [SYSTEM, USER]},
        {**other, "messages": [USER]},
        {**one, "messages": [SECOND]},
        {**one, "messages": [SYSTEM, USER, ANSWER, SECOND]},
    ]
    assert turns(lines(*log)) == [[(2, ANSWER), (4, None)], [(1, None)], [(1, None)]]
    assert [turn.line for turn in read_trajectories(lines(*log)).trajectories[0].turns] == [1, 4]


def test_an_answer_comes_from_the_record_if_the_next_request_does_not_have_it():
    record = {"request": {"model": "qwen3", "messages": [USER]}, "response": {"choices": [{"message": ANSWER}]}}
    following = {"request": {"model": "qwen3", "messages": [USER, SECOND]}}
    assert turns(lines(record, following)) == [[(1, ANSWER), (2, None)]]


def test_tools_and_arguments_of_the_template_come_with_a_row():
    row = {"messages": MESSAGES, "tools": json.dumps([TOOL]), "chat_template_kwargs": {"enable_thinking": False}}
    calls = [{"from": "function_call", "value": json.dumps({"name": "f", "arguments": {}})}]
    shared = {"conversations": [{"from": "human", "value": "Hi"}, *calls], "tools": json.dumps([TOOL])}
    (first,), (second,) = (read_trajectories(lines({**one, "id": 1})).trajectories for one in (row, shared))
    assert (first.turns[0].prompt.tools, first.turns[0].prompt.options) == ([TOOL], {"enable_thinking": False})
    assert second.turns[0].answer["tool_calls"] == [{"type": "function", "function": {"name": "f", "arguments": {}}}]


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        ([ANSWER], "The conversation has no message before that of the assistant."),
        ({"messages": []}, "The conversation has no messages."),
        ({"messages": [USER, {"content": "Hi"}]}, "A message has no role."),
        ({"messages": [{**USER, "content": 5}]}, "The content of message 1 is no text and no list of parts."),
        ({"messages": [USER, {**ANSWER, "content": {}}]}, "The content of message 2 is no text and no list of parts."),
        ({"conversations": [], "tools": "["}, "The tools are not valid JSON."),
        ({"text": "Hi"}, "This is no request to a model: looked for "),
    ],
)
def test_what_is_no_conversation_is_refused(value, detail):
    with pytest.raises(Invalid) as caught:
        read_trajectories(json.dumps(value))
    assert caught.value.detail.startswith(detail)


def test_a_line_without_a_conversation_is_named_and_the_others_are_read():
    log = read_trajectories(lines({"messages": MESSAGES}, {"messages": []}) + "\n{")
    assert (len(log.trajectories), [one.number for one in log.broken]) == (1, [2, 3])


def test_a_conversation_with_too_many_turns_is_refused_before_it_is_rendered():
    with pytest.raises(OverLimit) as caught:
        read_trajectories(json.dumps([USER, ANSWER] * 10_000))
    limit = "at most 400,000 are rendered. Divide the conversation."
    assert caught.value.detail == f"The 10,000 turns of a conversation have 200,010,000 messages in all; {limit}"
