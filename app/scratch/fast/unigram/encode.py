"""Unigram, fast: the best segmentation of `scratch.unigram`, in the arithmetic of sentencepiece (Kudo 2018).

A look-up for each length finds the pieces that begin at a position, up to the longest that begins with its first
few characters, and words that occur again are cached. Sums of scores have 32 bits as in sentencepiece, whose rounding
decides between segmentations of nearly equal scores. With sums of 64 bits (`wide`), as in Hugging Face's library, the
result is equal to that of the teaching file.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import frexp
from typing import NamedTuple

from ...compat.sentencepiece.encode import Pieces, words

WordCache = dict[str, tuple[list[tuple[int, int]], float, float]]
"""By word: its pieces, what they add to the sum, and the lowest sum within the word relative to the sum before it."""
Edges = list[Sequence[tuple[int, float, int]]]
"""By position, the pieces that begin there, the shortest first: (end, score, id)."""
PENALTY = 10.0
"""An unknown character scores this much less than the piece of lowest score."""
LOWEST = -100_000.0
"""A sum of scores below this, or as far above 0, restarts at 0, as in sentencepiece."""
BONUS = 0.1
"""What a user-defined symbol scores for each of its bytes but the first, so that it is better than other pieces."""
BEGINNING = 4
"""The lengths of all shorter pieces are tried at each position, and longer ones where some piece begins so."""
LATTICES = 16_384
"""Words whose pieces at all positions are cached, since each is segmented again where sums are rounded otherwise."""
LONGEST = 128
"""The pieces of longer words are not cached."""


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
    """The best segmentation of a word, the sum after it, and the lowest and highest sum within it. `exact` is True if
    no rounding was a tie.
    """

    pieces: list[tuple[int, int]]
    end: float
    lowest: float
    highest: float
    exact: bool


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
        self.size, self.lowest = ("d", float("-inf")) if wide else ("f", LOWEST)
        every = {**scores, **{symbol: score_symbol(symbol) for symbol in user_defined}}
        self.longest = max(map(len, every), default=0)
        self.words: Callable[[str], Iterable[str]] = words(every)
        self.ids = {piece: ids[piece] for piece in every}
        self.scores = dict(zip(self.ids.values(), every.values(), strict=True)) | {unknown: self.unknown_score}
        self.score_of = every
        self.longest_from = _longest_by_beginning(every)
        self._lattices: dict[str, Edges] = {}

    def edges(self, text: str, start: int) -> Sequence[tuple[int, float, int]]:
        """Return the pieces that begin at a position, or an unknown character, as (end, score, id)."""
        get, ids = self.score_of.get, self.ids
        longest = self.longest_from.get(text[start : start + BEGINNING], BEGINNING - 1)
        ends = range(start + 1, min(start + longest, len(text)) + 1)
        edges = [(end, score, ids[part]) for end in ends if (score := get(part := text[start:end])) is not None]
        if not edges or edges[0][0] > start + 1:  # a character that is no piece is unknown, even inside of pieces
            edges.insert(0, (start + 1, self.unknown_score, self.unknown))
        return edges

    def _edges_of(self, word: str) -> Iterable[Sequence[tuple[int, float, int]]]:
        """Return the edges at each position of a word."""
        if len(word) > LONGEST or self.wide:
            return (self.edges(word, start) for start in range(len(word)))
        if word not in self._lattices:
            if len(self._lattices) >= LATTICES:
                self._lattices.clear()
            self._lattices[word] = [self.edges(word, start) for start in range(len(word))]
        return self._lattices[word]

    def pieces(self, text: str) -> Pieces:
        """Yield (id, number of characters) for each piece of a normalized text.

        Sums have 32 bits and restart below `LOWEST`, as in sentencepiece; in a long text this decides between
        segmentations of nearly equal scores. So a cached word is valid only as long as sums are rounded to the same
        step, which is between two powers of two.
        """
        caches: dict[int, WordCache] = {}
        sum_ = 0.0
        floor = -1.0
        scale = 0
        cache = WordCache()
        for word in self.words(text):
            entry = cache.get(word)
            if entry and sum_ + entry[2] > floor:  # all sums within the word are in the range of this cache
                sum_ += entry[1]
                yield from entry[0]
                continue
            best = self.best(word, sum_)
            # A tie of rounding depends on the last bit of the sum before the word, so it is valid for no other sum; and
            # sums that rise within the word, by a symbol, may be rounded more finely than that before it.
            same_step = best.exact and frexp(best.lowest)[1] == scale and sum_ == best.highest
            if same_step and best.lowest >= self.lowest:
                cache[word] = best.pieces, best.end - sum_, best.lowest - sum_
            sum_ = best.end
            scale = frexp(best.end)[1]
            floor = max(-(2.0**scale), self.lowest)
            cache = caches.setdefault(scale, {}) if sum_ < 0 else WordCache()
            yield from best.pieces

    def best(self, word: str, sum_: float) -> BestSegmentation:
        """Return the best segmentation of a word by Viterbi's algorithm, from the sum of scores before the word."""
        sums = array(self.size, [0.0]) * (len(word) + 1)
        # By position, the id and length of the last piece of the best segmentation up to there.
        arrived: list[tuple[int, int] | None] = [None] * (len(word) + 1)
        sums[0] = sum_
        rounded = array(self.size, [0.0])
        exact = True
        half = 2.0 ** (frexp(sum_)[1] - 25)  # half the distance between adjacent numbers of 32 bits: a tie of rounding
        for start, edges in enumerate(self._edges_of(word)):
            if abs(sums[start]) > -self.lowest:
                self._restart(sums, start, arrived)
                exact = False
            before = sums[start]
            for end, score, id in edges:
                rounded[0] = before + score  # to assign to an array rounds to 32 bits, without a function call
                sum_ = rounded[0]
                exact = exact and abs(before + score - sum_) != half
                if sum_ > sums[end] or not arrived[end]:
                    sums[end], arrived[end] = sum_, (id, end - start)
        return BestSegmentation([*_back(arrived)][::-1], sums[-1], min(sums), max(sums), exact)

    def _restart(self, sums: "array[float]", start: int, arrived: list[tuple[int, int] | None]) -> None:
        """Restart at 0 as sentencepiece does: subtract the sum at a position from those computed after it."""
        offset = sums[start]
        sums[start] = 0.0
        for end in range(start + 1, min(start + self.longest, len(sums))):
            if arrived[end]:
                sums[end] -= offset


def _longest_by_beginning(pieces: Iterable[str]) -> dict[str, int]:
    """Return the length of the longest piece that begins with the same `BEGINNING` characters.

    >>> _longest_by_beginning(["a", "abcde", "abcd", "b"])
    {'abcd': 5}
    """
    longest = dict[str, int]()
    for piece in pieces:
        if len(piece) > longest.get(piece[:BEGINNING], BEGINNING - 1):
            longest[piece[:BEGINNING]] = len(piece)
    return longest


def _back(arrived: list[tuple[int, int] | None]) -> Pieces:
    """Yield the pieces of the best segmentation, from the last to the first."""
    end = len(arrived) - 1
    while end > 0 and (piece := arrived[end]):
        yield piece
        end -= piece[1]
