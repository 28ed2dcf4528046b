"""A text once, and for each tokenizer a lane below it: segments that hold the same characters in every lane.

A segment is the shortest span of visible characters that no token boundary of any lane divides. A token covers one or
more of them; tokens that are parts of one character share its segment.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from ..cell_views import (
    CURSIVE,
    JOINS_NEXT,
    JOINS_PREVIOUS,
    MAX_PARTS,
    RIGHT_TO_LEFT,
    STRONG,
    DisplayToken,
    clip_text,
    part,
)
from ..display_runs import DisplayRun, label, runs
from .comparison import Comparison, MeasuredTokenization
from .differences import Numbers, Spans

WINDOW_SIZE = 3200
"""Tokens in all lanes of a window together, and four bytes for each, about."""
MAX_WORD = 20
"""Characters of the longest word that is kept on one line."""


@dataclass(frozen=True, slots=True)
class LaneToken:
    """What a segment shows of a token. `begins` and `ends` say whether its bounds are those of the segment.

    `piece` is None but in the first segment of the token that is shown.
    """

    part: DisplayToken
    piece: str | None
    begins: bool
    ends: bool
    differing: bool


@dataclass(frozen=True, slots=True)
class LaneSegment:
    """Characters, and below them the tokens of each lane; none where a tokenizer drops them.

    `places` are the numbers of the marked places that begin in it, `spotted` says that it is part of one. `left_out` is
    the number of tokens of a lane that are not shown. `joins` are the sides on which Arabic letters connect.
    """

    runs: tuple[DisplayRun, ...]
    lanes: tuple[tuple[LaneToken, ...], ...]
    left_out: tuple[int, ...]
    place: int | None
    spotted: bool
    joins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LaneWord:
    """Segments that stay on one line: a word with the space before it, or a part of a long one."""

    segments: tuple[LaneSegment, ...]
    direction: Literal["ltr", "rtl"]


@dataclass(frozen=True, slots=True)
class LaneLine:
    """A line of the text, and the direction of its first letter."""

    words: tuple[LaneWord, ...]
    direction: Literal["ltr", "rtl"]


@dataclass(frozen=True)
class Lanes:
    """The windows of a comparison's text. `spotted` are places in bytes that are marked instead of the differences."""

    comparison: Comparison
    spotted: tuple[Numbers, Numbers] | None = None

    @cached_property
    def places(self) -> tuple[Numbers, Numbers]:
        """Where the marked places, or else those that differ, start and end."""
        differences = self.comparison.differences
        return self.spotted or (differences.starts, differences.ends)

    @cached_property
    def bounds(self) -> list[int]:
        """The bytes at which windows begin, and the end of the text: at the end of a line where one is near."""
        index = self.comparison.index
        edges = np.flatnonzero(index.divisible)
        starts = [np.sort(spans.starts) for spans in self.comparison.differences.columns]
        size = edges // 4 + sum((np.searchsorted(one, edges) for one in starts), np.zeros(len(edges), np.int64))
        lines = edges[np.frombuffer(b" " + index.data, np.uint8)[edges] == ord("\n")]
        bounds = [0]
        while (last := int(np.searchsorted(size, size[np.searchsorted(edges, bounds[-1])] + WINDOW_SIZE))) < len(edges):
            bound = int(edges[last])
            line = int(lines[max(0, np.searchsorted(lines, bound, side="right") - 1)]) if len(lines) else 0
            bounds.append(line if line > (bounds[-1] + bound) // 2 else bound)
        return [*bounds, len(index.data)] if bounds[-1] < len(index.data) or len(bounds) == 1 else bounds

    def find_window(self, place: int) -> int:
        """Return the number of the window in which a byte lies."""
        return max(0, min(int(np.searchsorted(self.bounds, place, side="right")), len(self.bounds) - 1) - 1)

    def lines(self, window: int) -> Iterator[LaneLine]:
        """Yield the lines of a window; line ends that follow one another stay on one line."""
        segments = [*self._segments(*self.bounds[window : window + 2])]
        ends = [segment.runs[-1].kind == "newline" for segment in segments]
        begin = 0
        for at, end in enumerate(ends, start=1):
            if at == len(ends) or (end and not ends[at]):
                yield _line(segments[begin:at])
                begin = at

    def _segments(self, start: int, stop: int) -> Iterator[LaneSegment]:
        index = self.comparison.index
        columns = self.comparison.differences.columns
        lanes = [
            _Lane(column, spans, start, stop)
            for column, spans in zip(self.comparison.tokenizations, columns, strict=True)
        ]
        newlines = np.flatnonzero(np.frombuffer(index.data[start:stop], np.uint8) == ord("\n")) + start
        found = [start, stop, *newlines.tolist(), *(newlines + 1).tolist()]
        for lane in lanes:
            found += [*lane.starts, *lane.ends]
        inside = (edge for edge in found if start <= edge <= stop)
        edges = sorted({edge for edge in inside if index.divisible[edge] or edge in (start, stop)})
        filled = [lane.fill(edges) for lane in lanes]
        first, last = self.places
        texts = [index.data[a:b].decode() for a, b in pairwise(edges)]
        for at, (a, b) in enumerate(pairwise(edges)):
            place = int(np.searchsorted(first, a))
            latest = int(np.searchsorted(first, b)) - 1
            yield LaneSegment(
                runs=tuple(runs(texts[at])),
                lanes=tuple(tuple(lane[at][:MAX_PARTS]) for lane in filled),
                left_out=tuple(max(0, len(lane[at]) - MAX_PARTS) for lane in filled),
                place=place if place <= latest else None,
                spotted=self.spotted is not None and latest >= 0 and bool(a < last[latest]),
                joins=_joins(texts, at),
            )


class _Lane:
    """The tokens of one lane in a window; `starts` and `ends` are the edges of those that cover input."""

    def __init__(self, column: MeasuredTokenization, spans: Spans, start: int, stop: int) -> None:
        encoding = column.tokenization.encoding
        inside = (encoding.byte_starts < stop) & (encoding.byte_ends > start)
        added = (encoding.byte_starts == encoding.byte_ends) & (encoding.byte_starts >= start)
        added &= (encoding.byte_starts < stop) | (stop == len(column.tokenization.data))
        chosen = np.flatnonzero(inside | added)
        self.column, self.differing = column, spans.differing
        self.tokens = chosen.tolist()
        self.starts = encoding.byte_starts[chosen].tolist()
        self.ends = encoding.byte_ends[chosen].tolist()

    def fill(self, edges: Sequence[int]) -> list[list[LaneToken]]:
        """Return the tokens of each segment between two edges."""
        filled: list[list[LaneToken]] = [[] for _ in edges[1:]]
        tokenization = self.column.tokenization
        if not self.tokens or not filled:
            return filled
        first = min(self.tokens)
        shown = [*tokenization.tokens(first, max(self.tokens) + 1)]
        firsts = np.searchsorted(edges, self.starts, side="right") - 1
        lasts = np.maximum(np.searchsorted(edges, self.ends, side="left") - 1, firsts)
        for token, one, other in zip(self.tokens, firsts.tolist(), lasts.tolist(), strict=True):
            row = shown[token - first]
            face, piece = part(row, tokenization.data), label(clip_text(row.entry.piece))
            begins, ends = row.byte_start >= edges[0], row.byte_end <= edges[-1]
            differs = bool(self.differing[token])
            low, high = max(0, min(one, len(filled) - 1)), min(other, len(filled) - 1)
            for at in range(low, high + 1):
                filled[at].append(
                    LaneToken(face, piece if at == low else None, begins and at == low, ends and at == high, differs)
                )
        return filled


def _direction(segments: Iterable[LaneSegment]) -> Literal["ltr", "rtl"]:
    """Return the direction of the first letter."""
    strong = STRONG.search("".join(run.text for segment in segments for run in segment.runs))
    return "rtl" if strong and RIGHT_TO_LEFT.match(strong.group()) else "ltr"


def _line(segments: Sequence[LaneSegment]) -> LaneLine:
    # Segments are drawn apart, so that nothing but their direction puts the letters of a word in order.
    line = _direction(segments)
    apart = any(RIGHT_TO_LEFT.search(run.text) for segment in segments for run in segment.runs)
    words = (LaneWord(word, line if _is_blank(word[0]) else _direction(word)) for word in _words(segments, apart=apart))
    return LaneLine(tuple(words), line)


def _is_blank(segment: LaneSegment) -> bool:
    return all(run.kind in ("space", "tab", "newline", "return") for run in segment.runs)


def _words(segments: Iterable[LaneSegment], *, apart: bool) -> Iterator[tuple[LaneSegment, ...]]:
    """Yield the segments of each word; with `apart`, white space stands alone, since it has no direction."""
    word: list[LaneSegment] = []
    length = 0
    for segment in segments:
        size = sum(len(run.text) for run in segment.runs)
        alone = apart and (_is_blank(segment) or (word and _is_blank(word[0])))
        if word and (alone or segment.runs[0].kind in ("space", "tab") or length + size > MAX_WORD):
            yield tuple(word)
            word, length = [], 0
        word.append(segment)
        length += size
    if word:
        yield tuple(word)


def _joins(texts: Sequence[str], at: int) -> tuple[str, ...]:
    """Return the sides on which a segment's letters connect to those of its neighbours."""
    if not CURSIVE.search(texts[at]):
        return ()
    before = at > 0 and JOINS_NEXT.search(texts[at - 1]) and JOINS_PREVIOUS.match(texts[at])
    after = at + 1 < len(texts) and JOINS_NEXT.search(texts[at]) and JOINS_PREVIOUS.match(texts[at + 1])
    return tuple(side for side, joined in (("before", before), ("after", after)) if joined)
