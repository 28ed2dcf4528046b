"""Unigram, fast: the best segmentation of `scratch.unigram`, in the arithmetic of sentencepiece (Kudo 2018).

A look-up for each length that a piece may have finds the pieces that begin at a position. Sums of scores have 32 bits
as in sentencepiece, whose rounding decides between segmentations of nearly equal scores; the segmentation of a word
that is better than all others by more than rounding can change is kept. With sums of 64 bits (`wide`), as in Hugging
Face's library, the result is equal to that of the teaching file.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import inf
from typing import NamedTuple

from ....types import UnigramSums
from ...compat.sentencepiece.encode import Pieces, words

PENALTY = 10.0
"""An unknown character scores this much less than the piece of lowest score."""
HIGHEST = 100_000.0
"""A sum of scores further from 0 than this restarts at 0, as in sentencepiece."""
ROUNDING = 1 / 256
"""The most by which an addition to a sum of 32 bits is rounded, up to 2 ** 17."""
BONUS = 0.1
"""What a user-defined symbol scores for each of its bytes but the first, so that it is better than other pieces."""
BEGINNING = 3
"""The lengths of all shorter pieces are tried at each position, and of longer ones those of pieces that begin so."""
SHORT = tuple(range(1, BEGINNING))
WORDS = 16_384
"""So many words are kept with their segmentations, of at most `LONGEST` characters."""
LONGEST = 128


def float32(value: float) -> float:
    """Return a number rounded to 32 bits.

    >>> float32(0.1)
    0.10000000149011612
    """
    return float(array("f", [value])[0])


def score_symbol(symbol: str) -> float:
    """Return the score of a user-defined symbol in sentencepiece (0.2.3), in its arithmetic of 32 bits.

    >>> round(score_symbol("▁▁"), 3), score_symbol("i")
    (0.5, 0.0)
    """
    return float32(float32(len(symbol.encode()) * float32(BONUS)) - float32(BONUS))


class BestSegmentation(NamedTuple):
    """The best segmentation of a word, the scores of its pieces, and the sum after it.

    `reach` is how far from the sum before the word any sum within it may lie, wherever that is; infinite if the
    segmentation may depend on that sum.
    """

    pieces: list[tuple[int, int]]
    scores: list[float]
    end: float
    reach: float


class Unigram:
    """A unigram model: Viterbi over the pieces of a vocabulary.

    >>> scores = {"the": -2.53, "there": -3.91, "re": -3.0, "t": -3.9, "h": -3.9, "e": -2.7, "r": -3.5}
    >>> model = Unigram({piece: id for id, piece in enumerate(scores, 1)}, scores)
    >>> list(model.pieces("there")), list(model.pieces("hex"))
    ([(2, 5)], [(5, 1), (6, 1), (0, 1)])
    """

    def __init__(
        self,
        ids: Mapping[str, int],
        scores: Mapping[str, float],
        *,
        unknown: int = 0,
        user_defined: Collection[str] = (),
        wide: bool = False,
    ) -> None:
        """With `wide`, sums have 64 bits and never restart, as in Hugging Face's library."""
        self.unknown = unknown
        self.wide = wide
        worst = min(scores.values(), default=0.0) - PENALTY
        self.unknown_score = worst if wide else float32(worst)
        self.highest = inf if wide else HIGHEST
        every = {**scores, **{symbol: score_symbol(symbol) for symbol in user_defined}}
        self.longest = max(map(len, every), default=0)
        self.words: Callable[[str], Iterable[str]] = words(every)
        self.ids = {piece: ids[piece] for piece in every}
        self.score_of = every
        self.sizes_from = _sizes_by_beginning(every)
        self._known: dict[str, BestSegmentation] = {}

    def edges(self, text: str, start: int) -> Sequence[tuple[int, float, int]]:
        """Return the pieces that begin at a position, or an unknown character, as (end, score, id)."""
        get, ids = self.score_of.get, self.ids
        sizes = self.sizes_from.get(text[start : start + BEGINNING], SHORT)
        ends = [start + size for size in sizes if start + size <= len(text)]
        edges = [(end, score, ids[part]) for end in ends if (score := get(part := text[start:end])) is not None]
        if not edges or edges[0][0] > start + 1:  # a character that is no piece is unknown, even inside of pieces
            edges.insert(0, (start + 1, self.unknown_score, self.unknown))
        return edges

    def pieces(self, text: str) -> Pieces:
        """Yield (id, number of characters) for each piece of a normalized text.

        Sums have 32 bits and restart beyond `HIGHEST`, as in sentencepiece; in a long text this decides between
        segmentations of nearly equal scores. Of a word that is known not to depend on it only the sum is computed.
        """
        rounded = self._rounded()
        sum_ = 0.0
        for word in self.words(text):
            best = self._known.get(word)
            if best and abs(sum_) + best.reach < HIGHEST:
                for score in best.scores:
                    rounded[0] = sum_ + score
                    sum_ = rounded[0]
            else:
                best = self.best(word, sum_)
                sum_ = best.end
                if best.reach < inf and len(word) <= LONGEST:
                    if len(self._known) >= WORDS:
                        self._known.clear()
                    self._known[word] = best
            yield from best.pieces

    def best(self, word: str, sum_: float) -> BestSegmentation:
        """Return the best segmentation of a word by Viterbi's algorithm, from the sum of scores before the word."""
        sums = self.forward(word, sum_)
        reach = max(max(sums.best) - sum_, sum_ - min(sums.best)) + 4 * ROUNDING * len(word)
        if sums.restarted or not abs(sum_) + reach < HIGHEST:
            reach = inf
        pieces: list[tuple[int, int]] = []
        scores: list[float] = []
        end = len(word)
        while end > 0:
            # Both sums have been rounded at most `end` times, and will be again where the sum before is another.
            if not sums.best[end] - sums.second[end] > 4 * ROUNDING * end:
                reach = inf
            start = sums.starts[end]
            piece = word[start:end]
            pieces.append((self.ids.get(piece, self.unknown), end - start))
            scores.append(self.score_of.get(piece, self.unknown_score))
            end = start
        return BestSegmentation(pieces[::-1], scores[::-1], sums.best[-1], reach)

    def forward(self, text: str, sum_: float) -> UnigramSums:
        """Return the best sums to each position, from the sum of scores before the text.

        >>> Unigram({"a": 1, "b": 2, "ab": 3}, {"a": -1.0, "b": -2.0, "ab": -2.5}).forward("ab", 0.0)
        UnigramSums(best=[0.0, -1.0, -2.5], second=[-inf, -inf, -3.0], starts=[-1, 0, 0], restarted=False)
        """
        best, second = [sum_, *[-inf] * len(text)], [-inf] * (len(text) + 1)
        starts = [-1] * (len(text) + 1)
        rounded = self._rounded()
        restarted = False
        get, sizes_from = self.score_of.get, self.sizes_from.get
        for start in range(len(text)):
            if abs(best[start]) > self.highest:
                restarted = True
                self._restart(best, starts, start)
            before = best[start]
            missing: float | None = self.unknown_score  # a character that is no piece is unknown
            for size in sizes_from(text[start : start + BEGINNING], SHORT):
                end = start + size
                if end > len(text):
                    break
                score = get(text[start:end], missing)
                missing = None
                if score is not None:
                    rounded[0] = before + score
                    sum_ = rounded[0]
                    if sum_ > best[end] or starts[end] < 0:
                        best[end], second[end], starts[end] = sum_, best[end], start
                    elif sum_ > second[end]:
                        second[end] = sum_
        return UnigramSums(best, second, starts, restarted)

    def _rounded(self) -> "array[float]":
        """Return an array of one number: to assign to it rounds to its size without the call of a function."""
        return array("d" if self.wide else "f", [0.0])

    def _restart(self, best: list[float], starts: list[int], start: int) -> None:
        """Restart at 0 as sentencepiece does: subtract the sum at a position from those computed after it."""
        rounded = self._rounded()
        offset = best[start]
        best[start] = 0.0
        for end in range(start + 1, min(start + self.longest, len(best))):
            if starts[end] >= 0:
                rounded[0] = best[end] - offset
                best[end] = rounded[0]


def _sizes_by_beginning(pieces: Iterable[str]) -> dict[str, list[int]]:
    """Return the lengths that pieces have which begin with the same `BEGINNING` characters, and those of shorter ones.

    >>> _sizes_by_beginning(["a", "abcde", "abc", "b"])
    {'abc': [1, 2, 3, 5]}
    """
    sizes = dict[str, set[int]]()
    for piece in pieces:
        if len(piece) >= BEGINNING:
            sizes.setdefault(piece[:BEGINNING], {*SHORT}).add(len(piece))
    return {beginning: sorted(lengths) for beginning, lengths in sizes.items()}
