"""SentencePiece unigram models whose pieces cross words (`▁of▁the`), for long texts.

No text can be divided before it is seen, so that the library's one lattice over all of it is followed in parts that no
piece crosses: equal parts are segmented once, and the sum of scores runs through all of them.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain

import numpy as np

from ...fast.unigram.encode import HALF, LOWEST, Unigram
from ...fast.unigram.encode_batch import UnigramBatch
from ...fast.unigram.reach import PieceReach
from .encode import APART, Pieces
from .unigram_batch import Ints, RunningSum, UnitTokens

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
        sizes = self._reach.sizes(APART.join(parts)).tolist()
        ends = accumulate(1 + len(part) for part in parts)
        return self.model.with_bounds(
            {part: sizes[end - 1 - len(part) : end - 1] for part, end in zip(parts, ends, strict=True)}
        )

    def _segment(self, parts: Sequence[str]) -> tuple[list[Part], list[UnitTokens]]:
        """Return the pieces of different parts, and what they add to the sum; none of those that depend on it."""
        short = [part for part in parts if len(part) <= LONG]
        segmented = self._segment_short(short) if short else iter(())
        each = [next(segmented) if len(part) <= LONG else ([], UnitTokens(decided=False)) for part in parts]
        return [pieces for pieces, _ in each], [unit for _, unit in each]

    def _segment_short(self, parts: Collection[str]) -> Iterator[tuple[Part, UnitTokens]]:
        cuts = self._batch.cuts([*parts])
        pieces = [*zip(cuts.ids.tolist(), cuts.sizes.tolist(), strict=True)]
        scores = self._scores[cuts.ids].astype(np.float32).tobytes()
        first = 0
        for last, margin, lowest in zip(
            np.cumsum(cuts.counts).tolist(), cuts.margins.tolist(), cuts.lowest.tolist(), strict=True
        ):
            if margin > 0:
                yield pieces[first:last], UnitTokens(scores=scores[4 * first : 4 * last], lowest=lowest)
            else:
                yield [], UnitTokens(decided=False)
            first = last

    def _follow(
        self, parts: Sequence[str], numbers: Ints, known: Sequence[Part], units: Sequence[UnitTokens]
    ) -> list[Part]:
        """Return the pieces of all parts: those that are known, or those that the sum before a part decides."""
        each = [known[number] for number in numbers.tolist()]
        undecided = np.flatnonzero(~np.array([unit.decided for unit in units])[numbers])
        followed = {parts[at] for at in undecided.tolist()}
        sum_ = RunningSum(self._bound(followed), units, numbers)
        at = 0
        for next_undecided in undecided.tolist():
            while at <= next_undecided:
                at = sum_.skip(at, next_undecided)
                each[at] = sum_.segment(parts[at])
                at += 1
        return each
