"""Learn BPE, many merges at a time: equal to `learn_bpe` with the tie rule "smallest", as in `tokenizers`.

The best pairs of a corpus seldom touch each other: for a megabyte of many languages, 430 rounds make 31,743 merges. A
round takes the best pairs in order, as far as each would still be the best after the merges before it, and makes their
merges with numpy. So it ends before a pair that shares a symbol with a better one somewhere in the corpus, which
changes its count, and before a pair that is worse than a new pair of the round.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .corpus import Symbols
from .hash_index import Ints
from .learn_bpe import Choice
from .merge_order import MergeFilter

EDGE = 0x10FFFF
"""The symbol between two words; it is in no pair."""
EMPTY = -1
"""Fills the place of a symbol that was merged into the one before it."""
SHIFT = 21
"""A pair is one number: the first symbol, shifted by so many bits, and the second."""
FEWEST, MOST = 64, 4096
"""Bounds of the number of pairs that a round looks at; within them, three times what the last round merged."""


class Pairs(NamedTuple):
    """Different pairs as numbers, in ascending order, with their counts; `numbers` leads from each given one to its own.

    >>> Pairs.of(np.array([7, 5, 7]), np.array([1, 1, 2]))
    Pairs(keys=array([5, 7]), counts=array([1, 3]), numbers=array([1, 0, 1]))
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]
    numbers: Ints

    @classmethod
    def of(cls, keys: NDArray[np.int64], weights: Ints) -> "Pairs":
        """Count pairs; each counts as often as its weight."""
        order = np.argsort(keys)
        ordered = keys[order]
        begins = np.append(True, ordered[1:] > ordered[:-1]) if len(keys) else np.zeros(0, bool)
        firsts, numbers = np.flatnonzero(begins), np.empty(len(keys), np.int64)
        numbers[order] = np.cumsum(begins) - 1
        counts = np.add.reduceat(weights[order].astype(np.int64), firsts) if len(keys) else np.zeros(0, np.int64)
        return cls(ordered[firsts], counts, numbers)


class Round(NamedTuple):
    """Pairs that are merged together, the best first, and where.

    - `slots`, `keys`, `counts`: of each pair, its slot, its number and its count.
    - `starts`, `ranks`: of each occurrence, where it begins and which of the pairs it is.
    """

    slots: Ints
    keys: NDArray[np.int64]
    counts: NDArray[np.int64]
    starts: Ints
    ranks: Ints

    def first(self, most: int) -> "Round":
        """Return the round with its best pairs only."""
        these = self.ranks < most
        return Round(self.slots[:most], self.keys[:most], self.counts[:most], self.starts[these], self.ranks[these])


