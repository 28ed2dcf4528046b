"""Learn BPE, fast: equal to `scratch.learn_bpe`, merge for merge (Gage 1994; Sennrich et al. 2016).

The teaching file counts all pairs again after each merge. Here `corpus` updates only the counts of the pairs beside a
merge, and a heap returns the best pair. Its entries are ordered by count and then by the tie rule of the teaching file,
so its top is the pair that the teaching file selects. A learner is a generator that yields each merge before applying
it, so that a page can show the corpus before the merge.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from heapq import heapify, heappop, heappush, heapreplace, nsmallest
from math import inf
from typing import NamedTuple

from ...learn_bpe import TieRule
from .merge_order import MergeFilter, Place, find_all_places, find_place, update_place
from .symbol_corpus import SymbolCorpus

Entry = tuple[int, Place, str]


class MergeChoice(NamedTuple):
    """A pair that is about to be merged, its count, and the spelling of the new symbol."""

    pair: str
    times: int
    spelling: str


class BPELearner:
    """The pairs of a corpus in the order in which BPE merges them.

    A heap contains every pair that occurs at least `floor` times, with its count and its place in the order of ties as
    last looked up. Neither can improve: counts only fall, and a pair's first occurrence only moves towards the end. So
    it suffices to check the top of the heap and to reinsert it if it got worse. When the heap is empty, the floor is
    lowered: most pairs never occur often enough to enter the heap.

    >>> from tokenarium.scratch.fast.bpe.symbol_corpus import characters
    >>> learner = BPELearner(characters({"low": 5, "lower": 2, "new": 6, "newer": 3}))
    >>> [(step.spelling, step.times) for step in learner.steps(4)]
    [('ne', 9), ('new', 9), ('lo', 7), ('low', 7)]
    >>> learner.corpus.spell_word(3)
    ['new', 'e', 'r']
    """

    def __init__(
        self,
        corpus: SymbolCorpus,
        *,
        ties: TieRule = "first-seen",
        min_frequency: int = 2,
        allowed: MergeFilter | None = None,
    ) -> None:
        """Pairs that occur less often than `min_frequency`, and pairs that are not `allowed`, are not merged."""
        self.corpus = corpus
        self.ties = ties
        self.min_frequency = min_frequency
        self.changes: dict[str, int] = {}
        self._allowed = allowed
        # To find where pairs are first seen takes one pass over the corpus, so with that rule it is done only once.
        self._floor = min_frequency if ties == "first-seen" else max(corpus.pairs.values(), default=0) + 1
        self._heap = self._entries(self._floor)
        self._tally: Counter[int] | None = None

    def steps(self, most: int | None = None) -> Iterator[MergeChoice]:
        """Yield each merge before applying it, while a pair is frequent enough; resume to apply it.

        At most `most` of them add a symbol; the others make a special token of the corpus. After each merge, `changes`
        contains the changes of the counts of all other pairs.
        """
        corpus = self.corpus
        end = inf if most is None else len(corpus.spellings) + most
        while len(corpus.spellings) < end and self._settle():
            less, _, pair = self._heap[0]
            spelling = corpus.spell_pair(pair)
            yield MergeChoice(pair, -less, spelling)
            heappop(self._heap)
            self.changes = corpus.merge(pair, spelling)
            floor = self._floor
            for other, change in self.changes.items():
                if change >= floor:
                    heappush(self._heap, (-change, find_place(corpus, other, ties=self.ties), other))
            if self._tally is not None:
                self._tally.update(self._count_changes(-less))

    def best(self, most: int) -> list[tuple[str, int]]:
        """Return the best pairs in order, with their counts: first the pairs that can be merged, then too rare ones.

        >>> from tokenarium.scratch.fast.bpe.symbol_corpus import characters
        >>> BPELearner(characters({"aab": 2, "aac": 1})).best(5)
        [('\\x00\\x00', 3), ('\\x00\\x01', 2), ('\\x00\\x02', 1)]
        """
        entries: list[Entry] = []
        while len(entries) < most and self._settle():
            entries.append(heappop(self._heap))
        for entry in entries:
            heappush(self._heap, entry)
        if len(entries) < most:
            entries += nsmallest(most - len(entries), self._entries(0, self.min_frequency))
        return [(pair, -less) for less, _, pair in entries]

    def count_ties(self) -> int:
        """Return how many other pairs have the count of the best. The first call starts a tally, which merges update.

        >>> from tokenarium.scratch.fast.bpe.symbol_corpus import characters
        >>> BPELearner(characters({"abcab": 1, "bc": 1})).count_ties()
        1
        """
        if self._tally is None:
            self._tally = Counter(self.corpus.pairs.values())
        return self._tally[-self._heap[0][0]] - 1 if self._settle() else 0

    def _count_changes(self, merged: int) -> dict[int, int]:
        """Return, by count, the change of the number of pairs with this count, after the last merge."""
        tally: dict[int, int] = defaultdict(int, {merged: -1})
        for pair, change in self.changes.items():
            count = self.corpus.pairs.get(pair, 0)
            tally[count] += 1
            tally[count - change] -= 1
        return tally

    def _settle(self) -> bool:
        """Move the best pair to the top of the heap. Return False if no pair can be merged."""
        heap = self._heap
        pairs = self.corpus.pairs
        while heap or self._lower():
            less, place, pair = heap[0]
            count = pairs.get(pair, 0)
            if count < self._floor:
                heappop(heap)
                continue
            current = update_place(self.corpus, pair, place, ties=self.ties)
            if count != -less or current != place:  # stale: reinsert it with its current values
                heapreplace(heap, (-count, current, pair))
            elif self._allowed is None or self._allowed(pair):
                return True
            else:
                heappop(heap)  # a pair that is not allowed never becomes so again
        return False

    def _lower(self) -> bool:
        """Halve the floor until there are pairs above it. Return False if no pairs remain."""
        while not self._heap and self._floor > self.min_frequency:
            above = self._floor
            self._floor = max(self.min_frequency, self._floor // 2)
            self._heap += self._entries(self._floor, above)
        return bool(self._heap)

    def _entries(self, least: int, above: float = inf) -> list[Entry]:
        """Return a heap of the pairs whose count is at least `least` and below `above`."""
        pairs = [pair for pair, count in self.corpus.pairs.items() if least <= count < above]
        places = find_all_places(self.corpus, pairs, ties=self.ties)
        entries = [(-self.corpus.pairs[pair], place, pair) for pair, place in zip(pairs, places, strict=True)]
        heapify(entries)
        return entries
