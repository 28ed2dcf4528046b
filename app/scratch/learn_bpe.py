"""Learning BPE: merge the pair that stands together most often, and count again (Gage 1994; Sennrich et al. 2016).

`bpe` applies what is learned here. Learning is a generator of steps: each choice is shown before it is made, so that
whoever looks on sees the corpus as it stands; who only wants the merges runs it to its end.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from heapq import heapify, heappop, heappush, heapreplace, nsmallest
from math import inf
from typing import NamedTuple

from app.scratch.allowed import Allowed
from app.scratch.corpus import Corpus
from app.scratch.ties import Place, TieRule, all_places, place_now, place_of

Entry = tuple[int, Place, str]


class Choice(NamedTuple):
    """A pair that is about to be merged, how often it stands together, and the spelling of what it becomes."""

    pair: str
    times: int
    spelling: str


class BPELearner:
    """The pairs of a corpus in the order in which BPE would take them.

    A heap holds every pair that comes as often as its `floor`, with the count and the place in the order of ties that
    it had when it was last looked at. Neither ever gets better: a count falls, a pair is first seen further on. So what
    comes out of the heap is looked at again, and goes back in where it is worse than it was. When the heap is empty,
    the floor is lowered: most pairs never come often enough to have been in it.

    >>> from app.scratch.corpus import characters
    >>> learner = BPELearner(characters({"low": 5, "lower": 2, "new": 6, "newer": 3}))
    >>> [(step.spelling, step.times) for step in learner.steps(4)]
    [('ne', 9), ('new', 9), ('lo', 7), ('low', 7)]
    >>> learner.corpus.spelled(3)
    ['new', 'e', 'r']
    """

    def __init__(
        self, corpus: Corpus, *, ties: TieRule = "first-seen", at_least: int = 2, allowed: Allowed | None = None
    ) -> None:
        """Pairs that stand together less often than `at_least` are not merged, nor those that are not `allowed`."""
        self.corpus = corpus
        self.ties = ties
        self.at_least = at_least
        self.changes: dict[str, int] = {}
        self._allowed = allowed
        self._floor = at_least if ties == "first-seen" else max(corpus.pairs.values(), default=0) + 1
        self._heap = self._entries(self._floor)
        self._tally: Counter[int] | None = None

    def steps(self, most: int | None = None) -> Iterator[Choice]:
        """Yield each choice, and make it once asked to go on, until no pair comes often enough or `most` are made.

        After each, `changes` has by how much the count of every other pair changed.
        """
        left = -1 if most is None else most
        corpus = self.corpus
        while left and self._settle():
            less, _, pair = self._heap[0]
            spelling = corpus.joined(pair)
            yield Choice(pair, -less, spelling)
            heappop(self._heap)
            self.changes = corpus.merge(pair, spelling)
            for other, change in self.changes.items():
                if change >= self._floor:
                    heappush(self._heap, (-change, place_of(corpus, other, ties=self.ties), other))
            if self._tally is not None:
                self._tally.update(self._tallied(-less))
            left -= 1

    def best(self, most: int) -> list[tuple[str, int]]:
        """The first pairs in order, with their counts; behind those that can be merged, those that come too seldom.

        >>> from app.scratch.corpus import characters
        >>> BPELearner(characters({"aab": 2, "aac": 1})).best(5)
        [('\\x00\\x00', 3), ('\\x00\\x01', 2), ('\\x00\\x02', 1)]
        """
        found: list[Entry] = []
        while len(found) < most and self._settle():
            found.append(heappop(self._heap))
        for entry in found:
            heappush(self._heap, entry)
        if len(found) < most:
            found += nsmallest(most - len(found), self._entries(0, self.at_least))
        return [(pair, -less) for less, _, pair in found]

    def tied(self) -> int:
        """How many other pairs come as often as the best. Asked once, it is kept up to date.

        >>> from app.scratch.corpus import characters
        >>> BPELearner(characters({"abcab": 1, "bc": 1})).tied()
        1
        """
        if self._tally is None:
            self._tally = Counter(self.corpus.pairs.values())
        return self._tally[-self._heap[0][0]] - 1 if self._settle() else 0

    def _tallied(self, taken: int) -> dict[int, int]:
        """What the last step changed in how many pairs come how often."""
        tally: dict[int, int] = defaultdict(int, {taken: -1})
        for pair, change in self.changes.items():
            now = self.corpus.pairs.get(pair, 0)
            tally[now] += 1
            tally[now - change] -= 1
        return tally

    def _settle(self) -> bool:
        """Bring the best pair to the top of the heap; False where none is left."""
        heap, pairs = self._heap, self.corpus.pairs
        while heap or self._lower():
            less, place, pair = heap[0]
            count = pairs.get(pair, 0)
            if count < self._floor:
                heappop(heap)
                continue
            now = place_now(self.corpus, pair, place, ties=self.ties)
            if count != -less or now != place:
                heapreplace(heap, (-count, now, pair))
            elif self._allowed is None or self._allowed(pair):
                return True
            else:
                heappop(heap)
        return False

    def _lower(self) -> bool:
        """Halve the floor until there are pairs above it; False where it cannot be lower."""
        while not self._heap and self._floor > self.at_least:
            above, self._floor = self._floor, max(self.at_least, self._floor // 2)
            self._heap += self._entries(self._floor, above)
        return bool(self._heap)

    def _entries(self, least: int, above: float = inf) -> list[Entry]:
        """The pairs that come at least so often, and less often than another number, as a heap."""
        found = [pair for pair, count in self.corpus.pairs.items() if least <= count < above]
        places = all_places(self.corpus, found, ties=self.ties)
        entries = [(-self.corpus.pairs[pair], place, pair) for pair, place in zip(found, places, strict=True)]
        heapify(entries)
        return entries
