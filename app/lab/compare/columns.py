"""Columns as they are shown: the same stretch of the text in each, with the tokens that only some have ringed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.lab.compare.comparison import Comparison, Cut
from app.lab.faces import Face, cursive, faces
from app.lab.windows import Window

TOKENS = 3200
"""Tokens shown in all columns together, so that the page stays quick."""


@dataclass(frozen=True)
class Shown:
    """The beginning of a column; `alone`, `starts` and `ends`, in characters, by token."""

    faces: Sequence[Face]
    alone: Sequence[bool]
    starts: Sequence[int]
    ends: Sequence[int]
    joined: bool


@dataclass(frozen=True)
class Stretch:
    """How much of the text the columns show: its first bytes, up to a place that splits no token of any column."""

    comparison: Comparison
    bytes: int

    @property
    def whole(self) -> bool:
        return self.bytes == len(self.comparison.passage.data)

    @property
    def characters(self) -> int:
        return len(self.comparison.passage.data[: self.bytes].decode())

    def __iter__(self) -> Iterator[tuple[Cut, Shown]]:
        for cut, spans in zip(self.comparison.cuts, self.comparison.differences.columns, strict=True):
            encoding = cut.done.encoding
            stop = len(encoding) if self.whole else int(np.count_nonzero(encoding.byte_starts < self.bytes))
            window = Window(0, 0, stop, 0, self.bytes)
            yield (
                cut,
                Shown(
                    tuple(faces(cut.done, window)),
                    spans.alone[:stop].tolist(),
                    encoding.char_starts[:stop].tolist(),
                    encoding.char_ends[:stop].tolist(),
                    cursive(window.text(cut.done.data)),
                ),
            )


def stretch(comparison: Comparison, *, tokens: int = TOKENS) -> Stretch:
    """As much of the text as columns of so many tokens in all can show, if it can be told apart at all."""
    size = len(comparison.passage.data)
    most = tokens // max(1, len(comparison.cuts))
    ends = [int(cut.done.encoding.byte_ends[most - 1]) for cut in comparison.cuts if len(cut.done.encoding) > most]
    if not ends:
        return Stretch(comparison, size)
    edges = comparison.edges
    return Stretch(comparison, int(edges[max(0, int(np.searchsorted(edges, min(ends), side="right")) - 1)]))
