"""A corpus that makes many merges at a time, with numpy, for `learn_batches`.

Each pair has a slot, with its count and a list of the places where it was made. A merge only ever takes occurrences
away from older pairs, and the pairs that it makes are new ones, so that no list grows, and a round reads the places of
the pairs that it looks at instead of the whole corpus.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from mmap import mmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..ranges import Ints, ranges
from .symbol_corpus import Symbols

EDGE = 0x10FFFF
"""The symbol between two words; it is in no pair."""
SHIFT = 21
"""A pair is one number: the first symbol, shifted by so many bits, and the second."""
PIECE = 2**15
"""How many places are counted at a time."""
MANY = 1000
"""How many words are read at a time."""
POOL = 8
"""How many times more pairs than are asked for are found among all, so that the next rounds look at these only."""


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
        firsts = _group_starts(ordered)
        return cls(ordered[firsts], np.add.reduceat(weights[order], firsts, dtype=np.int64))


class MergeRound(NamedTuple):
    """Pairs that are merged together, the best first, and where.

    - `slots`, `keys`, `counts`: of each pair, its slot, its number and its count.
    - `starts`, `ranks`: of each occurrence, where it begins and which of the pairs it is, in the order of the pairs.
    """

    slots: Ints
    keys: NDArray[np.int64]
    counts: NDArray[np.int64]
    starts: Ints
    ranks: Ints

    def first(self, most: int) -> "MergeRound":
        """Return the round with its best pairs only."""
        end = int(np.searchsorted(self.ranks, most))
        return MergeRound(self.slots[:most], self.keys[:most], self.counts[:most], self.starts[:end], self.ranks[:end])


class BatchedCorpus(Symbols):
    """Words as one row of symbols, in which each place knows its pair with the next symbol.

    - `symbols`: of the first place of each symbol, what it is; the last one of a longer symbol has its length less one,
      as a negative number. An `EDGE` is before and behind a word.
    - `lengths`: of each symbol, how many places it fills.
    - `weights`: of each place, the count of its word.
    - `slots`: the slot of its pair, which has the number `keys[slot]` and the count `counts[slot]`. Slot 0 is for
      places without a pair, and for pairs that occur less often than `min_frequency`.
    - `log`: from `begins[slot]` on, the places where the pair of a slot was made; it is no longer at those where
      `slots` says so.

    >>> corpus = BatchedCorpus(["\\0\\1\\0\\1", "\\1\\0"], [3, 2], ["a", "b"])
    >>> corpus.keys[:3].tolist() == [0, 1, 1 << SHIFT], corpus.counts[:3].tolist(), corpus.size
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
        parts = [_as_symbols(chr(EDGE)), *map(_as_symbols, _parts(words))]
        size = sum(map(len, parts))
        self.symbols, self.slots = (_row(size, np.int32) for _ in range(2))
        np.concatenate(parts, out=self.symbols)
        del parts, words
        edges = np.flatnonzero(self.symbols == EDGE)
        times = np.append(0, np.fromiter(counts, np.int64))
        self.size = int((np.diff(edges, prepend=0) - 1) @ times)
        self.weights = _row(size, np.min_scalar_type(times.max()) if times.max() < 2**32 else np.int64)
        self.weights[:] = np.repeat(times.astype(self.weights.dtype), np.diff(edges, prepend=-1))
        self.lengths = _row(EDGE + 1, np.int32)  # memory that is not written takes no room
        self.lengths[: len(self.spellings)] = self.lengths[EDGE] = 1
        self.log = _row(3 * size, np.int32)  # a merge has two new pairs beside it
        self.keys, self.counts = np.zeros(2, np.int64), np.zeros(2, np.int64)
        self.begins: Ints = np.zeros(2, np.int32 if len(self.log) < 2**31 else np.int64)
        self.ranks = np.full(2, -1, np.int32)
        self.used = 1  # the slots
        self.pool: Ints = np.zeros(0, np.int64)
        self.bound = 2**62, 0
        self._count_all()

    def _count_all(self) -> None:
        """Give slots to all pairs, piece by piece, to save memory."""
        size = len(self.symbols) - 1
        pieces = [slice(start, min(start + PIECE, size)) for start in range(0, size, PIECE)]
        pairs = SortedPairs(np.zeros(0, np.int64), np.zeros(0, np.int64))
        for piece in pieces:
            keys = np.concatenate((pairs.keys, self._keys_at(np.arange(piece.start, piece.stop))))
            pairs = SortedPairs.of(keys, np.concatenate((pairs.counts, self.weights[piece])))
        kept = (pairs.counts >= self.min_frequency) & (pairs.keys >= 0)
        slots = np.where(kept, np.cumsum(kept), 0)
        sizes = np.zeros(len(slots), np.int64)
        for piece in pieces:
            numbers = np.searchsorted(pairs.keys, self._keys_at(np.arange(piece.start, piece.stop)))
            self.slots[piece] = slots[numbers]
            sizes += np.bincount(numbers, minlength=len(slots))
        self._add_slots(pairs.keys[kept], pairs.counts[kept], sizes[kept])
        begins = self.begins[: self.used].copy()
        for piece in pieces:
            order = np.argsort(self.slots[piece])[np.count_nonzero(self.slots[piece] == 0) :]
            slots = self.slots[piece][order]
            starts = _group_starts(slots)
            sizes = np.diff(starts, append=len(slots))
            self.log[ranges(begins[slots[starts]], sizes)] = order + piece.start
            begins[slots[starts]] += sizes

    def _count(self, places: Ints) -> None:
        """Give slots to the pairs at these places, which are new."""
        keys = self._keys_at(places)
        order = np.argsort(keys)
        keys = keys[order]
        places = places[order]
        starts = _group_starts(keys)
        counts = np.add.reduceat(self.weights[places], starts, dtype=np.int64)
        keys = keys[starts]
        kept = (counts >= self.min_frequency) & (keys >= 0)
        sizes = np.diff(starts, append=len(places))
        slots = np.repeat(np.where(kept, np.cumsum(kept) + (self.used - 1), 0), sizes)
        self.slots[places] = slots
        begin = self.begins[self.used]
        places = places[slots > 0]
        self.log[begin : begin + len(places)] = places
        self._add_slots(keys[kept], counts[kept], sizes[kept])

    def _add_slots(self, keys: NDArray[np.int64], counts: NDArray[np.int64], sizes: Ints) -> None:
        """Add slots for pairs that occur at so many places."""
        used = self.used
        end = self.used = used + len(keys)
        if end >= len(self.keys):
            for name, filling in ("keys", 0), ("counts", 0), ("begins", 0), ("ranks", -1):
                values = getattr(self, name)
                setattr(self, name, np.append(values, np.full(end - used + len(values) // 4, filling, values.dtype)))
        self.keys[used:end] = keys
        self.counts[used:end] = counts
        self.begins[used + 1 : end + 1] = self.begins[used] + np.cumsum(sizes)
        self.pool = np.append(self.pool, self._in_bound(np.arange(used, end)))

    def _keys_at(self, places: Ints) -> NDArray[np.int64]:
        """Return the pairs at these places as numbers, -1 for one with an edge."""
        first = self.symbols[places]
        second = self.symbols[places + self.lengths[first]]
        keys: NDArray[np.int64] = first.astype(np.int64) << SHIFT | second
        keys[(first == EDGE) | (second == EDGE)] = -1
        return keys

    def before(self, places: Ints) -> Ints:
        """Return where the symbols before those at these places begin."""
        last = places - 1
        begins: Ints = last + np.minimum(self.symbols[last], 0)
        return begins

    def best(self, most: int) -> Ints:
        """Return the slots of the best pairs in order."""
        self.pool = self._in_bound(self.pool)
        if len(self.pool) < most and self.bound != (self.min_frequency, 2**62):
            often = np.flatnonzero(self.counts[: self.used] >= self.min_frequency)
            self.pool = self._first_of(often, POOL * most)
            self.bound = self.min_frequency, 2**62
            if len(self.pool) < len(often):
                self.bound = int(self.counts[self.pool[-1]]), int(self.keys[self.pool[-1]])
        return self._first_of(self.pool, most)

    def _in_bound(self, slots: Ints) -> Ints:
        """Return those of these slots whose pairs are as good as the last one of the pool when it was made."""
        count, key = self.bound
        counts = self.counts[slots]
        inside: Ints = slots[(counts > count) | (counts == count) & (self.keys[slots] <= key)]
        return inside

    def _first_of(self, slots: Ints, most: int) -> Ints:
        """Return the best of these slots in order."""
        if len(slots) > most:
            counts = self.counts[slots]
            least = -np.partition(-counts, most - 1)[most - 1]
            above = slots[counts > least]
            equal = slots[counts == least]
            smallest = np.argpartition(self.keys[equal], most - len(above) - 1)[: most - len(above)]
            slots = np.concatenate((above, equal[smallest]))
        return slots[np.lexsort((self.keys[slots], -self.counts[slots]))]

    def occurrences(self, slots: Ints) -> MergeRound:
        """Return where the first of these pairs occur, as many pairs as occur at a limited number of places."""
        begins = self.begins[slots]
        sizes = self.begins[slots + 1] - begins
        limit = max(PIECE // 8, len(self.symbols) // 64)
        few = 1 + int(np.searchsorted(sizes[1:].cumsum(), limit))
        slots, begins, sizes = slots[:few], begins[:few], sizes[:few]
        starts = self.log[ranges(begins, sizes)]
        still = self.slots[starts] == np.repeat(slots, sizes)
        ranks = np.repeat(np.arange(len(slots)), sizes)[still]
        return MergeRound(slots, self.keys[slots], self.counts[slots], starts[still], ranks)

    def merge(self, merged: MergeRound, new: int) -> Ints:
        """Merge the pairs of a round to symbols from `new` on. Return by how much each shortens the corpus."""
        starts = merged.starts
        first = self.lengths[merged.keys >> SHIFT]
        lengths = first + self.lengths[merged.keys & ((1 << SHIFT) - 1)]
        second = starts + first[merged.ranks]
        behind = starts + lengths[merged.ranks]
        self.lengths[new : new + len(lengths)] = lengths
        sizes = np.bincount(merged.ranks, self.weights[starts], minlength=len(merged.slots)).astype(np.int64)
        beside = _unite_places(self.before(starts), second)
        np.subtract.at(self.counts, self.slots[beside], self.weights[beside].astype(np.int64))
        self.counts[merged.slots] = self.counts[0] = 0
        self.symbols[starts], self.symbols[behind - 1] = new + merged.ranks, starts - behind + 1
        self.slots[second] = 0
        self._count(_unite_places(self.before(starts), starts))
        return sizes

    def forget_words(self) -> None:
        """Free the memory of the words and pairs when all merges are made; the spellings and `made_of` remain."""
        self.symbols = self.weights = self.slots = self.log = self.lengths = self.ranks = np.zeros(0, np.int32)
        self.keys = self.counts = np.zeros(0, np.int64)
        self.begins = self.pool = np.zeros(0, np.int64)


def _parts(words: Iterable[str]) -> Iterator[str]:
    """Yield words joined by edges, many at a time, with an edge behind each."""
    words = iter(words)
    while part := [*islice(words, MANY)]:
        yield chr(EDGE).join([*part, ""])


def _as_symbols(text: str) -> NDArray[np.int32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<i4")


def _row(size: int, type: DTypeLike) -> NDArray[Any]:
    """Return zeros in memory of their own, which the system gets back when they are freed; malloc would keep it."""
    return np.frombuffer(mmap(-1, size * np.dtype(type).itemsize), type)


def _group_starts(ordered: Ints) -> Ints:
    """Return where each run of equal numbers begins.

    >>> _group_starts(np.array([3, 3, 4])).tolist()
    [0, 2]
    """
    differs = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=differs[1:])
    return np.flatnonzero(differs)


def _unite_places(first: Ints, second: Ints) -> Ints:
    """Return the places in one or both of two lists.

    >>> _unite_places(np.array([1, 3]), np.array([2, 3])).tolist()
    [1, 2, 3]
    """
    places = np.sort(np.concatenate((first, second)))
    return places[_group_starts(places)]
