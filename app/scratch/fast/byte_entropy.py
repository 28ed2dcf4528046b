"""The byte model of `scratch.byte_entropy` in arrays: the entropies of 10,000 bytes within some 100 milliseconds.

A context of up to 5 bytes is one number, its bytes in base 256, so that all contexts of a length are a sorted array.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]
BLOCK = 4096
"""Bytes that are predicted at a time: their distributions need 8 MB."""


@dataclass(frozen=True, slots=True)
class Contexts:
    """The contexts of one length, sorted, and what follows each.

    The bytes that follow context i, and how often each does, are `following` and `counts` from `starts[i]` to
    `starts[i + 1]`.
    """

    keys: Numbers
    starts: npt.NDArray[np.int64]
    following: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.uint32]

    @property
    def totals(self) -> npt.NDArray[np.int64]:
        """How often each context occurs."""
        return np.add.reduceat(self.counts, self.starts[:-1], dtype=np.int64)


def keys_of(data: bytes, length: int) -> Numbers:
    """Return the number of every run of this many bytes, of at most 8.

    >>> [hex(key) for key in keys_of(b"abc", 2)]
    ['0x6162', '0x6263']
    """
    runs = max(0, len(data) - length + 1)
    numbers = np.frombuffer(data, np.uint8).astype(np.uint64)
    keys = np.zeros(runs, np.uint64)
    for at in range(length):
        keys = (keys << np.uint64(8)) | numbers[at : at + runs]
    return keys


def count(texts: Sequence[bytes], least: Sequence[int]) -> list[Contexts]:
    """Return the contexts of 0, 1 … bytes; of each length those that occur at least so often.

    >>> (empty, one) = count([b"abab"], [1, 2])
    >>> [*map(chr, one.keys)], [*map(chr, one.following)], one.counts.tolist()
    (['a'], ['b'], [2])
    """
    return [_contexts(np.concatenate([keys_of(text, n + 1) for text in texts]), least[n]) for n in range(len(least))]


def _contexts(keys: Numbers, least: int) -> Contexts:
    grams, counts = np.unique(keys, return_counts=True)
    before = grams >> np.uint64(8)
    first = np.flatnonzero(np.diff(before, prepend=before[:1] + np.uint64(1)))
    sizes = np.diff(first, append=len(grams))
    kept = np.repeat(np.add.reduceat(counts, first) >= least, sizes)
    before = before[kept]
    starts = np.flatnonzero(np.diff(before, prepend=before[:1] + np.uint64(1)))
    following = (grams[kept] & np.uint64(255)).astype(np.uint8)
    return Contexts(before[starts], np.append(starts, len(before)), following, counts[kept].astype(np.uint32))


class ByteModel:
    """Predicts each byte of a text from the bytes before it.

    `orders` has the contexts of 0, 1 … bytes, `weight` is that of `scratch.byte_entropy.distribution`.
    """

    def __init__(self, orders: Sequence[Contexts], *, weight: float = 1) -> None:
        self.orders, self.weight = tuple(orders), weight
        self._totals = tuple(contexts.totals for contexts in self.orders)

    def entropies(self, data: bytes) -> Floats:
        """Return the entropy of each byte in nats, given the bytes before it."""
        return self.predicted(data)[1]

    def bits_per_byte(self, data: bytes) -> float:
        """Return −log2 of the probability that the model gave to each byte that came, on average."""
        return float(self.predicted(data)[0].mean() / log(2))

    def predicted(self, data: bytes) -> tuple[Floats, Floats]:
        """Return for each byte −ln of its probability, which is how surprising it was, and the entropy, in nats."""
        blocks = [(np.zeros(0), np.zeros(0)), *self._blocks(data)]
        return np.concatenate([block[0] for block in blocks]), np.concatenate([block[1] for block in blocks])

    def _blocks(self, data: bytes) -> Iterator[tuple[Floats, Floats]]:
        keys = [self._found(data, length) for length in range(len(self.orders))]
        for start in range(0, len(data), BLOCK):
            came = np.frombuffer(data, np.uint8)[start : start + BLOCK]
            spread = np.full((len(came), 256), 1 / 256)
            for length in range(len(self.orders)):
                self._mix(spread, keys[length][start : start + BLOCK], length)
            surprisal = -np.log(spread[np.arange(len(came)), came])
            yield surprisal, -np.einsum("ij,ij->i", spread, np.log(spread))

    def _found(self, data: bytes, length: int) -> npt.NDArray[np.int64]:
        """Return for each byte the index of the context before it, or −1 if the model does not have it."""
        contexts = self.orders[length]
        if not len(contexts.keys):
            return np.full(len(data), -1)
        before = keys_of(data, length)[:-1] if length else np.zeros(len(data), np.uint64)  # nothing follows the last
        places = np.searchsorted(contexts.keys, before)
        known = contexts.keys[np.minimum(places, len(contexts.keys) - 1)] == before
        return np.concatenate([np.full(min(length, len(data)), -1), np.where(known, places, -1)])

    def _mix(self, spread: Floats, found: npt.NDArray[np.int64], length: int) -> None:
        """Mix what follows each context of a length into the distributions of the shorter ones."""
        contexts, totals = self.orders[length], self._totals[length]
        rows = np.flatnonzero(found >= 0)
        at = found[rows]
        kinds = contexts.starts[at + 1] - contexts.starts[at]
        share = 1 / (totals[at] + self.weight * kinds)
        spread[rows] *= (self.weight * kinds * share)[:, None]
        each = np.repeat(np.arange(len(rows)), kinds)
        inside = np.arange(len(each)) - np.repeat(np.cumsum(kinds) - kinds, kinds)
        entries = np.repeat(contexts.starts[at], kinds) + inside
        spread[rows[each], contexts.following[entries]] += contexts.counts[entries] * share[each]