class BatchedCorpus(Symbols):
    """Words as one row of symbols, in which each place knows its pair with the next symbol.

    - `symbols`, `weights`: of each place, its symbol and the count of its word; an `EDGE` is before and behind a word.
    - `before`, `after`: the places of the symbols beside it, since a merge leaves the place of its second symbol empty.
    - `slots`: the slot of its pair, which has the number `keys[slot]` and the count `counts[slot]`. Slot 0 is for
      places without a pair, and for pairs that occur less often than `min_frequency`.

    >>> corpus = BatchedCorpus(["\\0\\1\\0\\1", "\\1\\0"], [3, 2], ["a", "b"])
    >>> corpus.keys.tolist() == [0, 1, 1 << SHIFT], corpus.counts.tolist(), corpus.size
    (True, [0, 6, 5], 16)
    """

    def __init__(
        self,
        words: Iterable[str],
        counts: Iterable[int],
        spellings: Iterable[str],
        *,
        prefix: str = "",
        min_frequency: int = 1,
    ) -> None:
        """The words are strings of symbols, as in `Corpus`."""
        super().__init__(spellings, prefix=prefix)
        self.min_frequency = min_frequency
        edge = chr(EDGE)
        words = [*words]
        row = edge.join(["", *words, ""]) if words else edge * 2
        self.symbols = np.frombuffer(row.encode("utf-32-le", "surrogatepass"), "<i4").copy()
        lengths, times = np.fromiter(map(len, words), np.int64, len(words)), np.fromiter(counts, np.int64, len(words))
        self.size = int((lengths * times).sum())
        self.weights = np.append(0, np.repeat(times, lengths + 1))
        self.slots = np.zeros(len(self.symbols), np.int32)
        self._link()
        self.keys, self.counts = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self._count(np.arange(len(self.symbols) - 1))

    def _count(self, places: Ints) -> None:
        """Give slots to the pairs at these places, which are new."""
        first, second = self.symbols[places], self.symbols[self.after[places]]
        inside = (first != EDGE) & (second != EDGE)
        places = places[inside]
        pairs = Pairs.of(first[inside].astype(np.int64) << SHIFT | second[inside], self.weights[places])
        kept = pairs.counts >= self.min_frequency
        slots = np.where(kept, np.cumsum(kept) + (len(self.keys) - 1), 0)
        self.slots[places] = slots[pairs.numbers]
        self.keys = np.append(self.keys, pairs.keys[kept])
        self.counts = np.append(self.counts, pairs.counts[kept])

    def best(self, most: int) -> Ints:
        """Return the slots of the best pairs in order."""
        slots = np.flatnonzero(self.counts >= self.min_frequency)
        slots = slots[slots > 0]
        if len(slots) > most:
            counts = self.counts[slots]
            least = -np.partition(-counts, most - 1)[most - 1]
            above, equal = slots[counts > least], slots[counts == least]
            smallest = np.argpartition(self.keys[equal], most - len(above) - 1)[: most - len(above)]
            slots = np.concatenate((above, equal[smallest]))
        return slots[np.lexsort((self.keys[slots], -self.counts[slots]))]

    def occurrences(self, slots: Ints) -> Round:
        """Return where pairs occur."""
        chosen, rank_of = np.zeros(len(self.keys), bool), np.empty(len(self.keys), np.int32)
        chosen[slots], rank_of[slots] = True, np.arange(len(slots))
        starts = np.flatnonzero(chosen.take(self.slots))  # flags are read faster than ranks
        return Round(slots, self.keys[slots], self.counts[slots], starts, rank_of[self.slots[starts]])

    def merge(self, merged: Round, new: int) -> Ints:
        """Merge the pairs of a round to symbols from `new` on. Return by how much each shortens the corpus."""
        starts, second = merged.starts, self.after[merged.starts]
        sizes = np.bincount(merged.ranks, self.weights[starts], minlength=len(merged.slots)).astype(np.int64)
        beside = _united(self.before[starts], second)
        self.counts -= np.bincount(self.slots[beside], self.weights[beside], minlength=len(self.keys)).astype(np.int64)
        self.counts[merged.slots] = self.counts[0] = 0
        behind = self.after[second]
        self.symbols[starts], self.symbols[second] = new + merged.ranks, EMPTY
        self.after[starts], self.before[behind] = behind, starts
        self.slots[second] = 0
        self._count(_united(self.before[starts], starts))
        self.empty += len(starts)
        if 3 * self.empty > len(self.symbols):
            self._close_up()
        return sizes

    def _close_up(self) -> None:
        """Remove the empty places."""
        kept = self.symbols != EMPTY
        self.symbols, self.slots, self.weights = self.symbols[kept], self.slots[kept], self.weights[kept]
        self._link()

    def forget_words(self) -> None:
        """Free the memory of the words and pairs when all merges are made; the spellings and `made_of` remain."""
        self.symbols = self.weights = self.slots = self.before = self.after = np.zeros(0, np.int32)
        self.keys = self.counts = np.zeros(0, np.int64)

    def _link(self) -> None:
        size, self.empty = len(self.symbols), 0
        self.before, self.after = np.arange(-1, size - 1, dtype=np.int32), np.arange(1, size + 1, dtype=np.int32)


def _united(first: Ints, second: Ints) -> Ints:
    """Return the places in one or both of two ascending lists.

    >>> _united(np.array([1, 3]), np.array([2, 3])).tolist()
    [1, 2, 3]
    """
    places = np.sort(np.concatenate((first, second)))
    different: Ints = places[np.append(True, places[1:] > places[:-1])]
    return different


