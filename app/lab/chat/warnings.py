"""Warnings about a rendered conversation: duplicate BOS, special tokens in messages, messages that are not rendered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import regex

from ...errors import listed
from ...registry import Registry
from .attribution import Origin
from .conversation import Conversation
from .rendering import template_of
from .tokens import ChatTokens, SpecialHandling

Code = Literal["doubled-bos", "injected", "spelled", "imitated", "left-out", "unattributed"]


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
    template = template_of(registry, chat.tokenization.tokenizer.info.id, conversation.template)
    warnings = [
        *_duplicate_bos(chat),
        *_special_in_text(chat, special),
        *_imitated(chat, template.marks),
        *_left_out(chat, conversation),
    ]
    if None in chat.origins and chat.tokenization.text:
        detail = "The template processes some texts in a way that hides which message they come from."
        warnings.append(ChatWarning("unattributed", detail, averted=True))
    return sorted(warnings, key=lambda warning: warning.averted)


def _duplicate_bos(chat: ChatTokens) -> Iterator[ChatWarning]:
    """Warn of a BOS token that both the template writes and the tokenizer adds."""
    info = chat.tokenization.tokenizer.info
    # Models were trained with one BOS; with two they answer worse, without any error.
    first = chat.tokenization.encoding.ids[:2].tolist()
    if info.prefix and first == [info.special_tokens[info.prefix[0]]] * 2:
        detail = f"Duplicate BOS: the template writes {info.prefix[0]}, and the tokenizer adds it again."
        yield ChatWarning("doubled-bos", detail)


def _special_in_text(chat: ChatTokens, special: SpecialHandling) -> Iterator[ChatWarning]:
    """Warn of special tokens in messages."""
    for origin, tokens in _by_origin((_owner(chat, at, token), token) for at, token in chat.special_in_text):
        message = origin.message if origin else None
        fact = f"{_source_name(origin)} contains special tokens as text: {_with_counts(tokens)}."
        if special == "parse":
            detail = "They are parsed, so that the model takes them for the template’s own."
            yield ChatWarning("injected", f"{fact} {detail}", message)
        else:
            detail = "Here they stay text; a server that parses the whole prompt takes them for the template’s own."
            yield ChatWarning("spelled", f"{fact} {detail}", message, averted=True)


def _owner(chat: ChatTokens, position: int, token: str) -> Origin | None:
    """Return the first origin within a special token that is not the template."""
    origins = (chat.origin(i) for i in range(position, position + len(token)))
    return next((origin for origin in origins if origin and origin.kind != "template"), None)


def _imitated(chat: ChatTokens, markers: tuple[str, ...]) -> Iterator[ChatWarning]:
    """Warn of messages with markers that the format writes as plain text: no tokenizer can tell them apart."""
    if not markers:
        return
    matches = regex.finditer("|".join(map(regex.escape, markers)), chat.tokenization.text)
    for origin, texts in _by_origin((chat.origin(match.start()), match.group()) for match in matches):
        if origin and origin.kind != "template":
            fact = f"{_source_name(origin)} contains markers of the format: {_with_counts(texts)}."
            detail = "This format writes them as plain text, so that they cannot be told from the template’s own."
            yield ChatWarning("imitated", f"{fact} {detail}", origin.message)


def _left_out(chat: ChatTokens, conversation: Conversation) -> Iterator[ChatWarning]:
    """Warn of messages with a text of which the template writes nothing."""
    if None in chat.origins:  # the text could be anywhere
        return
    rendered = {origin.message for origin in chat.origins if origin and origin.kind == "text"}
    for i, message in enumerate(conversation.messages):
        content = message.get("content")
        if i not in rendered and isinstance(content, str) and content.strip():
            yield ChatWarning("left-out", f"The template writes nothing of message {i + 1}.", i)


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
    return listed(f"{text}{times.get(count, f' ({count:,} times)')}" for text, count in counts.items())
