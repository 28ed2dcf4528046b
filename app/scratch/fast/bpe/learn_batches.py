"""Learn BPE, many merges at a time: equal to `learn_bpe` with the tie rule "smallest", as in `tokenizers`.

The best pairs of a corpus seldom touch each other: for a megabyte of many languages, 480 rounds make 31,743 merges. A
round takes the best pairs in order, as far as each would still be the best after the merges before it, and makes their
merges with numpy. So it ends before a pair that shares a symbol with a better one somewhere in the corpus, which
changes its count, and before a pair that is worse than a new pair of the round.
"""

from collections.abc import Iterator
from operator import add, methodcaller
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ranges import Ints
from .batched_corpus import EDGE, SHIFT, BatchedCorpus, MergeRound, SortedPairs
from .learn import MergeChoice
from .merge_order import MergeFilter

SECOND = (1 << SHIFT) - 1
"""The bits of a pair that are its second symbol."""
FEWEST = 16
MOST = 4096
"""Bounds of the number of pairs that a round looks at; within them, twice what the last round merged."""


class MergedPairs(NamedTuple):
    """The pairs that a round merged, the best first: number, count, new spelling, and the symbols that it saved."""

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]
    spellings: list[str]
    shorter: Ints


class BatchedBPELearner:
    """The pairs of a corpus in the order in which BPE merges them, of equally frequent ones the smallest.

    >>> learner = BatchedBPELearner(BatchedCorpus(["\\0\\1\\0\\1", "\\1\\0"], [3, 2], ["a", "b"]))
    >>> [(step.spelling, step.times) for step in learner.steps()]
    [('ab', 6), ('abab', 3), ('ba', 2)]
    """

    def __init__(self, corpus: BatchedCorpus, *, allowed: MergeFilter | None = None) -> None:
        self.corpus = corpus
        self._allowed = allowed

    def steps(self, most: int | None = None) -> Iterator[MergeChoice]:
        """Yield each merge, at most `most`; after the next is asked for, the size of the corpus is that after it."""
        for merged in self.rounds(most):
            numbers = np.stack((merged.keys, merged.counts, merged.shorter), 1).tolist()
            for spelling, (key, times, shorter) in zip(merged.spellings, numbers, strict=True):
                yield MergeChoice(chr(key >> SHIFT) + chr(key & SECOND), times, spelling)
                self.corpus.size -= shorter

    def rounds(self, most: int | None = None) -> Iterator[MergedPairs]:
        """Yield the merges in rounds, at most `most` merges; the size of the corpus is left as it was."""
        corpus = self.corpus
        left = 2**62 if most is None else most
        look = FEWEST
        while left and len(slots := corpus.best(min(look, left))):
            looked = corpus.occurrences(slots)
            corpus.ranks[looked.slots] = np.arange(len(looked.slots))
            merged = self._valid(looked)
            corpus.ranks[looked.slots] = -1
            new = len(corpus.spellings)
            spellings = self._name_pairs(merged)
            if not spellings:
                continue
            merged = merged.first(len(spellings))
            shorter = corpus.merge(merged, new)
            yield MergedPairs(merged.keys, merged.counts, spellings, shorter)
            left -= len(spellings)
            look = min(max(2 * len(spellings), FEWEST), MOST)

    def _name_pairs(self, looked: MergeRound) -> list[str]:
        """Add the new symbols of a round, up to one that may not be merged, and return their spellings."""
        corpus = self.corpus
        firsts = looked.keys >> SHIFT
        seconds = looked.keys & SECOND
        spell = corpus.spellings.__getitem__
        rest = map(spell, seconds.tolist())
        if corpus.prefix:
            rest = map(methodcaller("removeprefix", corpus.prefix), rest)
        spellings = [*map(add, map(spell, firsts.tolist()), rest)]
        if self._allowed is not None:
            sizes = corpus.lengths[firsts] + corpus.lengths[seconds]
            allowed = self._allowed.count_allowed(spellings, sizes.tolist())
            if allowed < len(spellings):
                corpus.counts[looked.slots[allowed]] = 0  # it never becomes allowed again
                del spellings[allowed:]
        corpus.spellings += spellings
        corpus.made_of.extend(np.stack((firsts, seconds), 1)[: len(spellings)].ravel().tolist())
        return spellings

    def _valid(self, looked: MergeRound) -> MergeRound:
        """Return the first pairs of a round that are the best in turn."""
        corpus = self.corpus
        second = looked.starts + corpus.lengths[looked.keys >> SHIFT][looked.ranks]
        following = corpus.ranks[corpus.slots[second]]
        shared = following >= 0
        apart = int(np.maximum(looked.ranks[shared], following[shared]).min(initial=len(looked.slots)))
        if not apart:
            return _leftmost(looked.first(1), corpus)
        looked = looked.first(apart)
        return looked.first(self._best_in_turn(looked))

    def _best_in_turn(self, looked: MergeRound) -> int:
        """Return how many pairs of a round are merged before any of the new pairs."""
        corpus = self.corpus
        new = len(self.corpus.spellings)
        starts = looked.starts
        ranks = looked.ranks
        left = corpus.before(starts)
        lengths = corpus.lengths[looked.keys >> SHIFT] + corpus.lengths[looked.keys & SECOND]
        right = starts + lengths[ranks]
        # What is beside a new symbol when it is made: another new symbol only if that was made before.
        left_rank = corpus.ranks[corpus.slots[corpus.before(left)]]
        right_rank = corpus.ranks[corpus.slots[right]]
        first = np.where((left_rank >= 0) & (left_rank <= ranks), new + left_rank, corpus.symbols[left])
        second = np.where((right_rank >= 0) & (right_rank < ranks), new + right_rank, corpus.symbols[right])
        made = new + ranks
        weights = corpus.weights[starts]
        on_left = first != EDGE
        on_right = (second != EDGE) & (right_rank != ranks)
        keys = np.concatenate(((first.astype(np.int64) << SHIFT | made)[on_left], (made << SHIFT | second)[on_right]))
        pairs = SortedPairs.of(keys, np.concatenate((weights[on_left], weights[on_right])))
        rivals = np.flatnonzero(pairs.counts >= looked.counts[-1])
        if not len(rivals):
            return len(looked.keys)
        keys = pairs.keys[rivals]
        since = np.maximum(keys >> SHIFT, keys & SECOND) - new + 1
        order = np.lexsort((np.append(looked.keys, keys), -np.append(looked.counts, pairs.counts[rivals])))
        place = np.empty(len(order), np.int64)
        place[order] = np.cumsum(order < len(looked.keys))  # how many pairs of the round come before it
        return int(np.maximum(since, place[len(looked.keys) :]).min(initial=len(looked.keys)))


def _leftmost(looked: MergeRound, corpus: BatchedCorpus) -> MergeRound:
    """Return a round of one pair of equal symbols without its second, fourth, ... occurrence in a row."""
    starts = np.sort(looked.starts)
    begins = np.append(True, starts[:-1] + corpus.lengths[looked.keys[0] >> SHIFT] != starts[1:])
    numbers = np.arange(len(starts))
    since = numbers - np.maximum.accumulate(np.where(begins, numbers, 0))
    return looked._replace(starts=starts[since % 2 == 0], ranks=looked.ranks[since % 2 == 0])
