"""Learn BPE, many merges at a time: equal to `learn_bpe` with the tie rule "smallest", as in `tokenizers`.

The best pairs of a corpus seldom touch each other: for a megabyte of many languages, 430 rounds make 31,743 merges. A
round takes the best pairs in order, as far as each would still be the best after the merges before it, and makes their
merges with numpy. So it ends before a pair that shares a symbol with a better one somewhere in the corpus, which
changes its count, and before a pair that is worse than a new pair of the round.
"""

from collections.abc import Iterable, Iterator
from mmap import mmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..hash_index import Ints
from .learn import MergeChoice
from .merge_order import MergeFilter
from .symbol_corpus import Symbols

EDGE = 0x10FFFF
"""The symbol between two words; it is in no pair."""
EMPTY = -1
"""Fills the place of a symbol that was merged into the one before it."""
SHIFT = 21
"""A pair is one number: the first symbol, shifted by so many bits, and the second."""
PIECE = 2**15
"""How many places are counted at a time."""
FEWEST = 64
MOST = 4096
"""Bounds of the number of pairs that a round looks at; within them, three times what the last round merged."""


class SortedPairs(NamedTuple):
    """Different pairs as numbers, in ascending order, with their counts.

    >>> SortedPairs.of(np.array([7, 5, 7]), np.array([1, 1, 2]))
    SortedPairs(keys=array([5, 7]), counts=array([1, 3]))
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, keys: NDArray[np.int64], weights: Ints) -> "SortedPairs":
        """Count pairs; each counts as often as its weight."""
        if not len(keys):
            return cls(keys, np.zeros(0, np.int64))
        order = np.argsort(keys)
        ordered = keys[order]
        firsts = np.flatnonzero(np.append(True, ordered[1:] > ordered[:-1]))
        return cls(ordered[firsts], np.add.reduceat(weights[order], firsts, dtype=np.int64))


class MergeRound(NamedTuple):
    """Pairs that are merged together, the best first, and where.

    - `slots`, `keys`, `counts`: of each pair, its slot, its number and its count.
    - `starts`, `ranks`: of each occurrence, where it begins and which of the pairs it is.
    """

    slots: Ints
    keys: NDArray[np.int64]
    counts: NDArray[np.int64]
    starts: Ints
    ranks: Ints

    def first(self, most: int) -> "MergeRound":
        """Return the round with its best pairs only."""
        these = self.ranks < most
        return MergeRound(
            self.slots[:most], self.keys[:most], self.counts[:most], self.starts[these], self.ranks[these]
        )


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
        row = chr(EDGE).join(["", *words, ""]).encode("utf-32-le", "surrogatepass")
        size = len(row) // 4
        self.symbols, self.slots, self.before, self.after = (_row(size, np.int32) for _ in range(4))
        self.symbols[:] = np.frombuffer(row, "<i4")
        del row, words
        edges = np.flatnonzero(self.symbols == EDGE)
        times = np.append(0, np.fromiter(counts, np.int64))
        self.size = int((np.diff(edges, prepend=0) - 1) @ times)
        self.weights = _row(size, np.int32 if times.max() < 2**31 else np.int64)
        self.weights[:] = np.repeat(times.astype(self.weights.dtype), np.diff(edges, prepend=-1))
        self.keys = np.zeros(1, np.int64)
        self.counts = np.zeros(1, np.int64)
        self._link()
        self._count(self.before[1:])  # all places but the last

    def _count(self, places: Ints) -> None:
        """Give slots to the pairs at these places, which are new; of a long row piece by piece, to save memory."""
        pieces = [places[start : start + PIECE] for start in range(0, len(places), PIECE)]
        pairs = SortedPairs(np.zeros(0, np.int64), np.zeros(0, np.int64))
        for piece in pieces:
            keys = np.concatenate((pairs.keys, self._keys_at(piece)))
            pairs = SortedPairs.of(keys, np.concatenate((pairs.counts, self.weights[piece])))
        kept = (pairs.counts >= self.min_frequency) & (pairs.keys >= 0)
        slots = np.where(kept, np.cumsum(kept) + (len(self.keys) - 1), 0)
        for piece in pieces:
            self.slots[piece] = slots[np.searchsorted(pairs.keys, self._keys_at(piece))]
        self.keys = np.append(self.keys, pairs.keys[kept])
        self.counts = np.append(self.counts, pairs.counts[kept])

    def _keys_at(self, places: Ints) -> NDArray[np.int64]:
        """Return the pairs at these places as numbers, -1 for one with an edge."""
        first = self.symbols[places]
        second = self.symbols[self.after[places]]
        keys: NDArray[np.int64] = first.astype(np.int64) << SHIFT | second
        keys[(first == EDGE) | (second == EDGE)] = -1
        return keys

    def best(self, most: int) -> Ints:
        """Return the slots of the best pairs in order."""
        slots = np.flatnonzero(self.counts >= self.min_frequency)
        slots = slots[slots > 0]
        if len(slots) > most:
            counts = self.counts[slots]
            least = -np.partition(-counts, most - 1)[most - 1]
            above = slots[counts > least]
            equal = slots[counts == least]
            smallest = np.argpartition(self.keys[equal], most - len(above) - 1)[: most - len(above)]
            slots = np.concatenate((above, equal[smallest]))
        return slots[np.lexsort((self.keys[slots], -self.counts[slots]))]

    def occurrences(self, slots: Ints) -> MergeRound:
        """Return where pairs occur."""
        chosen = np.zeros(len(self.keys), bool)
        rank_of = np.empty(len(self.keys), np.int32)
        chosen[slots], rank_of[slots] = True, np.arange(len(slots))
        starts = np.flatnonzero(chosen.take(self.slots))  # flags are read faster than ranks
        return MergeRound(slots, self.keys[slots], self.counts[slots], starts, rank_of[self.slots[starts]])

    def merge(self, merged: MergeRound, new: int) -> Ints:
        """Merge the pairs of a round to symbols from `new` on. Return by how much each shortens the corpus."""
        starts = merged.starts
        second = self.after[merged.starts]
        sizes = np.bincount(merged.ranks, self.weights[starts], minlength=len(merged.slots)).astype(np.int64)
        beside = _unite_places(self.before[starts], second)
        self.counts -= np.bincount(self.slots[beside], self.weights[beside], minlength=len(self.keys)).astype(np.int64)
        self.counts[merged.slots] = self.counts[0] = 0
        behind = self.after[second]
        self.symbols[starts], self.symbols[second] = new + merged.ranks, EMPTY
        self.after[starts], self.before[behind] = behind, starts
        self.slots[second] = 0
        self._count(_unite_places(self.before[starts], starts))
        self.empty += len(starts)
        if 3 * self.empty > len(self.symbols):
            self._close_up()
        return sizes

    def _close_up(self) -> None:
        """Remove the empty places."""
        kept = np.flatnonzero(self.symbols != EMPTY)
        self.before = _row(len(kept), np.int32)
        self.after = _row(len(kept), np.int32)
        for name in ("symbols", "slots", "weights"):
            longer = getattr(self, name)
            setattr(self, name, shorter := _row(len(kept), longer.dtype))
            shorter[:] = longer[kept]
        self._link()

    def forget_words(self) -> None:
        """Free the memory of the words and pairs when all merges are made; the spellings and `made_of` remain."""
        self.symbols = self.weights = self.slots = self.before = self.after = np.zeros(0, np.int32)
        self.keys = self.counts = np.zeros(0, np.int64)

    def _link(self) -> None:
        self.empty = 0
        self.before[:], self.before[0] = 1, -1
        np.cumsum(self.before, out=self.before)
        np.add(self.before, 2, out=self.after)


def _row(size: int, type: DTypeLike) -> NDArray[Any]:
    """Return zeros in memory of their own, which the system gets back when they are freed; malloc would keep it."""
    return np.frombuffer(mmap(-1, size * np.dtype(type).itemsize), type)


def _unite_places(first: Ints, second: Ints) -> Ints:
    """Return the places in one or both of two ascending lists.

    >>> _unite_places(np.array([1, 3]), np.array([2, 3])).tolist()
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

    def steps(self, most: int | None = None) -> Iterator[MergeChoice]:
        """Yield each merge, at most `most`; after the next is asked for, the size of the corpus is that after it."""
        corpus = self.corpus
        left = 2**62 if most is None else most
        look = FEWEST
        while left and len(slots := corpus.best(min(look, left))):
            looked = self._valid(corpus.occurrences(slots))
            new = len(corpus.spellings)
            pairs = self._name_pairs(looked)
            if not pairs:
                continue
            sizes = corpus.merge(looked.first(len(pairs)), new)
            for (pair, spelling), times, size in zip(pairs, looked.counts.tolist(), sizes.tolist(), strict=False):
                yield MergeChoice(pair, times, spelling)
                corpus.size -= size
            left -= len(pairs)
            look = min(max(3 * len(pairs), FEWEST), MOST)

    def _name_pairs(self, looked: MergeRound) -> list[tuple[str, str]]:
        """Return the pairs of a round with the spellings of their new symbols, up to one that may not be merged."""
        corpus = self.corpus
        named = list[tuple[str, str]]()
        for slot, key in zip(looked.slots.tolist(), looked.keys.tolist(), strict=True):
            pair = chr(key >> SHIFT) + chr(key & ((1 << SHIFT) - 1))
            spelling = corpus.spell_pair(pair)
            if self._allowed is not None and not self._allowed(pair, spelling):
                corpus.counts[slot] = 0  # it never becomes allowed again
                break
            corpus.add(pair, spelling)
            named.append((pair, spelling))
        return named

    def _valid(self, looked: MergeRound) -> MergeRound:
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

    def _best_in_turn(self, looked: MergeRound, rank_at: NDArray[np.int32]) -> int:
        """Return how many pairs of a round are merged before any of the new pairs."""
        corpus = self.corpus
        new = len(self.corpus.spellings)
        starts = looked.starts
        ranks = looked.ranks
        left = corpus.before[starts]
        right = corpus.after[corpus.after[starts]]
        # What is beside a new symbol when it is made: another new symbol only if that was made before.
        left_rank = rank_at[corpus.before[left]]
        right_rank = rank_at[right]
        first = np.where((left_rank >= 0) & (left_rank <= ranks), new + left_rank, corpus.symbols[left])
        second = np.where((right_rank >= 0) & (right_rank < ranks), new + right_rank, corpus.symbols[right])
        made = (new + ranks).astype(np.int64)
        weights = corpus.weights[starts]
        on_left = first != EDGE
        on_right = (second != EDGE) & (right_rank != ranks)
        keys = np.concatenate(((first.astype(np.int64) << SHIFT | made)[on_left], (made << SHIFT | second)[on_right]))
        pairs = SortedPairs.of(keys, np.concatenate((weights[on_left], weights[on_right])))
        rivals = np.flatnonzero(pairs.counts >= looked.counts[-1])
        keys = pairs.keys[rivals]
        since = np.maximum(keys >> SHIFT, keys & ((1 << SHIFT) - 1)) - new + 1
        order = np.lexsort((np.append(looked.keys, keys), -np.append(looked.counts, pairs.counts[rivals])))
        place = np.empty(len(order), np.int64)
        place[order] = np.cumsum(order < len(looked.keys))  # how many pairs of the round come before it
        return int(np.maximum(since, place[len(looked.keys) :]).min(initial=len(looked.keys)))


def _leftmost(looked: MergeRound, corpus: BatchedCorpus) -> MergeRound:
    """Return a round of one pair of equal symbols without its second, fourth, ... occurrence in a row."""
    starts = looked.starts
    begins = np.append(True, corpus.after[starts[:-1]] != starts[1:])
    numbers = np.arange(len(starts))
    since = numbers - np.maximum.accumulate(np.where(begins, numbers, 0))
    return looked._replace(starts=starts[since % 2 == 0], ranks=looked.ranks[since % 2 == 0])
