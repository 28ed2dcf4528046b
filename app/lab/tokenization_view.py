"""What the playground shows of a tokenization: its windows of tokens, its counts, and the details of one token."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..errors import Invalid
from ..types import BYTE_FALLBACK, INSERTED, SPECIAL, UNKNOWN, Token, TokenizerInfo
from .cell_views import (
    CellView,
    DisplayToken,
    TokenTableRow,
    cell_views,
    clip_text,
    cursive,
    hex_bytes,
    is_bidirectional,
    part,
    rows,
    token_type,
    window_colours,
)
from .cells import Window, windows
from .display_runs import DisplayRun, plain, runs
from .metrics import TokenCounts, counts
from .tokenize import Tokenization

MAX_OCCURRENCES = 100
"""Other occurrences of a token that the details list; all are counted."""
CONTEXT = 14
"""Code points shown on each side of an occurrence."""
MAX_DETAIL = 256
"""Characters, or bytes, of a token that its details show."""

MAX_LOOKED_AT = 2000
"""Characters that tell whether a text is code."""
CODE_LINE = re.compile(
    r"(?:\t|  )\s*\S|.*[{}\[\]();:]\s*$|\s*(?:#include|import|from|def|class|return|const|let|var)\b"
)

EXPLANATIONS = (
    (INSERTED, "It covers no input; the tokenizer adds it."),
    (SPECIAL, "A special token: it has a meaning of its own and is not part of a language."),
    (UNKNOWN, "The vocabulary has no tokens for this input."),
    (BYTE_FALLBACK, "One byte of a character that is not in the vocabulary."),
)


@dataclass(frozen=True)
class TokenizationView:
    """A tokenization on the page.

    One window shows its tokens, the others plain text: the one that contains the token whose details are shown,
    `token`, or else the one with the index `window`.
    """

    tokenization: Tokenization
    window: int = 0
    token: int | None = None

    @cached_property
    def windows(self) -> list[Window]:
        return windows(self.tokenization)

    @cached_property
    def opened(self) -> int:
        """The index of the window that shows its tokens."""
        # A link to a token opens its window, whatever window the request names.
        if self.token is not None:
            starts = [window.start for window in self.windows]
            return max(0, int(np.searchsorted(starts, self.token, side="right")) - 1)
        return min(max(self.window, 0), len(self.windows) - 1)

    @cached_property
    def counts(self) -> TokenCounts:
        return counts(self.tokenization)

    @cached_property
    def details(self) -> "Details | None":
        """The details of `token`. Raises `Invalid` if the text has no token with this index."""
        if self.token is None:
            return None
        colours = window_colours(self.tokenization, self.windows[self.opened])
        return details(self.tokenization, self.token, colours.get(self.token))

    @property
    def info(self) -> TokenizerInfo:
        return self.tokenization.tokenizer.info

    def text(self, window: Window) -> list[DisplayRun]:
        """Return the text of a window that does not show its tokens."""
        return plain(window.text(self.tokenization.data))

    def cursive(self, window: Window) -> bool:
        return cursive(window.text(self.tokenization.data))

    def is_bidirectional(self, window: Window) -> bool:
        return is_bidirectional(window.text(self.tokenization.data))

    def is_code(self, window: Window) -> bool:
        return is_code(window.text(self.tokenization.data))

    def cell_views(self, window: Window) -> Iterator[CellView]:
        return cell_views(self.tokenization, window)

    def ids(self, window: Window) -> str:
        """Return the ids of a window, which the page knows before anyone points at a token."""
        return " ".join(map(str, self.tokenization.encoding.ids[window.start : window.stop].tolist()))

    @cached_property
    def _times(self) -> NDArray[np.int64]:
        ids = self.tokenization.encoding.ids
        return np.bincount(ids)[ids]

    def times(self, window: Window) -> str:
        """Return how often the token at each place of a window occurs in the whole text."""
        return " ".join(map(str, self._times[window.start : window.stop].tolist()))

    def rows(self, window: Window) -> list[TokenTableRow]:
        return list(rows(self.tokenization, window))


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Another occurrence of a token, with some text on both sides."""

    index: int
    before: tuple[DisplayRun, ...]
    text: tuple[DisplayRun, ...]
    after: tuple[DisplayRun, ...]


@dataclass(frozen=True, slots=True)
class Details:
    """All about one token: `covered` is the input in its span, `others` the number of its other occurrences."""

    token: Token
    part: DisplayToken
    piece: tuple[DisplayRun, ...]
    hex: str
    covered: tuple[DisplayRun, ...]
    covered_hex: str
    code_points: str
    kind: str
    explanations: tuple[str, ...]
    others: int
    occurrences: tuple[Occurrence, ...]


def details(tokenization: Tokenization, index: int, colour: int | None = None) -> Details:
    """Return all about one token of a text, in a colour. Raises `Invalid` if there is no token with this index."""
    encoding = tokenization.encoding
    if not 0 <= index < len(encoding):
        raise Invalid(f"There is no token {index}; the text has {len(encoding):,}.", pointer="/token")
    (token,) = tokenization.tokens(index, index + 1)
    covered = tokenization.data[token.byte_start : token.byte_end]
    characters = tokenization.text[token.char_start : token.char_end]
    flags = int(encoding.flags[index])
    others = np.flatnonzero(encoding.ids == token.entry.id)
    others = others[others != index]
    return Details(
        token=token,
        part=part(token, tokenization.data, colour=colour),
        piece=tuple(runs(clip_text(token.entry.piece, MAX_DETAIL))),
        hex=hex_bytes(token.entry.raw, max_length=MAX_DETAIL),
        covered=tuple(runs(clip_text(characters, MAX_DETAIL))),
        covered_hex=hex_bytes(covered, max_length=MAX_DETAIL),
        code_points=code_points(characters),
        kind=token_type(flags),
        explanations=tuple(sentence for bit, sentence in EXPLANATIONS if flags & bit),
        others=len(others),
        occurrences=tuple(_occurrence(tokenization, other) for other in others[:MAX_OCCURRENCES].tolist()),
    )


def is_code(text: str) -> bool:
    r"""Return whether a text looks like a program or data, which is read in letters of one width.

    >>> is_code("def f(x):\n    return x"), is_code("Dear Ann,\n\nhow are you?\nBob")
    (True, False)
    """
    lines = [line for line in text[:MAX_LOOKED_AT].splitlines() if line.strip()]
    return len(lines) > 1 and 2 * sum(CODE_LINE.match(line) is not None for line in lines) >= len(lines)


def code_points(text: str, *, limit: int = 16) -> str:
    """Return the code points of a text, with the number of those that are not shown.

    >>> code_points("a🌍"), code_points("abc", limit=1)
    ('U+0061 U+1F30D', 'U+0061 … 2 more')
    """
    shown = " ".join(f"U+{ord(char):04X}" for char in text[:limit])
    return shown if len(text) <= limit else f"{shown} … {len(text) - limit:,} more"


def _occurrence(tokenization: Tokenization, index: int) -> Occurrence:
    encoding = tokenization.encoding
    text = tokenization.text
    start = int(encoding.char_starts[index])
    end = int(encoding.char_ends[index])
    before = text[max(0, start - CONTEXT) : start]
    after = text[end : end + CONTEXT]
    return Occurrence(index, tuple(runs(before)), tuple(runs(clip_text(text[start:end]))), tuple(runs(after)))
