"""What the Chat page and its API show of a conversation: tokens by source and by message, and warnings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Literal

import numpy as np

from ...registry import Registry
from ..cell_views import CellView, cell_views
from ..cells import Window, windows
from .conversation import Conversation
from .masks import LossMask, find_loss
from .rendering import render
from .tokens import NO_MESSAGE, SOURCES, ChatTokens, Source, SpecialHandling, tokenize_chat
from .warnings import ChatWarning, chat_warnings

MAX_WINDOWS = 4
"""Number of windows of tokens that the page shows; all numbers are of the whole conversation."""
ChatColumn = Literal["prompt", "ids", "pieces", "offsets", "mask"]
COLUMNS: tuple[ChatColumn, ...] = ("prompt", "ids", "pieces", "offsets")
"""Parts of the API's answer where a request names none."""


@dataclass(frozen=True, slots=True)
class SourceRun:
    """Consecutive cells whose tokens have the same source and message; `in_loss` is None if no loss is asked for."""

    source: Source
    message: int | None
    in_loss: bool | None
    cell_views: tuple[CellView, ...]


@dataclass(frozen=True)
class ChatView:
    """A tokenized conversation and its warnings; `loss` is None unless it is asked for."""

    conversation: Conversation
    chat: ChatTokens
    warnings: list[ChatWarning]
    loss: LossMask | None = None

    @property
    def mask(self) -> list[int]:
        """1 for each token in the loss, 0 for the others, as transformers has it; empty if no loss is asked for."""
        mask: list[int] = self.loss.tokens.astype(int).tolist() if self.loss else []
        return mask

    @property
    def total(self) -> int:
        """The number of tokens."""
        return len(self.chat.sources)

    @cached_property
    def counts(self) -> list[tuple[Source, int]]:
        """The number of tokens of each source that has any."""
        return [(source, count) for source in SOURCES if (count := self.chat.count(source))]

    @cached_property
    def per_message(self) -> list[int]:
        """The number of tokens in the content of each message."""
        # Role names and special tokens belong to a message as well but are overhead.
        messages = self.chat.messages[self.chat.sources == SOURCES.index("text")]
        counts: list[int] = np.bincount(messages, minlength=len(self.conversation.messages)).tolist()
        return counts

    @property
    def active_warnings(self) -> list[ChatWarning]:
        """Warnings of what does harm in this tokenization."""
        return [warning for warning in self.warnings if not warning.averted]

    @property
    def averted_warnings(self) -> list[ChatWarning]:
        """Warnings of what would do harm elsewhere."""
        return [warning for warning in self.warnings if warning.averted]

    @cached_property
    def shown(self) -> list[Window]:
        """The windows that the page shows."""
        return windows(self.chat.tokenization)[:MAX_WINDOWS]

    @property
    def whole(self) -> bool:
        """True if the page shows all tokens."""
        return self.shown[-1].stop == self.total

    @property
    def parts(self) -> Iterator[SourceRun]:
        """The shown cells in runs of the same source."""
        views = (view for window in self.shown for view in cell_views(self.chat.tokenization, window))
        for key, run in groupby(views, key=self._source):
            yield SourceRun(*key, tuple(run))

    def _source(self, view: CellView) -> tuple[Source, int | None, bool | None]:
        """Return the source and message of a cell's first token, and whether it is in the loss."""
        if not view.parts:  # a gap, which has no token
            return "template", None, None
        index = view.parts[0].index
        message = int(self.chat.messages[index])
        in_loss = bool(self.loss.tokens[index]) if self.loss else None
        return SOURCES[self.chat.sources[index]], None if message == NO_MESSAGE else message, in_loss


def chat_view(
    registry: Registry,
    tokenizer: str,
    conversation: Conversation,
    *,
    special: SpecialHandling = "text",
    add_special_tokens: bool = False,
    loss: bool = False,
    limit: int,
) -> ChatView:
    """Render and tokenize a conversation, with its `loss` if that is asked for.

    Raises what `render` and `tokenize_chat` raise.
    """
    rendering = render(registry, tokenizer, conversation)
    chat = tokenize_chat(
        registry, tokenizer, rendering, special=special, add_special_tokens=add_special_tokens, limit=limit
    )
    found = find_loss(registry, tokenizer, conversation, chat) if loss else None
    warnings = [*chat_warnings(registry, chat, conversation, special=special), *(found.warnings if found else ())]
    return ChatView(conversation, chat, warnings, found)
