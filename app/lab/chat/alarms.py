"""Alarms: what is wrong with a written conversation, or would be elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import regex

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
        found.append(Alarm("unattributed", "The template works on some texts in ways that hide where they come from."))
    return sorted(found, key=lambda alarm: alarm.averted)


def _doubled(chat: Chat) -> Iterator[Alarm]:
    """A beginning that comes twice: once from the template, once added."""
    info = chat.done.tokenizer.info
    first = chat.done.encoding.ids[:2].tolist()
    if info.prefix and first == [info.special_tokens[info.prefix[0]]] * 2:
        yield Alarm("doubled-bos", f"{info.prefix[0]} comes twice: the template writes it, and it was added once more.")


def _spelled(chat: Chat, special: Reading) -> Iterator[Alarm]:
    """Special tokens that messages spell."""
    for (token, origin), times in Counter((token, _whose(chat, at, token)) for at, token in chat.spelled).items():
        said = f"{_place(origin)} spells the special token {token}{_times(times)}."
        if special == "parse":
            detail = f"{said} It is parsed, so that the model takes it for the template’s own."
            yield Alarm("injected", detail, origin.message if origin else None)
        else:
            detail = (
                f"{said} Here it stays text; a server that parses the written text whole takes it for the template’s."
            )
            yield Alarm("spelled", detail, origin.message if origin else None, averted=True)


def _whose(chat: Chat, at: int, token: str) -> Origin | None:
    """What of a special token does not come from the template."""
    origins = (chat.origin(i) for i in range(at, at + len(token)))
    return next((origin for origin in origins if origin and origin.kind != "template"), None)


def _imitated(chat: Chat, marks: tuple[str, ...]) -> Iterator[Alarm]:
    """What a format writes in plain text, in a message: no tokenizer can tell them apart."""
    if not marks:
        return
    places = regex.finditer("|".join(map(regex.escape, marks)), chat.done.text)
    found = ((place.group(), chat.origin(place.start())) for place in places)
    for (mark, origin), times in Counter(found).items():
        if origin and origin.kind != "template":
            said = f"{_place(origin)} spells {mark}{_times(times)}, which this format writes in plain text."
            yield Alarm("imitated", f"{said} Nothing tells it from the template’s own.", origin.message)


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


def _times(times: int) -> str:
    return "" if times == 1 else f" {times:,} times"
