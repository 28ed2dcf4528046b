"""Hashes of the tokens of a vocabulary, searched for many at once with numpy."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.integer]
Hashes = NDArray[np.uint64]
MULTIPLIER = 0x9E3779B97F4A7C15
"""The multiplier of a polynomial hash; the next odd numbers follow until the hashes of all tokens differ."""


class HashIndex:
    """Hashes in sorted order, with the first place of each bucket of equal leading bits.

    `order` are the indices that sort the hashes; `distinct` is True if no two are equal.

    >>> index = HashIndex(np.array([7, 3], np.uint64))
    >>> index.order.tolist(), index.find(np.array([3, 4, 7], np.uint64)).tolist()
    ([1, 0], [0, 2, 1])
    """

    def __init__(self, hashes: Hashes) -> None:
        self.order = np.argsort(hashes).astype(np.int32)
        self.sorted = np.append(hashes[self.order], np.uint64(2**64 - 1))  # none is greater, so that a search ends
        self.distinct = bool((self.sorted[1:-1] > self.sorted[:-2]).all())
        bits = len(hashes).bit_length() + 1
        self.shift = np.uint64(64 - bits)
        buckets = (self.sorted[:-1] >> self.shift).astype(np.int64)
        self.begins = np.append(0, np.cumsum(np.bincount(buckets, minlength=2**bits))).astype(np.int32)

    def find(self, hashes: Hashes) -> NDArray[np.int32]:
        """Return the place of each hash in the sorted order; their number for one that is not there."""
        places: NDArray[np.int32] = self.begins[hashes >> self.shift]
        behind = np.flatnonzero(self.sorted[places] < hashes)
        while len(behind):
            places[behind] += 1
            behind = behind[self.sorted[places[behind]] < hashes[behind]]
        places[self.sorted[places] != hashes] = len(self.order)
        return places


def ranges(firsts: Ints, sizes: Ints) -> Ints:
    """Return the numbers of several ranges, one after the other.

    >>> ranges(np.array([5, 9]), np.array([3, 2])).tolist()
    [5, 6, 7, 9, 10]
    """
    before = np.cumsum(sizes) - sizes
    return np.repeat(firsts - before, sizes) + np.arange(int(sizes.sum()))
