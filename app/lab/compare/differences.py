"""Differences: which tokens not every column has, and the places of the text where columns part.

`metrics.agreement` says how much two cuts agree; here is where they do not. All over whole columns: a token is known by
the byte it begins at and its length, so that finding it in every other column is one look-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.lab.passage import Passage, Places
from app.types import Encoding

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Spans:
    """The spans of one column's tokens, as they are compared, and its tokens in the order of where they begin."""

    starts: Numbers
    ends: Numbers
    order: Numbers
    alone: Places

    def between(self, start: int, stop: int) -> Numbers:
        """The tokens that begin in these bytes, without those that stand for no input."""
        first, last = np.searchsorted(self.starts[self.order], [start, stop])
        found = self.order[first:last]
        return found[self.starts[found] < self.ends[found]]


@dataclass(frozen=True, slots=True)
class Differences:
    """Column by column the spans, and whether a token is alone: not a token of every other column.

    Between `starts` and `ends`, in bytes, lie the places where columns part: the shortest stretches that split no token
    of any column.
    """

    columns: tuple[Spans, ...]
    starts: Numbers
    ends: Numbers

    def __len__(self) -> int:
        return len(self.starts)


def differences(encodings: Sequence[Encoding], passage: Passage, *, spaces: bool) -> Differences:
    """Where several cuts of a text part; with `spaces`, white space at the edges of a token counts.

    >>> from app.adapters.spans import column, tiled
    >>> def cut(*lengths):
    ...     ids, flags = np.zeros(len(lengths), np.uint32), np.zeros(len(lengths), np.uint8)
    ...     return tiled(ids, column(lengths), text="the cats", data=b"the cats", flags=flags)
    >>> found = differences([cut(3, 5), cut(4, 4)], Passage("the cats"), spaces=False)
    >>> [spans.alone.tolist() for spans in found.columns], len(found)
    ([[False, False], [False, False]], 0)
    >>> found = differences([cut(3, 5), cut(3, 3, 2)], Passage("the cats"), spaces=True)
    >>> [spans.alone.tolist() for spans in found.columns], found.starts.tolist(), found.ends.tolist()
    ([[False, True], [False, True, True]], [3], [8])
    """
    spans = [spans_of(encoding, passage, spaces=spaces) for encoding in encodings]
    size = len(passage.data)
    lengths = [_length_at(starts, ends, size) for starts, ends in spans]
    same = np.logical_and.reduce([one == lengths[0] for one in lengths]) if lengths else np.ones(size + 1, np.bool_)
    shared = lengths[0] * same if lengths else np.zeros(size + 1, np.int32)
    alone = [(starts < ends) & (shared[starts] != ends - starts) for starts, ends in spans]
    edges = common_edges(spans, passage.apart)
    apart = np.logical_or.reduceat(~same, edges[:-1]) if size else np.zeros(0, np.bool_)
    found = np.flatnonzero(apart)
    columns = (Spans(*pair, _order(pair[0]), one) for pair, one in zip(spans, alone, strict=True))
    return Differences(tuple(columns), edges[found], edges[found + 1] if len(found) else edges[:0])


def _order(starts: Numbers) -> Numbers:
    return (
        np.argsort(starts, kind="stable").astype(np.int32)
        if np.any(np.diff(starts) < 0)
        else np.arange(len(starts), dtype=np.int32)
    )


def spans_of(encoding: Encoding, passage: Passage, *, spaces: bool) -> tuple[Numbers, Numbers]:
    """Byte spans, without white space at their edges unless it counts; a token of nothing else keeps it."""
    starts, ends = encoding.byte_starts, encoding.byte_ends
    if spaces:
        return starts, ends
    inner, outer = passage.behind_blank[starts], passage.before_blank[ends]
    solid = inner < outer
    return np.where(solid, inner, starts), np.where(solid, outer, ends)


def _length_at(starts: Numbers, ends: Numbers, size: int) -> Numbers:
    """By byte: the length of the token that begins there, or 0."""
    lengths = np.zeros(size + 1, np.int32)
    real = starts < ends
    lengths[starts[real]] = (ends - starts)[real]
    return lengths


def common_edges(spans: Sequence[tuple[Numbers, Numbers]], places: Places) -> Numbers:
    """Those of some places that no token of any column spans."""
    size = len(places) - 1
    real = [(starts[starts < ends], ends[starts < ends]) for starts, ends in spans]
    nothing = np.zeros(0, np.int32)
    opened = np.bincount(np.concatenate([nothing, *(starts for starts, _ in real)]) + 1, minlength=size + 2)
    closed = np.bincount(np.concatenate([nothing, *(ends for _, ends in real)]), minlength=size + 2)
    free = np.cumsum(opened - closed, dtype=np.int32)[: size + 1] == 0
    return np.flatnonzero(places & free).astype(np.int32)
