"""Warnings about a conversation: what its template drops, and special tokens where none should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Any, Literal

import regex

from ...errors import join_names
from ...registry import Registry
from ...types import ChatTemplate
from .attribution import Origin
from .conversation import FIELDS, Conversation, is_media
from .rendering import choose_template, reads_conversation, reads_parts
from .tokens import ChatTokens, SpecialHandling

MAX_NUMBERS = 5
"""Messages that a warning names; of more it has the number and the first."""
DROPPED = {"": "", "reasoning": "the reasoning of ", "tool_calls": "the tool calls of "}
"""What is looked for in a prompt, by the field of its origin, and what a warning calls it."""
LOOKED_FOR = {"content": "", **FIELDS}
"""The field of the origin of what is looked for, by key of a message."""
Code = Literal[
    "doubled-bos",
    "injected",
    "spelled",
    "imitated",
    "left-out",
    "tools-left-out",
    "unattributed",
    "no-prefix",
    "end-outside",
    "no-end",
    "no-loss",
    "trimmed",
]


@dataclass(frozen=True, slots=True)
class ChatWarning:
    """A problem, with a code for programs and a complete sentence for people.

    `message` is the index of the message that causes it. `averted` is True if it does no harm in this tokenization but
    would in another.
    """

    code: Code
    detail: str
    message: int | None = None
    averted: bool = False


def chat_warnings(
    registry: Registry, chat: ChatTokens, conversation: Conversation, *, special: SpecialHandling
) -> list[ChatWarning]:
    """Return all warnings about a tokenized conversation, those that are averted last."""
    id = chat.tokenization.tokenizer.info.id
    template = choose_template(registry, id, conversation)
    warnings = [
        *_warn_duplicate_bos(chat),
        *_warn_special_in_text(chat, special),
        *_warn_imitated(chat, template.marks),
        *warn_left_out(chat.written, conversation),
        *_warn_media(template, conversation),
    ]
    if None in chat.origins and chat.tokenization.text and reads_conversation(template.text):
        detail = "The template processes some texts in a way that hides which message they come from."
        warnings.append(ChatWarning("unattributed", detail, averted=True))
    return sorted(warnings, key=lambda warning: warning.averted)


def _warn_duplicate_bos(chat: ChatTokens) -> Iterator[ChatWarning]:
    """Warn of a BOS token that both the template writes and the tokenizer adds."""
    info = chat.tokenization.tokenizer.info
    # Models were trained with one BOS; with two they answer worse, without any error.
    first = chat.tokenization.encoding.ids[:2].tolist()
    if info.prefix and first == [info.special_tokens[info.prefix[0]]] * 2:
        detail = f"Duplicate BOS: the template writes {info.prefix[0]}, and the tokenizer adds it again."
        yield ChatWarning("doubled-bos", detail)


def _warn_special_in_text(chat: ChatTokens, special: SpecialHandling) -> Iterator[ChatWarning]:
    """Warn of special tokens in messages."""
    for origin, tokens in _by_origin((_owner(chat, at, token), token) for at, token in chat.special_in_text):
        message = origin.message if origin else None
        fact = f"{_source_name(origin)} contains special tokens as text: {_with_counts(tokens)}."
        if special == "parse":
            detail = "They are parsed, so the model cannot tell them from the template’s."
            yield ChatWarning("injected", f"{fact} {detail}", message)
        else:
            detail = "Here they stay text; a server that parses the whole prompt cannot tell them from the template’s."
            yield ChatWarning("spelled", f"{fact} {detail}", message, averted=True)


def _owner(chat: ChatTokens, position: int, token: str) -> Origin | None:
    """Return the first origin within a special token that is not the template."""
    origins = (chat.origin(i) for i in range(position, position + len(token)))
    return next((origin for origin in origins if origin and origin.kind != "template"), None)


def _warn_imitated(chat: ChatTokens, markers: tuple[str, ...]) -> Iterator[ChatWarning]:
    """Warn of messages with markers that the format writes as plain text: no tokenizer can tell them apart."""
    if not markers:
        return
    matches = regex.finditer("|".join(map(regex.escape, markers)), chat.tokenization.text)
    for origin, texts in _by_origin((chat.origin(match.start()), match.group()) for match in matches):
        if origin and origin.kind != "template":
            fact = f"{_source_name(origin)} contains markers of the format: {_with_counts(texts)}."
            detail = "This format writes them as plain text, so that they cannot be told from the template’s own."
            yield ChatWarning("imitated", f"{fact} {detail}", origin.message)


def warn_left_out(origins: Set[Origin | None], conversation: Conversation) -> Iterator[ChatWarning]:
    """Warn of tool definitions, and of contents, reasoning and tool calls of messages, of which a prompt has nothing.

    `origins` are those of its characters; where one is unknown, the text could be anywhere.
    """
    if None in origins:
        return
    written = {(origin.kind, origin.message, origin.field) for origin in origins if origin}
    tools = conversation.tools or ()
    found = {origin.tool for origin in origins if origin and origin.kind == "tools"}
    lost = [] if None in found else [number for number, _ in enumerate(tools) if number not in found]
    if lost:
        what = "the tool definitions" if len(lost) == len(tools) else list_numbers("tool definition", lost)
        yield ChatWarning("tools-left-out", f"The template writes nothing of {what}.")
    for field, name in DROPPED.items():
        lost = [
            number
            for number, message in enumerate(conversation.messages)
            if any(LOOKED_FOR.get(key) == field and _has_text(value) for key, value in message.items())
            and written.isdisjoint({("text", number, field), ("text", number, "several")})
        ]
        if lost:
            yield ChatWarning(
                "left-out", f"The template writes nothing of {name}{list_numbers('message', lost)}.", lost[0]
            )


def may_drop(conversation: Conversation) -> bool:
    """Return whether a conversation has what templates are known to drop: more than texts of a user and an assistant.

    To find what a template drops takes a rendering with origins, which takes ten times as long as one without.

    >>> may_drop(Conversation([{"role": "user", "content": "Hi"}])), may_drop(Conversation([], tools=[{}]))
    (False, True)
    """
    messages = conversation.messages
    return bool(conversation.tools) or any(
        message.get("role") not in ("user", "assistant") or not FIELDS.keys().isdisjoint(message)
        for message in messages
    )


def _has_text(value: Any) -> bool:
    """Return whether a field of a message has a text that is not blank, in a part as well, or tool calls."""
    match value:
        case str():
            return bool(value.strip())
        case dict():
            return "function" in value or _has_text(value.get("text"))
        case list():
            return any(map(_has_text, value))
        case _:
            return False


def list_numbers(noun: str, indexes: list[int]) -> str:
    """Return the numbers of things, which count from 1, with their noun.

    >>> list_numbers("message", [1]), list_numbers("message", [0, 2]), list_numbers("message", [*range(2, 99)])
    ('message 2', 'messages 1, 3', '97 messages, of message 3 first')
    """
    if len(indexes) > MAX_NUMBERS:
        return f"{len(indexes):,} {noun}s, of {noun} {indexes[0] + 1:,} first"
    return f"{noun}{'s' if len(indexes) > 1 else ''} {join_names(f'{index + 1:,}' for index in indexes)}"


def _warn_media(template: ChatTemplate, conversation: Conversation) -> Iterator[ChatWarning]:
    """Warn of parts that are no text, where the template takes contents as one text."""
    if reads_parts(template.text):
        return
    for i, message in enumerate(conversation.messages):
        content = message.get("content")
        for part in filter(is_media, content if isinstance(content, list) else ()):
            detail = f"The part {part['type'][:40]!r} of message {i + 1} is left out: the template writes only texts."
            yield ChatWarning("left-out", detail, i)


def _source_name(origin: Origin | None) -> str:
    match origin:
        case Origin("tools"):
            return "A tool definition"
        case Origin(kind, int(message)):
            return f"The role of message {message + 1}" if kind == "role" else f"Message {message + 1}"
        case _:
            return "An option"


def _by_origin(pairs: Iterable[tuple[Origin | None, str]]) -> Iterator[tuple[Origin | None, Counter[str]]]:
    """Count texts by origin."""
    counts: dict[Origin | None, Counter[str]] = {}
    for origin, text in pairs:
        counts.setdefault(origin, Counter())[text] += 1
    yield from counts.items()


def _with_counts(counts: Counter[str]) -> str:
    """Return texts in a list, each with its count.

    >>> _with_counts(Counter(["<s>", "</s>", "<s>"]))
    '<s> (twice), </s>'
    """
    times = {1: "", 2: " (twice)"}
    return join_names(f"{text}{times.get(count, f' ({count:,} times)')}" for text, count in counts.items())
