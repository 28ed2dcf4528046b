"""The state of a word between two merges: its parts, and the pairs that could join. Made again from what was written
down, so that a trace is small and any step can be looked at."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from app.types import Merge


class Replay:
    """A word to which merges are applied one by one.

    >>> state = Replay(b"low", {b"lo": 1, b"low": 2})
    >>> state.pairs
    {0: (1, 1, 2)}
    >>> state.apply((1, 0, 1, 2))
    >>> [*state.parts()], state.pairs
    ([(0, 2), (2, 3)], {0: (2, 2, 3)})
    """

    def __init__(self, symbols: bytes | str, ranks: Mapping[Any, float], *, pairs: bool = True) -> None:
        """`pairs` by where the left part begins: the rank, where the parts meet, and where the right one ends."""
        self.symbols = symbols
        self.ranks = ranks
        size = len(symbols)
        self.end_of = list(range(1, size + 1))
        self.start_of = list(range(-1, size))
        self.count = size
        self.pairs: dict[int, tuple[float, int, int]] = {}
        self._paired = pairs
        if pairs:
            for start in range(size - 1):
                self._weigh(start)

    def _weigh(self, start: int) -> None:
        middle = self.end_of[start]
        end = self.end_of[middle] if middle < len(self.symbols) else 0
        rank = self.ranks.get(self.symbols[start:end]) if end else None
        if rank is None:
            self.pairs.pop(start, None)
        else:
            self.pairs[start] = (rank, middle, end)

    def apply(self, made: Merge) -> None:
        """Join two parts."""
        _, start, middle, end = made
        self.end_of[start], self.end_of[middle], self.start_of[end] = end, 0, start
        self.count -= 1
        if self._paired:
            self.pairs.pop(middle, None)
            self._weigh(start)
            if start:
                self._weigh(self.start_of[start])

    def run(self, merges: Sequence[Merge], stop: int) -> "Replay":
        """Join all that the first merges join."""
        for made in islice(merges, stop):
            self.apply(made)
        return self

    def parts(self, start: int = 0, most: int | None = None) -> list[tuple[int, int]]:
        """Where parts begin and end, from the one that begins at a place."""
        found: list[tuple[int, int]] = []
        while start < len(self.symbols) and (most is None or len(found) < most):
            found.append((start, self.end_of[start]))
            start = self.end_of[start]
        return found

    def back(self, start: int, steps: int) -> int:
        """Where the part begins that is so many before the one that begins at a place."""
        for _ in range(steps):
            if not start:
                break
            start = self.start_of[start]
        return start

    def before(self, start: int) -> int:
        """How many parts there are before a place."""
        return sum(1 for end in self.end_of[:start] if end)

    def choices(self) -> list[tuple[float, int, int, int]]:
        """The pairs that could join: rank, start, middle, end; of those that are alike the leftmost, the best first.

        >>> Replay(b"aaab", {b"aa": 1, b"ab": 0}).choices()
        [(0, 2, 3, 4), (1, 0, 1, 2)]
        """
        leftmost: dict[tuple[float, int], int] = {}
        for start, (rank, middle, _) in self.pairs.items():
            kind = (rank, middle - start)
            if leftmost.get(kind, start) >= start:
                leftmost[kind] = start
        return sorted((rank, start, *self.pairs[start][1:]) for (rank, _), start in leftmost.items())
