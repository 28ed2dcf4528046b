"""Read conversations from what people log and train on, and cut each into its turns.

Beside the requests that `lab/request` reads, these are rows of training sets: TRL's `messages`, `prompt` with
`completion` or `chosen`, verl's `prompt`, ShareGPT's `conversations`; and a conversation with one message on each line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...errors import Invalid, OverLimit
from ..chat.conversation import Conversation
from ..request.conversions import to_chat
from ..request.log import BrokenLine, read_requests
from ..request.open_models import make_conversation
from ..request.recognition import ModelCall, recognize
from ..request.values import compact_json, mapping, objects, parse_json, text_of

Json = Mapping[str, Any]
MAX_RENDERED = 400_000
"""Messages in all prompts and turns of one conversation, each of which is rendered as a whole: some 400 turns."""
ONE_MESSAGE = "a message on each line"
SHAREGPT_ROLES = {"human": "user", "gpt": "assistant", "observation": "tool", "function_call": "assistant"}


@dataclass(frozen=True, slots=True)
class Turn:
    """A prompt, and the message of the assistant that answers it; None if it is not known.

    `line` is the line of the text that the prompt is from.
    """

    prompt: Conversation
    answer: Json | None = None
    line: int = 1

    @property
    def whole(self) -> Conversation | None:
        """The conversation up to and with the answer, without a generation prompt."""
        if self.answer is None:
            return None
        return replace(self.prompt, messages=[*self.prompt.messages, self.answer], add_generation_prompt=False)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A conversation in its turns. `source` names what it was read from."""

    turns: tuple[Turn, ...]
    model: str = ""
    source: str = ""

    @property
    def line(self) -> int:
        """The line at which it begins."""
        return self.turns[0].line


@dataclass(frozen=True, slots=True)
class TrajectoryLog:
    """The conversations of a text, and the lines that have none."""

    trajectories: tuple[Trajectory, ...]
    broken: tuple[BrokenLine, ...] = ()
    broken_count: int = 0


def read_trajectories(text: str) -> TrajectoryLog:
    """Return the conversations in a text: one JSON value, or one on each line.

    Raises `Invalid` if it has none, with the reason, and `OverLimit`.
    """
    log = read_requests(text, recognize_rows)
    return TrajectoryLog((*group_calls(zip(log.calls, log.lines, strict=True)),), log.broken, log.broken_count)


def recognize_rows(value: Any) -> list[ModelCall]:
    """Return the conversations in a JSON value, each as a request. Raises `Invalid`.

    >>> row = {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]}
    >>> [call.body["messages"][1] for call in recognize_rows(row)]
    [{'role': 'assistant', 'content': 'Hello'}]
    """
    if isinstance(value, Mapping) and isinstance(value.get("role"), str) and "messages" not in value:
        return [ModelCall("chat", {"messages": [value]}, recorder=ONE_MESSAGE)]
    items = value if isinstance(value, list) else [value]
    rows = [_read_row(item) for item in items if isinstance(item, Mapping)]
    calls = [row for row in rows if row] if rows and all(rows) else recognize(value)
    for call in calls:
        _check_messages(list_messages(call))
    return calls


def _check_messages(messages: Iterable[Any]) -> None:
    """Raise `Invalid` if a message has no role, or a content that is no text and no parts, of which templates write
    nothing without a word; a tool's result may be any JSON."""
    for number, message in enumerate(messages, 1):
        if not isinstance(message, Mapping) or "role" not in message:
            raise Invalid("A message has no role.", pointer="/messages")
        content = message.get("content")
        if message["role"] != "tool" and not (content is None or isinstance(content, str | list)):
            raise Invalid(f"The content of message {number} is no text and no list of parts.", pointer="/messages")


def list_messages(call: ModelCall) -> list[Any]:
    """Return the messages of a request. Raises `Invalid` if it has none."""
    messages = to_chat(call.body, call.format).get("messages")
    if not isinstance(messages, list) or not messages:
        raise Invalid("The conversation has no messages.", pointer="/messages")
    return messages


def _read_row(item: Json) -> ModelCall | None:
    """Return the row of a training set that is no request, or None."""
    match item:
        case {"conversations": [*messages]}:
            return _make_row(item, [_read_sharegpt(one) for one in objects(messages)], "ShareGPT")
        case {"prompt": prompt, "completion": answer} | {"prompt": prompt, "chosen": answer}:
            return _make_row(item, [*_as_messages(prompt, "user"), *_as_messages(answer, "assistant")], "TRL")
        case {"prompt": [*prompt]} if "messages" not in item:
            return _make_row(item, prompt, "verl")
        case {"messages": [*_], "tools": str()} | {"messages": [*_, {"role": "assistant"}]}:
            return None if "model" in item else _make_row(item, item["messages"], "TRL")
        case _:
            return None


