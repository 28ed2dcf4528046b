"""What the Chat page and its API show of a conversation: tokens by source and by message, and warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Literal

import numpy as np
import regex

from ...errors import join_names
from ...registry import Registry
from ...types import ChatTemplate
from ..cell_views import CellView, cell_views
from ..cells import Window, windows
from .attribution import Origin
from .conversation import Conversation, is_media
from .rendering import reads_conversation, reads_parts, render, resolve_template
from .tokens import NO_MESSAGE, SOURCES, ChatTokens, Source, SpecialHandling, tokenize_chat

MAX_WINDOWS = 4
"""Number of windows of tokens that the page shows; all numbers are of the whole conversation."""
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
    id = chat.tokenization.tokenizer.info.id
    template = resolve_template(registry, id, conversation.template, tools=conversation.tools is not None)
    warnings = [
        *_warn_duplicate_bos(chat),
        *_warn_special_in_text(chat, special),
        *_warn_imitated(chat, template.marks),
        *_warn_left_out(chat, conversation),
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


def _warn_left_out(chat: ChatTokens, conversation: Conversation) -> Iterator[ChatWarning]:
    """Warn of messages with a text of which the template writes nothing."""
    if None in chat.origins:  # the text could be anywhere
        return
    rendered = {origin.message for origin in chat.origins if origin and origin.kind == "text"}
    for i, message in enumerate(conversation.messages):
        content = message.get("content")
        if i not in rendered and isinstance(content, str) and content.strip():
            yield ChatWarning("left-out", f"The template writes nothing of message {i + 1}.", i)


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


@dataclass(frozen=True, slots=True)
class SourceRun:
    """Consecutive cells whose tokens have the same source and message."""

    source: Source
    message: int | None
    cell_views: tuple[CellView, ...]


@dataclass(frozen=True)
class ChatView:
    """A tokenized conversation and its warnings."""

    conversation: Conversation
    chat: ChatTokens
    warnings: list[ChatWarning]

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
        for (source, message), run in groupby(views, key=self._source):
            yield SourceRun(source, message, tuple(run))

    def _source(self, view: CellView) -> tuple[Source, int | None]:
        """Return the source and message of a cell's first token."""
        if not view.parts:  # a gap, which has no token
            return "template", None
        index = view.parts[0].index
        message = int(self.chat.messages[index])
        return SOURCES[self.chat.sources[index]], None if message == NO_MESSAGE else message


def chat_view(
    registry: Registry,
    tokenizer: str,
    conversation: Conversation,
    *,
    special: SpecialHandling = "text",
    add_special_tokens: bool = False,
    limit: int,
) -> ChatView:
    """Render and tokenize a conversation. Raises what `render` and `tokenize_chat` raise."""
    rendering = render(registry, tokenizer, conversation, attributed=True)
    chat = tokenize_chat(
        registry, tokenizer, rendering, special=special, add_special_tokens=add_special_tokens, limit=limit
    )
    return ChatView(conversation, chat, chat_warnings(registry, chat, conversation, special=special))
