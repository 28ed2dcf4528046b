"""The sheet: all that is said of a conversation in tokens, for the page and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from app.lab.chat.alarms import Alarm, alarms
from app.lab.chat.conversation import Conversation
from app.lab.chat.rendering import render
from app.lab.chat.tokens import NOWHERE, SOURCES, Chat, Reading, Source, cut
from app.lab.faces import Face, faces
from app.lab.windows import Window, windows
from app.registry import Registry

SHOWN = 4
"""Windows of tokens that the page shows; every number is of all."""


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
        said = self.chat.messages[self.chat.sources == SOURCES.index("text")]
        counts: list[int] = np.bincount(said, minlength=len(self.conversation.messages)).tolist()
        return counts

    @property
    def alarmed(self) -> list[Alarm]:
        """What does harm."""
        return [alarm for alarm in self.alarms if not alarm.averted]

    @property
    def averted(self) -> list[Alarm]:
        """What would do harm elsewhere."""
        return [alarm for alarm in self.alarms if alarm.averted]

    @cached_property
    def shown(self) -> list[Window]:
        return windows(self.chat.done)[:SHOWN]

    @property
    def whole(self) -> bool:
        return self.shown[-1].stop == self.total

    @property
    def parts(self) -> Iterator[Part]:
        """What is shown, in parts that come from one place; the texts of their faces join to it."""
        every = (face for window in self.shown for face in faces(self.chat.done, window))
        for (source, message), run in groupby(every, key=self._place):
            yield Part(source, message, tuple(run))

    def _place(self, face: Face) -> tuple[Source, int | None]:
        """Where a face’s first token comes from; a gap, which has none, is text of the template."""
        if not face.parts:
            return "template", None
        row = face.parts[0].index
        message = int(self.chat.messages[row])
        return SOURCES[self.chat.sources[row]], None if message == NOWHERE else message


def opened(
    registry: Registry,
    tokenizer: str,
    conversation: Conversation,
    *,
    special: Reading = "text",
    add_special_tokens: bool = False,
    limit: int,
) -> Sheet:
    """The sheet of a conversation. Raises what `render` and `cut` raise."""
    rendering = render(registry, tokenizer, conversation, attributed=True)
    chat = cut(registry, tokenizer, rendering, special=special, add_special_tokens=add_special_tokens, limit=limit)
    return Sheet(conversation, chat, alarms(registry, chat, conversation, special=special))