def _make_row(item: Json, messages: list[Any], source: str) -> ModelCall:
    body: dict[str, Any] = {"messages": messages, "chat_template_kwargs": mapping(item.get("chat_template_kwargs"))}
    tools = item.get("tools")
    try:
        # TRL keeps tools as a string of JSON, too, since the schemas of a column must agree.
        body["tools"] = parse_json(tools) if isinstance(tools, str) and tools else tools
    except ValueError:
        raise Invalid("The tools are not valid JSON.", pointer="/tools") from None
    compact_json(body).encode(errors="replace")
    return ModelCall("chat", body, recorder=source)


def _as_messages(value: Any, role: str) -> list[Any]:
    return [{"role": role, "content": value}] if isinstance(value, str) else value if isinstance(value, list) else []


def _read_sharegpt(one: Json) -> dict[str, Any]:
    """Return a message of ShareGPT, whose calls of tools are a JSON object in the text."""
    if "role" in one:
        return dict(one)
    role = text_of(one.get("from"))
    content = text_of(one.get("value"))
    message = {"role": SHAREGPT_ROLES.get(role, role), "content": content}
    if role != "function_call":
        return message
    try:
        called = parse_json(content)
    except ValueError:
        return message
    calls = called if isinstance(called, list) else [called]
    return message | {"content": "", "tool_calls": [{"type": "function", "function": mapping(call)} for call in calls]}


def group_calls(calls: Iterable[tuple[ModelCall, int]]) -> Iterator[Trajectory]:
    """Yield the conversations of requests: a row is one of its own, requests that begin alike are turns of one.

    Requests begin alike if they are for the same model and their first message that is not the system's is the same.
    """
    logs: dict[tuple[str, str], list[tuple[ModelCall, int]]] = {}
    messages: list[Any] = []
    for call, line in calls:
        said = list_messages(call)
        if call.recorder == ONE_MESSAGE:
            messages += said
        elif said[-1].get("role") == "assistant" or call.recorder in ("TRL", "verl", "ShareGPT"):
            yield cut(_conversation(call), model=call.model, source=call.recorder or "messages", line=line)
        else:
            first = next((one for one in said if one.get("role") not in ("system", "developer")), said[0])
            logs.setdefault((call.model, compact_json(first)), []).append((call, line))
    if messages:
        yield cut(Conversation(messages), source=ONE_MESSAGE)
    for members in logs.values():
        yield _join(members)


def _join(members: list[tuple[ModelCall, int]]) -> Trajectory:
    """Return requests, each of which continues the one before, as a conversation; the answers are from the records, or
    from the next request."""
    (call, line), *others = members
    if not others:
        return cut(_conversation(call), model=call.model, source=call.title, line=line)
    _check_size([len(list_messages(one)) for one, _ in members])
    prompts = [_conversation(one) for one, _ in members]
    turns = []
    for (one, number), prompt, following in zip(members, prompts, [*prompts[1:], None], strict=True):
        turns.append(Turn(prompt, _recorded(one) or _next_answer(prompt, following), number))
    return Trajectory(tuple(turns), call.model, f"{len(members):,} requests")


def _conversation(call: ModelCall) -> Conversation:
    return replace(make_conversation(to_chat(call.body, call.format)), add_generation_prompt=True)


def _recorded(call: ModelCall) -> Json | None:
    """Return the answer to a request of Chat Completions that its record has."""
    choices = objects(mapping(call.answer).get("choices"))
    message = mapping(choices[0].get("message")) if choices else {}
    return {key: value for key, value in message.items() if value is not None} or None


def _next_answer(prompt: Conversation, following: Conversation | None) -> Json | None:
    """Return the message of the assistant that a request has behind the messages of the one before it."""
    size = len(prompt.messages)
    if following is None or [*following.messages[:size]] != [*prompt.messages]:
        return None
    message = following.messages[size] if len(following.messages) > size else {}
    return message if message.get("role") == "assistant" else None


def cut(conversation: Conversation, *, model: str = "", source: str = "messages", line: int = 1) -> Trajectory:
    """Return a conversation cut before each message of the assistant, and at its end if none is last.

    >>> user, answer = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}
    >>> [(len(turn.prompt.messages), turn.answer) for turn in cut(Conversation([user, answer, user])).turns]
    [(1, {'role': 'assistant', 'content': 'Hello'}), (3, None)]

    Raises `Invalid` if nothing is before the assistant's message, and `OverLimit`.
    """
    messages = conversation.messages
    places = [place for place, one in enumerate(messages) if one.get("role") == "assistant" and place]
    _check_size(places)
    turns = [Turn(replace(conversation, messages=messages[:place]), messages[place], line) for place in places]
    if messages and messages[-1].get("role") != "assistant":
        turns.append(Turn(conversation, None, line))
    if not turns:
        raise Invalid("The conversation has no message before that of the assistant.", pointer="/messages")
    return Trajectory(tuple(turns), model, source)


def _check_size(sizes: Sequence[int]) -> None:
    """Raise `OverLimit` for the numbers of messages of prompts, with which all turns are too long to be rendered."""
    total = sum(2 * size + 1 for size in sizes)
    if total > MAX_RENDERED:
        raise OverLimit(
            f"The {len(sizes):,} turns of a conversation have {total:,} messages in all; at most {MAX_RENDERED:,} are "
            "rendered. Divide the conversation.",
            limit=MAX_RENDERED,
        )
