"""Whether the ids of one rendered conversation are a prefix of those of another, and where the two first differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...files.spans import concatenate_encodings
from ...files.special_tokens import find
from ...registry import Registry
from ...types import SPECIAL, Encoding, VocabEntry
from ..chat.attribution import Origin
from ..chat.conversation import Conversation
from ..chat.rendering import Rendering, render
from ..chat.tokens import tokenize_chat
from ..request.values import compact_json, hide_secrets
from ..tokenize import Tokenization, check_length, tokenize

Relation = Literal["generation", "turn", "prompt"]
"""Which prefix is checked: a prompt of its turn · a turn of the next prompt · a prompt of the next prompt."""
RELATIONS: dict[Relation, str] = {
    "generation": "prompt in its turn",
    "turn": "turn in the next prompt",
    "prompt": "prompt in the next prompt",
}
CauseCode = Literal[
    "reasoning",
    "call",
    "moved",
    "seam",
    "empty-reasoning",
    "end-token",
    "generation-prompt",
    "request",
    "rewritten",
]
AROUND = 40
"""Characters that are shown on both sides of the first difference."""


@dataclass(frozen=True)
class RenderedSequence:
    """A conversation as a trainer or a server sees it: its text and its ids."""

    rendering: Rendering
    tokenization: Tokenization

    @property
    def conversation(self) -> Conversation:
        return self.rendering.conversation

    @property
    def text(self) -> str:
        return self.rendering.text

    @cached_property
    def ids(self) -> list[int]:
        ids: list[int] = self.tokenization.encoding.ids.tolist()
        return ids

    @cached_property
    def runs(self) -> tuple[tuple[int, int, Origin | None], ...]:
        """The spans of characters that have the same origin, with it."""
        runs = self.rendering.origins
        ends = [*accumulate(length for length, _ in runs)]
        return tuple((end - length, end, origin) for end, (length, origin) in zip(ends, runs, strict=True))

    def __len__(self) -> int:
        return len(self.tokenization.encoding)


@dataclass(frozen=True, slots=True)
class TokenDifference:
    """The first difference of two sequences: the index of the token, the character at which the texts differ, the
    token of each, None behind the end, and the texts around that character.

    `char` is the end of the shorter text where one is a prefix of the other: then only the ids differ.
    """

    token: int
    char: int
    before: VocabEntry | None
    after: VocabEntry | None
    before_text: str
    after_text: str


@dataclass(frozen=True, slots=True)
class Cause:
    """Why two sequences differ: a code for programs, a sentence, and the message that it is about."""

    code: CauseCode
    detail: str
    message: int | None = None


@dataclass(frozen=True, slots=True)
class PrefixCheck:
    """An earlier sequence and a later one, which begin with the same `shared` ids, and why not with more."""

    relation: Relation
    earlier: RenderedSequence
    later: RenderedSequence
    shared: int
    difference: TokenDifference | None = None
    cause: Cause | None = None

    @property
    def size(self) -> int:
        """The number of ids of the earlier sequence."""
        return len(self.earlier)

    @property
    def lost(self) -> int:
        """The number of ids of the earlier sequence that do not stand there in the later one."""
        return self.size - self.shared


def render_sequence(
    registry: Registry,
    tokenizer: str,
    conversation: Conversation,
    *,
    known: Sequence[RenderedSequence] = (),
    limit: int,
) -> RenderedSequence:
    """Return a conversation with its ids; those of `known` sequences are used as far as the texts are the same.

    Raises what `render` and `tokenize_chat` raise.
    """
    rendering = render(registry, tokenizer, conversation)
    text = rendering.text
    special = registry.info(tokenizer).special_tokens
    if any(find(compact_json([conversation.messages, conversation.tools, conversation.options]), special)):
        # Only the origins tell the template's special tokens from those in the messages.
        return RenderedSequence(rendering, tokenize_chat(registry, tokenizer, rendering, limit=limit).tokenization)
    check_length([text], limit=limit, pointer="/messages")
    alike = max((one.tokenization for one in known), key=lambda one: common_length(one.text, text), default=None)
    return RenderedSequence(rendering, _tokenize_rest(registry, tokenizer, text, alike))


def _tokenize_rest(registry: Registry, tokenizer: str, text: str, before: Tokenization | None) -> Tokenization:
    """Return the tokens of a text, of which those before the last special token that both texts share are known.

    What stands on each side of a special token is tokenized on its own, so a whole conversation need not be tokenized
    again with each turn.
    """
    row = 0
    if before is not None:
        known = before.encoding
        ends = np.where(known.flags & SPECIAL, known.char_ends, len(text) + 1)
        rows = np.flatnonzero((ends <= common_length(before.text, text)) & (known.char_starts < ends))
        row = int(rows[-1]) if len(rows) else 0
    if before is None or not row:
        return tokenize(registry, text, tokenizer=tokenizer, special="parse")
    byte, char = int(known.byte_starts[row]), int(known.char_starts[row])
    rest = tokenize(registry, text[char:], tokenizer=tokenizer, special="parse")
    head = Encoding(
        known.ids[:row],
        known.byte_starts[:row],
        known.byte_ends[:row],
        known.char_starts[:row],
        known.char_ends[:row],
        known.flags[:row],
    )
    joined = concatenate_encodings([head, rest.encoding], [(0, 0), (byte, char)])
    return replace(rest, text=text, encoding=joined)


def count_shared(earlier: RenderedSequence, later: RenderedSequence) -> int:
    """Return how many leading ids two sequences share."""
    return count_equal(earlier.tokenization.encoding.ids, later.tokenization.encoding.ids)


def count_equal(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> int:
    """Return how many leading ids two arrays share.

    >>> count_equal(np.array([5, 7, 9], np.uint32), np.array([5, 7], np.uint32))
    2
    """
    size = min(len(first), len(second))
    differing = np.flatnonzero(first[:size] != second[:size])
    return int(differing[0]) if len(differing) else size


def common_length(first: str, second: str) -> int:
    """Return how many leading characters two texts share.

    >>> common_length("It is 10:00", "It is 10:01"), common_length("ab", "abc")
    (10, 2)
    """
    low, high = 0, min(len(first), len(second))
    while low < high:  # comparing halves is much faster than comparing characters
        middle = (low + high + 1) // 2
        low, high = (middle, high) if first[low:middle] == second[low:middle] else (low, middle - 1)
    return low


def find_difference(earlier: RenderedSequence, later: RenderedSequence) -> TokenDifference:
    """Return the first difference of an earlier sequence from a later one that it is no prefix of."""
    token = count_shared(earlier, later)
    char = common_length(earlier.text, later.text)
    if char == len(earlier.text):  # only the ids differ: the place is that of the token
        char = int(earlier.tokenization.encoding.char_starts[token])
    return TokenDifference(
        token,
        char,
        _token(earlier, token),
        _token(later, token),
        _around(earlier.text, char),
        _around(later.text, char),
    )


def _token(sequence: RenderedSequence, index: int) -> VocabEntry | None:
    if index >= len(sequence):
        return None
    return sequence.tokenization.entry(sequence.ids[index])


def _around(text: str, place: int) -> str:
    """Return the text around a place, without secrets."""
    start = max(0, place - AROUND)
    shown, _ = hide_secrets(text[start : place + AROUND])
    return f"{'…' if start else ''}{shown}{'…' if place + AROUND < len(text) else ''}"
