"""SentencePiece unigram models whose pieces cross words (`▁of▁the`), for long texts.

No text can be divided before it is seen, so that the library's one lattice over all of it is followed in parts that no
piece crosses: equal parts are segmented once, and the sum of scores runs through all of them.
"""

from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import accumulate, chain, pairwise

import numpy as np

from ...fast.unigram.encode import HALF, LOWEST, Unigram
from ...fast.unigram.encode_batch import UnigramBatch, code_points
from ...fast.unigram.reach import PieceReach
from .encode import APART, Pieces
from .unigram_batch import RunningSum, SegmentationCache, no_tokens
from .unit_table import Ints, UnitTable

SHORT = 500
"""Shorter texts are segmented as they are."""
LONG = 256
"""Longer parts are segmented one by one."""
Part = list[tuple[int, int]]
"""(id, number of characters) of each piece of a part of a text."""


class CrossingUnigram:
    """A unigram model that segments long texts in parts, with the result of `Unigram.pieces`.

    >>> model = Unigram({"a": 1, "b": 2, "a▁b": 3}, {"a": -1.0, "b": -1.0, "a▁b": -2.5})
    >>> text = "aa▁bb" * 200
    >>> [*CrossingUnigram(model).pieces(text)] == [*model.pieces(text)]
    True
    """

    def __init__(self, model: Unigram) -> None:
        self.model = model

    def pieces(self, text: str) -> Pieces:
        """Yield (id, number of characters) for each piece of a normalized text."""
        if len(text) < SHORT or self.model.has_words:
            return self.model.pieces(text)
        parts = self._reach.divide(text)
        index = {part: number for number, part in enumerate(dict.fromkeys(parts))}
        if not self.model.falls_slowly or self.model.rise * len(text) > -LOWEST:
            return chain.from_iterable(self._bound(index).segment_words(parts))
        numbers = np.fromiter(map(index.__getitem__, parts), np.int32, len(parts))
        return chain.from_iterable(self._follow(parts, numbers, *self._segment([*index])))

    @cached_property
    def _reach(self) -> PieceReach:
        return PieceReach(self.model.ids)

    @cached_property
    def _scores(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        scores = np.zeros(max(self.model.scores) + 1)
        scores[np.fromiter(self.model.scores, np.int64)] = np.fromiter(self.model.scores.values(), np.float64)
        return scores

    @cached_property
    def _batch(self) -> UnigramBatch:
        return UnigramBatch(self.model.ids, self._scores, unknown=self.model.unknown, rounding=HALF)

    def _bound(self, parts: Collection[str]) -> Unigram:
        """Return the model with the length of the longest piece at each position of different parts."""
        sizes = self._reach.sizes(code_points(APART.join(parts))).tolist()
        ends = accumulate(1 + len(part) for part in parts)
        return self.model.with_bounds(
            {part: sizes[end - 1 - len(part) : end - 1] for part, end in zip(parts, ends, strict=True)}
        )

    def _segment(self, parts: Sequence[str]) -> tuple[list[Part], UnitTable]:
        """Return the pieces of different parts, and what they add to the sum; those that depend on it are undecided."""
        each: list[Part] = [[] for _ in parts]
        units = no_tokens(len(parts))
        sizes = np.fromiter(map(len, parts), np.int64, len(parts))
        if (short := sizes <= LONG).any():
            chars = code_points("".join([part for part in parts if len(part) <= LONG]))
            cuts = self._batch.cuts(chars, sizes[short])
            pieces = [*zip(cuts.ids.tolist(), cuts.sizes.tolist(), strict=True)]
            ends = [0, *np.cumsum(cuts.counts).tolist()]
            for number, (first, last) in zip(np.flatnonzero(short).tolist(), pairwise(ends), strict=True):
                each[number] = pieces[first:last]
            units.pieces[short] = cuts.counts
            units.lowest[short] = cuts.lowest
            units.decided[short] = cuts.margins > 0
            units = units._replace(scores=self._scores[cuts.ids].astype(np.float32))
        table = UnitTable()
        table.add(parts, units)
        return each, table

    def _follow(self, parts: Sequence[str], numbers: Ints, known: Sequence[Part], table: UnitTable) -> list[Part]:
        """Return the pieces of all parts: those that are known, or those that the sum before a part decides."""
        each = [known[number] for number in numbers.tolist()]
        undecided = np.flatnonzero(~table.columns.decided[numbers])
        followed = {parts[at] for at in undecided.tolist()}
        sum_ = RunningSum(self._bound(followed), table, numbers, SegmentationCache())
        at = 0
        for next_undecided in undecided.tolist():
            while at <= next_undecided:
                at = sum_.skip(at, next_undecided)
                each[at] = sum_.segment(parts[at])
                at += 1
        return each
