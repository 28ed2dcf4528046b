"""Unigram: no merges at all; of all ways to cut a text, the one whose pieces are together most likely (Kudo 2018).

The score of a piece is the logarithm of its probability, so the best cut has the highest sum. Viterbi finds it:
the best way to reach a place is the best way to reach an earlier one, and one piece more.
"""

from array import array
from collections.abc import Collection, Mapping
from typing import Any

from app.scratch.sentencepiece import Pieces

PENALTY = 10.0
"""An unknown character scores this much below the worst piece."""
LOWEST = -100_000.0
"""Sums of scores that fall below this begin anew."""
USER_DEFINED = -0.1
"""A user-defined symbol scores more than any other piece, whatever its length."""


def float32(value: float) -> float:
    """A number as 32 bits hold it.

    >>> float32(0.1)
    0.10000000149011612
    """
    return float(array("f", [value])[0])


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
    ) -> None:
        self.ids = ids
        self.unknown = unknown
        self.unknown_score = float32(min(scores.values(), default=0.0) - PENALTY)
        self.longest = max(map(len, [*scores, *user_defined]), default=0)
        self.trie: dict[str, Any] = {}
        for piece, score in (*scores.items(), *dict.fromkeys(user_defined, USER_DEFINED).items()):
            node = self.trie
            for char in piece:
                node = node.setdefault(char, {})
            node[""] = (score, ids[piece])

    def pieces(self, text: str) -> Pieces:
        """Yield (id, number of characters) for each piece of a normalized text.

        Sums are kept in 32 bits and begin anew where they fall below `LOWEST`, as sentencepiece has it: in a long
        text that decides between cuts that score nearly the same.
        """
        best = array("f", bytes(4 * (len(text) + 1)))
        arrived: list[tuple[int, int]] = [(0, 0)] * (len(text) + 1)  # by which piece, and how long it is
        sum32 = array("f", [0.0])
        node: dict[str, Any] | None
        for start in range(len(text)):
            till_here, node, end, single = best[start], self.trie, start, False
            if till_here < LOWEST:
                till_here = self._begin_anew(best, start, arrived)
            while end < len(text) and (node := node.get(text[end])) is not None:
                end += 1
                if "" in node:
                    score, id = node[""]
                    single = single or end == start + 1
                    sum32[0] = till_here + score
                    if not arrived[end][1] or sum32[0] > best[end]:
                        best[end] = sum32[0]
                        arrived[end] = (id, end - start)
            if not single:
                sum32[0] = till_here + self.unknown_score
                if not arrived[start + 1][1] or sum32[0] > best[start + 1]:
                    best[start + 1] = sum32[0]
                    arrived[start + 1] = (self.unknown, 1)
        return reversed([*_back(arrived)])

    def _begin_anew(self, best: "array[float]", start: int, arrived: list[tuple[int, int]]) -> float:
        """Take the sum at a place off itself and off all sums already known behind it."""
        till_here, best[start] = best[start], 0.0
        for end in range(start + 1, min(start + self.longest, len(best))):
            if arrived[end][1]:
                best[end] -= till_here
        return 0.0


def _back(arrived: list[tuple[int, int]]) -> Pieces:
    """From the end to the beginning, by the pieces that arrived first."""
    end = len(arrived) - 1
    while end > 0:
        yield arrived[end]
        end -= arrived[end][1]
