"""The sum of scores that sentencepiece carries through a text, for the few words whose cut it decides.

The sum has 32 bits: the lower it is, the more is rounded, and where two cuts of a word score nearly the same, that
decides between them. Below `LOWEST` it begins anew, and where it does depends on every way through the word.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from math import frexp

from app.scratch.unigram import LOWEST, Unigram


class RunningSum:
    """The sum behind the words gone through so far.

    `known` gives the ids of a word, as the bytes of an array, or none where the sum decides; `spelled` gives those of
    a cut; `scores` has what each id adds.

    >>> scores = {"a": -1.0, "b": -1.0, "ab": -2.0}
    >>> model = Unigram({"a": 1, "b": 2, "ab": 3}, scores)
    >>> spelled = lambda word, pieces: array("I", [id for id, _ in pieces]).tobytes()
    >>> sum_ = RunningSum(model, [0.0, *scores.values()], lambda word: b"", spelled)
    >>> array("I", sum_.cut("ab")), sum_.value
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
        self._cuts: dict[tuple[str, int], tuple[bytes, float, float]] = {}

    def add(self, stretches: Sequence[str], ids: Sequence[bytes], at_once: int = 64) -> None:
        """Go through stretches whose ids are known, many at once where the sum stays above `LOWEST`."""
        for first in range(0, len(ids), at_once):
            some = slice(first, first + at_once)
            after = self._after(b"".join(ids[some]))
            if after + max(map(len, stretches[some])) * self.model.unknown_score > LOWEST:
                self.value = after
            elif at_once > 1:
                self.add(stretches[some], ids[some], at_once // 4)
            else:
                self.cut(stretches[first])

    def cut(self, stretch: str) -> bytes:
        """Go through a stretch word by word, and give its ids."""
        return b"".join(map(self._cut, self.model.words(stretch)))

    def _cut(self, word: str) -> bytes:
        ids = self.known(word)
        if not ids or self.value + len(word) * self.model.unknown_score < LOWEST:
            return self._decided(word)
        self.value = self._after(ids)
        return ids

    def _decided(self, word: str) -> bytes:
        """A word is cut the same, and adds the same, where sums are rounded as before: between two powers of two."""
        before, scale = self.value, frexp(self.value)[1]
        met = self._cuts.get((word, scale)) if before < 0 else None
        if met and before + met[2] > max(-(2.0**scale), LOWEST):
            self.value += met[1]
            return met[0]
        best = self.model.best(word, before)
        self.value, ids = best.end, self.spelled(word, best.pieces)
        if before < 0 and best.exact and frexp(best.lowest)[1] == scale and best.lowest >= LOWEST:
            self._cuts[word, scale] = ids, best.end - before, best.lowest - before
        return ids

    def _after(self, ids: bytes) -> float:
        """The sum behind some tokens more.

        Beside a number of 64 bits as large as `shift` only so much of the sum has room as 32 bits hold of it; so it
        is rounded the same, as long as it stays between the same two powers of two.
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
