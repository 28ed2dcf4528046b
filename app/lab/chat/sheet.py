"""The sheet: all that is said of a conversation in tokens, for the page and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from app.lab.chat.alarms import Alarm, alarms
from app.lab.chat.conversation import Conversation
from app.lab.chat.rendering import Rendering
from app.lab.chat.tokens import SOURCES, Chat, Reading, Source, cut
from app.lab.faces import Face
from app.registry import Registry

SHOWN = 4000
"""Tokens that the page shows; every number is of all."""


@dataclass(frozen=True, slots=True)
class Part:
    """Tokens in a row that come from one place; `message` counts from 0."""

    source: Source
    message: int | None
    faces: tuple[Face, ...]


@dataclass(frozen=True)
class Sheet:
    """A conversation in tokens, and what is wrong with it."""

    conversation: Conversation
    chat: Chat
    alarms: list[Alarm]

    @property
    def total(self) -> int:
        return len(self.chat.sources)

    @cached_property
    def counts(self) -> list[tuple[Source, int]]:
        """How many tokens come from where; places without any are left out."""
        return [(source, count) for source in SOURCES if (count := self.chat.count(source))]

    @cached_property
    def per_message(self) -> list[int]:
        """How many tokens say what each message says."""
        return [self.chat.count("text", i) for i in range(len(self.conversation.messages))]


def opened(
    registry: Registry,
    tokenizer: str,
    conversation: Conversation,
    rendering: Rendering,
    *,
    special: Reading = "text",
    add_special_tokens: bool = False,
    limit: int,
) -> Sheet:
    """The sheet of a conversation that was written out with its origins. Raises what `cut` raises."""
    chat = cut(registry, tokenizer, rendering, special=special, add_special_tokens=add_special_tokens, limit=limit)
    return Sheet(conversation, chat, alarms(registry, chat, conversation, special=special))
