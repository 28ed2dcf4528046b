"""SentencePiece unigram models whose pieces cross words (`▁of▁the`), for long texts.

No text can be divided before it is seen. In a given text few positions are crossed by a piece that is there, and equal
parts between the others are segmented once.
"""

from collections.abc import Collection
from functools import cached_property
from itertools import chain, pairwise

import numpy as np

from ...fast.unigram.encode import HALF, BestSegmentation, Unigram
from ...fast.unigram.encode_batch import UnigramBatch, code_points
from ...fast.unigram.reach import PieceReach
from .encode import Pieces

SHORT_TEXT = 500
"""Shorter texts are segmented as they are."""
LONG_PART = 256
"""Longer parts are segmented one by one."""


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
        if len(text) < SHORT_TEXT or self.model.has_words:
            return self.model.pieces(text)
        parts = self._reach.divide(text)
        short = [part for part in {*parts} if len(part) <= LONG_PART]
        return chain.from_iterable(self.model.segment_words(parts, known=self._segment(short)))

    @cached_property
    def _reach(self) -> PieceReach:
        return PieceReach(self.model.ids)

    @cached_property
    def _batch(self) -> UnigramBatch:
        scores = np.zeros(max(self.model.scores) + 1)
        scores[[*self.model.scores]] = [*self.model.scores.values()]
        return UnigramBatch(self.model.ids, scores, unknown=self.model.unknown, rounding=HALF)

    def _segment(self, parts: Collection[str]) -> dict[str, BestSegmentation]:
        """Return the segmentation of each part for which it is the same for any sum before the part."""
        if not parts:
            return {}
        cuts = self._batch.cuts(code_points("".join(parts)), np.fromiter(map(len, parts), np.int64, len(parts)))
        pieces = [*zip(cuts.ids.tolist(), cuts.sizes.tolist(), strict=True)]
        spans = pairwise([0, *np.cumsum(cuts.counts).tolist()])
        known = dict[str, BestSegmentation]()
        for part, span, lowest, margin in zip(parts, spans, cuts.lowest.tolist(), cuts.margins.tolist(), strict=True):
            if margin > 0:
                highest = self.model.rise * len(part)
                known[part] = BestSegmentation(pieces[slice(*span)], 0.0, lowest, highest, True, margin)
        return known
