"""Unigram: no merges at all; of all ways to cut a text, the one whose pieces are together most likely (Kudo 2018).

The score of a piece is the logarithm of its probability, so the best cut has the highest sum. Viterbi finds it:
the best way to reach a place is the best way to reach an earlier one, and one piece more.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import accumulate, chain
from math import frexp, inf
from typing import NamedTuple

from app.scratch.sentencepiece import Pieces, marks_begin, words

Trie = dict[str, tuple["Trie", float | None, int]]
"""By character what may follow it, and the score and the id of the piece that ends with it, if one does."""
Cuts = dict[str, tuple[list[tuple[int, int]], float, float]]
"""By word its pieces, what they add to the sum, and how much lower than before it is on the way."""
PENALTY = 10.0
"""An unknown character scores this much below the worst piece."""
LOWEST = -100_000.0
"""A sum of scores that falls below this begins anew."""
USER_DEFINED = -0.1
"""A user-defined symbol scores more than any other piece, whatever its length."""
LONG = 64
"""Longer words are never sure."""
HALF = 2.0**-8 + 2.0**-20
"""More than rounding to 32 bits may change a sum above twice `LOWEST`, each time a score is added to it."""
ROUNDED = 4 * 2.0**-8
"""What rounding may add, a character, to the difference of two sums above `LOWEST`: half a step of 32 bits there is
2**-8, and it is rounded where the difference was found and where it is relied on, each time on both sides."""


def float32(value: float) -> float:
    """A number as 32 bits hold it.

    >>> float32(0.1)
    0.10000000149011612
    """
    return float(array("f", [value])[0])


class Best(NamedTuple):
    """The best cut of a word, the sum it ends with, and the lowest sum on the way; `exact` if no rounding was a tie.

    Each of its pieces is better by the `margin`, at least, than any other way to where that piece ends.
    """

    pieces: list[tuple[int, int]]
    end: float
    lowest: float
    exact: bool
    margin: float


class Unigram:
    """Viterbi over the pieces.

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
        """With `wide`, sums have 64 bits and never begin anew, as in Hugging Face's library."""
        self.unknown = unknown
        worst = min(scores.values(), default=0.0) - PENALTY
        self.unknown_score = worst if wide else float32(worst)
        self.size, self.lowest = ("d", float("-inf")) if wide else ("f", LOWEST)
        every = {**scores, **dict.fromkeys(user_defined, USER_DEFINED)}
        self.longest = max(map(len, every), default=0)
        self.words: Callable[[str], Iterable[str]] = words(every)
        self.by_stretches = not wide and self._steady(every) and marks_begin(every)
        self.scores = {**{ids[piece]: score for piece, score in every.items()}, unknown: self.unknown_score}
        self.trie: Trie = {char: ({}, self.unknown_score, unknown) for char in "".join(every)}
        for piece, score in every.items():
            children = self.trie
            for char in piece[:-1]:
                children = children.setdefault(char, ({}, None, unknown))[0]
            last = piece[-1:]
            children[last] = children[last][0] if last in children else {}, score, ids[piece]

    def edges(self, text: str, start: int) -> Iterator[tuple[int, float, int]]:
        """The pieces that begin at a place: where each ends, its score, its id. One has a single character."""
        children, found = self.trie, []
        for end, char in enumerate(text[start : start + self.longest], start + 1):
            if char not in children:
                break
            children, score, id = children[char]
            if score is not None:
                found.append((end, score, id))
        return iter(found or [(start + 1, self.unknown_score, self.unknown)])

    def pieces(self, text: str) -> Pieces:
        """Yield (id, number of characters) for each piece of a normalized text.

        Sums are kept in 32 bits and begin anew where they fall below `LOWEST`, as sentencepiece has it: in a long
        text that decides between cuts that score nearly the same. So a word that was met before adds to the sum
        what it added before only where sums are rounded as before, which is between the same two powers of two.
        """
        return chain.from_iterable(self._cuts(text))

    def _cuts(self, text: str) -> Iterator[list[tuple[int, int]]]:
        caches: dict[int, Cuts] = {}
        sure: dict[str, Best] = {}
        sum_, floor, scale, known = 0.0, -1.0, 0, Cuts()
        for word in self.words(text):
            met = known.get(word)
            if met and sum_ + met[2] > floor:
                sum_ += met[1]
                yield met[0]
                continue
            best = self._met(word, sum_, sure)
            if best.exact and frexp(best.lowest)[1] == scale and sum_ >= best.lowest >= self.lowest:
                known[word] = best.pieces, best.end - sum_, best.lowest - sum_
            sum_, scale = best.end, frexp(best.end)[1]
            floor, known = max(-(2.0**scale), self.lowest), caches.setdefault(scale, {}) if sum_ < 0 else Cuts()
            yield best.pieces

    def _met(self, word: str, sum_: float, sure: dict[str, Best]) -> Best:
        """The best cut of a word, which is the one found before if that was better by more than can be rounded."""
        best = sure.get(word)
        if best and sum_ + best.lowest - 1 > LOWEST:
            return self._summed(best, sum_)
        best = self.best(word, sum_)
        if best.margin > len(word) * ROUNDED:
            sure[word] = best._replace(lowest=best.lowest - sum_)
        return best

    def _summed(self, best: Best, sum_: float) -> Best:
        """The same cut after another sum."""
        lowest, rounded, exact = sum_, array(self.size, [0.0]), True
        half = 2.0 ** (frexp(sum_)[1] - 25)
        for id, _ in best.pieces:
            rounded[0] = unrounded = sum_ + self.scores[id]
            sum_ = rounded[0]
            if sum_ < lowest:
                lowest = sum_
            if abs(unrounded - sum_) == half:
                exact = False
        return Best(best.pieces, sum_, lowest, exact, best.margin)

    def _steady(self, scores: Mapping[str, float]) -> bool:
        """Whether sums only fall, and never far below `LOWEST` before they begin anew."""
        return max(scores.values(), default=0.0) <= 0.0 and self.unknown_score * (self.longest + 1) > LOWEST / 4

    def sure(self, word: str) -> Pieces | None:
        """The best cut of a word, if it is the best whatever the sum was before, or None.

        For every piece `HALF` is added to the sum, so that no way is better than its sum says, however it is rounded;
        and the best way is worse than its own by no more than twice that for each of its pieces. So much it has to win
        by wherever one of them ends.

        >>> scores = {"a": -1.0, "b": -1.0, "ab": -2.0, "abc": -3.0}
        >>> model = Unigram({"a": 1, "b": 2, "ab": 3, "abc": 4}, scores)
        >>> model.sure("ab"), [*model.sure("abc")]
        (None, [(4, 3)])
        """
        if len(word) > LONG:
            return None
        sums, margins = [0.0] + [-inf] * len(word), [inf] * (len(word) + 1)
        arrived: list[tuple[int, int] | None] = [None] * (len(word) + 1)
        for start in range(len(word)):
            till_here, children = sums[start] + HALF, self.trie
            if word[start] not in children:  # and in no piece
                sums[start + 1], arrived[start + 1] = till_here + self.unknown_score, (self.unknown, 1)
            for end, char in enumerate(word[start:], start + 1):
                if char not in children:
                    break
                children, score, id = children[char]
                if score is None:
                    continue
                more = till_here + score - sums[end]
                if more > 0:
                    sums[end], arrived[end], margins[end] = till_here + score, (id, end - start), more
                elif -more < margins[end]:
                    margins[end] = -more
        pieces, end, margin = [], len(word), inf
        while end > 0 and (piece := arrived[end]):
            pieces.append(piece)
            margin = min(margin, margins[end])
            end -= piece[1]
        return iter(pieces[::-1]) if margin > 2 * HALF * len(pieces) else None

    def best(self, word: str, sum_: float) -> Best:
        """The best cut of a word that begins with a sum of scores."""
        sums = array(self.size, [0.0]) * (len(word) + 1)
        arrived: list[tuple[int, int] | None] = [None] * (len(word) + 1)  # by which piece, and how long it is
        margins = [inf] * (len(word) + 1)
        sums[0], rounded, exact = sum_, array(self.size, [0.0]), True
        half = 2.0 ** (frexp(sum_)[1] - 25)  # of the distance between neighbouring numbers of 32 bits
        for start in range(len(word)):
            if sums[start] < self.lowest:
                self._begin_anew(sums, start, arrived)
                exact = False
                margins[start] = 0.0
            till_here = sums[start]
            for end, score, id in self.edges(word, start):
                rounded[0] = till_here + score
                sum_ = rounded[0]
                exact = exact and abs(till_here + score - sum_) != half
                if not arrived[end]:
                    sums[end], arrived[end] = sum_, (id, end - start)
                elif sum_ > sums[end]:
                    margins[end] = sum_ - sums[end]
                    sums[end], arrived[end] = sum_, (id, end - start)
                elif sums[end] - sum_ < margins[end]:
                    margins[end] = sums[end] - sum_
        pieces = [*_back(arrived)][::-1]
        margin = min((margins[end] for end in accumulate(size for _, size in pieces)), default=inf)
        return Best(pieces, sums[-1], min(sums), exact, margin if exact else 0.0)

    def _begin_anew(self, sums: "array[float]", start: int, arrived: list[tuple[int, int] | None]) -> None:
        """Take the sum at a place off itself and off all sums already known behind it."""
        off, sums[start] = sums[start], 0.0
        for end in range(start + 1, min(start + self.longest, len(sums))):
            if arrived[end]:
                sums[end] -= off


def _back(arrived: list[tuple[int, int] | None]) -> Pieces:
    """From the end to the beginning, by the pieces that arrived best."""
    end = len(arrived) - 1
    while end > 0 and (piece := arrived[end]):
        yield piece
        end -= piece[1]
