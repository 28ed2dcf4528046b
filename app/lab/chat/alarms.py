"""Alarms: what is wrong with a written conversation, or would be elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import regex

from app.errors import listed
from app.lab.chat.conversation import Conversation
from app.lab.chat.provenance import Origin
from app.lab.chat.rendering import template_of
from app.lab.chat.tokens import Chat, Reading
from app.registry import Registry

Code = Literal["doubled-bos", "injected", "spelled", "imitated", "left-out", "unattributed"]


@dataclass(frozen=True, slots=True)
class Alarm:
    """What is wrong, in a word for programs and a sentence for people. `averted` says that it does no harm here."""

    code: Code
    detail: str
    message: int | None = None
    averted: bool = False


def alarms(registry: Registry, chat: Chat, conversation: Conversation, *, special: Reading) -> list[Alarm]:
    """All that is to be said of a conversation in tokens, the worst first."""
    template = template_of(registry, chat.done.tokenizer.info.id, conversation.template)
    found = [
        *_doubled(chat),
        *_spelled(chat, special),
        *_imitated(chat, template.marks),
        *_left_out(chat, conversation),
    ]
    if None in chat.origins and chat.done.text:
        detail = "The template works on some texts in ways that hide where they come from."
        found.append(Alarm("unattributed", detail, averted=True))
    return sorted(found, key=lambda alarm: alarm.averted)


def _doubled(chat: Chat) -> Iterator[Alarm]:
    """A beginning that comes twice: once from the template, once added."""
    info = chat.done.tokenizer.info
    first = chat.done.encoding.ids[:2].tolist()
    if info.prefix and first == [info.special_tokens[info.prefix[0]]] * 2:
        yield Alarm("doubled-bos", f"{info.prefix[0]} comes twice: the template writes it, and it was added once more.")


def _spelled(chat: Chat, special: Reading) -> Iterator[Alarm]:
    """Special tokens that messages spell."""
    for origin, tokens in _by_origin((_whose(chat, at, token), token) for at, token in chat.spelled):
        said, message = f"{_place(origin)} spells {_told(tokens)}.", origin.message if origin else None
        if special == "parse":
            detail = "They are parsed, so that the model takes them for the template’s own."
            yield Alarm("injected", f"{said} {detail}", message)
        else:
            detail = "Here that stays text; servers that parse the written text whole take it for the template’s own."
            yield Alarm("spelled", f"{said} {detail}", message, averted=True)


def _whose(chat: Chat, at: int, token: str) -> Origin | None:
    """What of a special token does not come from the template."""
    origins = (chat.origin(i) for i in range(at, at + len(token)))
    return next((origin for origin in origins if origin and origin.kind != "template"), None)


def _imitated(chat: Chat, marks: tuple[str, ...]) -> Iterator[Alarm]:
    """What a format writes in plain text, in a message: no tokenizer can tell them apart."""
    if not marks:
        return
    places = regex.finditer("|".join(map(regex.escape, marks)), chat.done.text)
    for origin, found in _by_origin((chat.origin(place.start()), place.group()) for place in places):
        if origin and origin.kind != "template":
            detail = "This format writes that in plain text: nothing tells it from the template’s own."
            yield Alarm("imitated", f"{_place(origin)} spells {_told(found)}. {detail}", origin.message)


def _left_out(chat: Chat, conversation: Conversation) -> Iterator[Alarm]:
    """Messages with a text of which nothing was written."""
    if None in chat.origins:
        return
    there = {origin.message for origin in chat.origins if origin and origin.kind == "text"}
    for i, message in enumerate(conversation.messages):
        content = message.get("content")
        if i not in there and isinstance(content, str) and content.strip():
            yield Alarm("left-out", f"The template writes nothing of message {i + 1}.", i)


def _place(origin: Origin | None) -> str:
    match origin:
        case Origin("tools"):
            return "A tool definition"
        case Origin(kind, int(message)):
            return f"The role of message {message + 1}" if kind == "role" else f"Message {message + 1}"
        case _:
            return "An option"


def _by_origin(found: Iterable[tuple[Origin | None, str]]) -> Iterator[tuple[Origin | None, Counter[str]]]:
    """How often each was found, by where it comes from."""
    counts: dict[Origin | None, Counter[str]] = {}
    for origin, token in found:
        counts.setdefault(origin, Counter())[token] += 1
    yield from counts.items()


def _told(counts: Counter[str]) -> str:
    """Tokens, with how often each is there.

    >>> _told(Counter(["<s>", "</s>", "<s>"]))
    '<s> (twice), </s>'
    """
    times = {1: "", 2: " (twice)"}
    return listed(f"{token}{times.get(count, f' ({count:,} times)')}" for token, count in counts.items())
