"""The ids of SentencePiece models without spans, for long texts: each word is segmented once and looked up again.

If no piece has a ▁ after another character, the tokens of a text are those of its segments, each a ▁ and the characters
up to the next one. A language has few different segments; the ids of all are joined in one copy.

A unigram model of sentencepiece (0.2) adds scores to a running sum of 32 bits through the whole text. The lower the
sum, the coarser its rounding, and if two segmentations of a word score nearly the same, rounding decides. Below
`LOWEST` the sum starts again from 0. Most words are segmented the same at any sum (`Unigram.unambiguous_cut`);
`RunningSum` computes the sum only for the others.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from math import frexp

from ..fast.bpe import IdCache
from ..fast.unigram import LOWEST, Unigram
from .sentencepiece import MARK, Pieces, SentencePiece
from .sentencepiece_bpe import ScoredBPE


class RunningSum:
    """The running sum of scores after the words so far.

    - `scores`: what each id adds to the sum.
    - `known`: returns the ids of a word as the bytes of an array, or b"" if they depend on the sum.
    - `spelled`: returns the same for a segmented word.

    >>> scores = {"a": -1.0, "b": -1.0, "ab": -2.0}
    >>> model = Unigram({"a": 1, "b": 2, "ab": 3}, scores)
    >>> spelled = lambda word, pieces: array("I", [id for id, _ in pieces]).tobytes()
    >>> sum_ = RunningSum(model, [0.0, *scores.values()], lambda word: b"", spelled)
    >>> array("I", sum_.segment("ab")), sum_.value
    (array('I', [3]), -2.0)
    """

    def __init__(
        self,
        model: Unigram,
        scores: Sequence[float],
        known: Callable[[str], bytes],
        spelled: Callable[[str, Iterable[tuple[int, int]]], bytes],
    ) -> None:
        self.model = model
        self.scores = scores
        self.known = known
        self.spelled = spelled
        self.value = 0.0
        self._segmented: dict[tuple[str, int], tuple[bytes, float, float]] = {}

    def add(self, segments: Sequence[str], ids: Sequence[bytes], at_once: int = 64) -> None:
        """Add segments whose ids are known, many at once as long as the sum stays above `LOWEST`."""
        for first in range(0, len(ids), at_once):
            batch = slice(first, first + at_once)
            after = self._after(b"".join(ids[batch]))
            # No path through a segment scores lower than unknown characters alone.
            if after + max(map(len, segments[batch])) * self.model.unknown_score > LOWEST:
                self.value = after
            elif at_once > 1:
                self.add(segments[batch], ids[batch], at_once // 4)
            else:
                self.segment(segments[first])

    def segment(self, segment: str) -> bytes:
        """Add a segment word by word, and return its ids."""
        return b"".join(map(self._add_word, self.model.words(segment)))

    def _add_word(self, word: str) -> bytes:
        ids = self.known(word)
        if not ids or self.value + len(word) * self.model.unknown_score < LOWEST:
            return self._decided(word)
        self.value = self._after(ids)
        return ids

    def _decided(self, word: str) -> bytes:
        """Segment a word at this sum; cached by exponent, since rounding is the same between two powers of two."""
        before, scale = self.value, frexp(self.value)[1]
        cached = self._segmented.get((word, scale)) if before < 0 else None
        if cached and before + cached[2] > max(-(2.0**scale), LOWEST):
            self.value += cached[1]
            return cached[0]
        best = self.model.best(word, before)
        self.value, ids = best.end, self.spelled(word, best.pieces)
        if before < 0 and best.exact and frexp(best.lowest)[1] == scale and best.lowest >= LOWEST:
            self._segmented[word, scale] = ids, best.end - before, best.lowest - before
        return ids

    def _after(self, ids: bytes) -> float:
        """Return the sum after some more tokens, rounded to 32 bits at each addition.

        Added to `shift`, a float of 64 bits has room for exactly the bits that a float of 32 bits keeps of the sum, so
        that plain additions round the same, as long as the sum stays between the same two powers of two.
        """
        scale = frexp(self.value)[1]
        shift = 1.5 * 2.0 ** (scale + 52 - 24)
        scores, sum_ = self.scores, self.value + shift
        for id in array("I", ids):
            sum_ += scores[id]
        if self.value < 0 and frexp(sum_ - shift)[1] == scale:
            return sum_ - shift
        sum_, rounded = self.value, array("f", [0.0])
        for id in array("I", ids):
            rounded[0] = sum_ + scores[id]
            sum_ = rounded[0]
        return sum_


SEGMENT = re.compile(f"{MARK}+[^{MARK}]*|[^{MARK}]+")


class SentencePieceIds:
    """Computes the ids of a text if normalizing it only replaces spaces; otherwise returns None.

    >>> from tokenarium.scratch.compat.sentencepiece import Normalizer
    >>> model = ScoredBPE({"▁": 1, "a": 2, "▁a": 3}, {"▁": -1.0, "a": -1.0, "▁a": 0.0})
    >>> SentencePieceIds(SentencePiece(model.pieces, Normalizer(), unknown=0), model)("a  aa")
    array('I', [3, 1, 3, 2])
    """

    def __init__(self, whole: SentencePiece, model: ScoredBPE | Unigram) -> None:
        self.whole = whole
        self.model = model
        self._separable = model.by_stretches and all(id != whole.unknown for id, _ in model.pieces(MARK))
        self._pieces: Callable[[str], Pieces | None] = (
            model.unambiguous_cut if isinstance(model, Unigram) else model.pieces
        )
        self._words = IdCache(self._of_word)
        self._segments = IdCache(self._of_segment)

    def __call__(self, text: str) -> "array[int] | None":
        normal = self.whole.normalizer.marked(text)
        if normal is None or not self._separable:
            return None
        segments = SEGMENT.findall(normal)
        parts = [*map(self._segments.__getitem__, segments)]
        if isinstance(self.model, Unigram):
            self._decide(self.model, segments, parts)
        ids = array("I", b"".join(parts))
        # Adjacent unknown tokens of two segments would have to become one: left to `SentencePiece`.
        return ids if self.whole.byte_ids or self.whole.unknown not in ids else None

    def _of_segment(self, segment: str) -> bytes:
        parts = [*map(self._words.__getitem__, self.model.words(segment))]
        return b"" if b"" in parts else b"".join(parts)

    def _of_word(self, word: str) -> bytes:
        pieces = self._pieces(word)
        return b"" if pieces is None else self.whole.spelled(word, pieces)

    def _decide(self, model: Unigram, segments: list[str], parts: list[bytes]) -> None:
        """Fill in the segments whose ids depend on the sum of all scores before them."""
        sum_ = RunningSum(model, self._scores(model), self._words.__getitem__, self.whole.spelled)
        start = 0
        for _ in range(parts.count(b"")):
            index = parts.index(b"", start)
            sum_.add(segments[start:index], parts[start:index])
            parts[index] = sum_.segment(segments[index])
            start = index + 1

    def _scores(self, model: Unigram) -> list[float]:
        """Return what each id adds to the sum; for an unknown character, its first byte adds all."""
        scores = [0.0] * (max([*model.scores, *self.whole.byte_ids]) + 1)
        for id, score in model.scores.items():
            scores[id] = score
        for byte, id in enumerate(self.whole.byte_ids):
            scores[id] = 0.0 if 0x80 <= byte < 0xC0 else model.unknown_score
        return scores