class BatchedBPELearner:
    """The pairs of a corpus in the order in which BPE merges them, of equally frequent ones the smallest.

    >>> learner = BatchedBPELearner(BatchedCorpus(["\\0\\1\\0\\1", "\\1\\0"], [3, 2], ["a", "b"]))
    >>> [(step.spelling, step.times) for step in learner.steps()]
    [('ab', 6), ('abab', 3), ('ba', 2)]
    """

    def __init__(self, corpus: BatchedCorpus, *, allowed: MergeFilter | None = None) -> None:
        self.corpus = corpus
        self._allowed = allowed

    def steps(self, most: int | None = None) -> Iterator[Choice]:
        """Yield each merge, at most `most`; after the next is asked for, the size of the corpus is that after it."""
        corpus, left, look = self.corpus, 2**62 if most is None else most, FEWEST
        while left and len(slots := corpus.best(min(look, left))):
            looked = self._valid(corpus.occurrences(slots))
            new = len(corpus.spellings)
            pairs = self._named(looked)
            if not pairs:
                continue
            sizes = corpus.merge(looked.first(len(pairs)), new)
            for (pair, spelling), times, size in zip(pairs, looked.counts.tolist(), sizes.tolist(), strict=False):
                yield Choice(pair, times, spelling)
                corpus.size -= size
            left -= len(pairs)
            look = min(max(3 * len(pairs), FEWEST), MOST)

    def _named(self, looked: Round) -> list[tuple[str, str]]:
        """Return the pairs of a round with the spellings of their new symbols, up to one that may not be merged."""
        corpus, named = self.corpus, list[tuple[str, str]]()
        for slot, key in zip(looked.slots.tolist(), looked.keys.tolist(), strict=True):
            pair = chr(key >> SHIFT) + chr(key & ((1 << SHIFT) - 1))
            if self._allowed is not None and not self._allowed(pair):
                corpus.counts[slot] = 0  # it never becomes allowed again
                break
            corpus.made_of[chr(len(corpus.spellings))] = pair
            corpus.spellings.append(spelling := corpus.joined(pair))
            named.append((pair, spelling))
        return named

    def _valid(self, looked: Round) -> Round:
        """Return the first pairs of a round that are the best in turn."""
        corpus = self.corpus
        rank_at = np.full(len(corpus.symbols) + 1, -1, np.int32)
        rank_at[looked.starts] = looked.ranks
        following = rank_at[corpus.after[looked.starts]]
        shared = following >= 0
        apart = int(np.maximum(looked.ranks[shared], following[shared]).min(initial=len(looked.slots)))
        if not apart:
            return _leftmost(looked.first(1), corpus)
        looked = looked.first(apart)
        return looked.first(self._best_in_turn(looked, rank_at))

    def _best_in_turn(self, looked: Round, rank_at: NDArray[np.int32]) -> int:
        """Return how many pairs of a round are merged before any of the new pairs."""
        corpus, new = self.corpus, len(self.corpus.spellings)
        starts, ranks = looked.starts, looked.ranks
        left = corpus.before[starts]
        right = corpus.after[corpus.after[starts]]
        # What is beside a new symbol when it is made: another new symbol only if that was made before.
        left_rank, right_rank = rank_at[corpus.before[left]], rank_at[right]
        first = np.where((left_rank >= 0) & (left_rank <= ranks), new + left_rank, corpus.symbols[left])
        second = np.where((right_rank >= 0) & (right_rank < ranks), new + right_rank, corpus.symbols[right])
        made, weights = (new + ranks).astype(np.int64), corpus.weights[starts]
        on_left, on_right = first != EDGE, (second != EDGE) & (right_rank != ranks)
        keys = np.concatenate(((first.astype(np.int64) << SHIFT | made)[on_left], (made << SHIFT | second)[on_right]))
        pairs = Pairs.of(keys, np.concatenate((weights[on_left], weights[on_right])))
        rivals = np.flatnonzero(pairs.counts >= looked.counts[-1])
        keys = pairs.keys[rivals]
        since = np.maximum(keys >> SHIFT, keys & ((1 << SHIFT) - 1)) - new + 1
        order = np.lexsort((np.append(looked.keys, keys), -np.append(looked.counts, pairs.counts[rivals])))
        place = np.empty(len(order), np.int64)
        place[order] = np.cumsum(order < len(looked.keys))  # how many pairs of the round come before it
        return int(np.maximum(since, place[len(looked.keys) :]).min(initial=len(looked.keys)))


def _leftmost(looked: Round, corpus: BatchedCorpus) -> Round:
    """Return a round of one pair of equal symbols without its second, fourth, ... occurrence in a row."""
    starts = looked.starts
    begins = np.append(True, corpus.after[starts[:-1]] != starts[1:])
    numbers = np.arange(len(starts))
    since = numbers - np.maximum.accumulate(np.where(begins, numbers, 0))
    return looked._replace(starts=starts[since % 2 == 0], ranks=looked.ranks[since % 2 == 0])
