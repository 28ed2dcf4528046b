"""The byte model of `scratch.byte_entropy` in arrays: the entropies of 10,000 bytes within some 100 milliseconds.

A context of up to 5 bytes is one number, its bytes in base 256, so that all contexts of a length are a sorted array.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]
BLOCK = 512
"""Contexts whose distributions are made at a time: they need a megabyte, which a processor keeps at hand."""


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


def compute_keys(data: bytes, length: int) -> Numbers:
    """Return the number of every run of this many bytes, of at most 8.

    >>> [hex(key) for key in compute_keys(b"abc", 2)]
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
    return [
        _contexts(np.concatenate([compute_keys(text, n + 1) for text in texts]), least[n]) for n in range(len(least))
    ]


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
        self.orders = tuple(orders)
        self.weight = weight
        self._totals = tuple(contexts.totals for contexts in self.orders)
        # What follows one byte is the same wherever it stands, and takes the longest to mix.
        single = len(self.orders[1].keys) if len(self.orders) > 1 else 0
        self._after_one = np.full((single + 1, 256), 1 / 256)
        if len(self.orders[0].keys):
            self._mix(self._after_one, np.zeros(single + 1, np.int64), 0)
        if single:
            self._mix(self._after_one, np.arange(-1, single), 1)

    def entropies(self, data: bytes) -> Floats:
        """Return the entropy of each byte in nats, given the bytes before it."""
        return self.predict(data)[1]

    def bits_per_byte(self, data: bytes) -> float:
        """Return −log2 of the probability that the model gave to each byte that came, on average."""
        return float(self.predict(data)[0].mean() / log(2))

    def predict(self, data: bytes) -> tuple[Floats, Floats]:
        """Return for each byte −ln of its probability, which is how surprising it was, and the entropy, in nats."""
        found = np.stack([self._find_contexts(data, length) for length in range(len(self.orders))])
        came = np.frombuffer(data, np.uint8)
        places = np.arange(len(data))
        # The longest context that is known has all shorter ones at its end: predictions after equal ones are equal.
        longest = len(found) - 1 - np.argmax(found[::-1] >= 0, axis=0)
        _, first, kind = np.unique((longest << 32) + found[longest, places] + 1, return_index=True, return_inverse=True)
        surprisals = np.zeros(len(data))
        entropies = np.zeros(len(first))
        order = np.argsort(kind, kind="stable")
        edges = np.searchsorted(kind[order], np.arange(0, len(first) + BLOCK, BLOCK))
        for number, start in enumerate(range(0, len(first), BLOCK)):
            rows = first[start : start + BLOCK]
            at = order[edges[number] : edges[number + 1]]
            spread = self._spread(found[:, rows])
            logs = np.log(spread)
            entropies[start : start + BLOCK] = -np.einsum("ij,ij->i", spread, logs)
            surprisals[at] = -logs[kind[at] - start, came[at]]
        return surprisals, entropies[kind]

    def _spread(self, found: npt.NDArray[np.int64]) -> Floats:
        """Return a row of 256 probabilities for each column of contexts, those of each length by their index or −1."""
        single = found[1] + 1 if len(found) > 1 else np.zeros(found.shape[1], np.int64)
        spread: Floats = self._after_one[single]
        for length in range(2, len(found)):
            self._mix(spread, found[length], length)
        return spread

    def _find_contexts(self, data: bytes, length: int) -> npt.NDArray[np.int64]:
        """Return for each byte the index of the context before it, or −1 if the model does not have it."""
        contexts = self.orders[length]
        if not len(contexts.keys):
            return np.full(len(data), -1)
        before = (
            compute_keys(data, length)[:-1] if length else np.zeros(len(data), np.uint64)
        )  # nothing follows the last
        places = np.searchsorted(contexts.keys, before)
        known = contexts.keys[np.minimum(places, len(contexts.keys) - 1)] == before
        return np.concatenate([np.full(min(length, len(data)), -1), np.where(known, places, -1)])

    def _mix(self, spread: Floats, found: npt.NDArray[np.int64], length: int) -> None:
        """Mix what follows each context of a length into the distributions of the shorter ones."""
        contexts = self.orders[length]
        totals = self._totals[length]
        rows = np.flatnonzero(found >= 0)
        at = found[rows]
        kinds = contexts.starts[at + 1] - contexts.starts[at]
        share = 1 / (totals[at] + self.weight * kinds)
        spread[rows] *= (self.weight * kinds * share)[:, None]
        each = np.repeat(np.arange(len(rows)), kinds)
        inside = np.arange(len(each)) - np.repeat(np.cumsum(kinds) - kinds, kinds)
        entries = np.repeat(contexts.starts[at], kinds) + inside
        spread[rows[each], contexts.following[entries]] += contexts.counts[entries] * share[each]
