"""The first merges of a long word of few different bytes, such as a line of dashes: all pairs of one rank at once.

A round makes with numpy what the queue of `encode` makes one by one, and ends before a merge that could come between.
"""

from collections.abc import Mapping
from math import inf

import numpy as np
from numpy.typing import NDArray

KINDS = 16
"""Words of more different parts are left to the queue: each round looks up all pairs of the different parts."""
SHARE = 8
"""A round is worth its steps through all parts if it joins at least one pair in so many."""


def merge_rounds(word: bytes, ranks: Mapping[bytes, float]) -> list[int]:
    """Return the edges of the parts of a word after its first merges; the other merges are still to be made.

    >>> merge_rounds(b"=-=-=", {b"=-": 1, b"=-=-": 2})
    [0, 4, 5]
    """
    parts = [bytes([byte]) for byte in sorted({*word})]
    kinds = np.searchsorted(np.frombuffer(b"".join(parts), np.uint8), np.frombuffer(word, np.uint8))
    edges = np.arange(len(word) + 1)
    while len(kinds) > 1 and len(parts) <= KINDS:
        of_pair = np.array([ranks.get(left + right, inf) for left in parts for right in parts])
        pairs = kinds[:-1] * len(parts) + kinds[1:]
        found = of_pair[pairs]
        lefts = np.flatnonzero(found == found.min())
        pair = pairs[lefts[0]]
        left, right = divmod(int(pair), len(parts))
        joined = parts[left] + parts[right]
        if len(lefts) * SHARE < len(kinds) or (pairs[lefts] != pair).any() or not _first(joined, parts, ranks):
            break
        if left == right:
            lefts = _every_second(lefts)
        kinds[lefts] = len(parts)
        kinds = np.delete(kinds, lefts + 1)
        edges = np.delete(edges, lefts + 1)
        parts.append(joined)
    return edges.tolist()


def _first(joined: bytes, parts: list[bytes], ranks: Mapping[bytes, float]) -> bool:
    """True if two parts merge before any pair that one with their union in it can be."""
    pairs = [pair for part in [*parts, joined] for pair in (part + joined, joined + part)]
    return ranks.get(joined, inf) < min(ranks.get(pair, inf) for pair in pairs)


def _every_second(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return every second of adjacent places, from the first of each run.

    >>> _every_second(np.array([1, 2, 3, 7, 8])).tolist()
    [1, 3, 7]
    """
    index = np.arange(len(places))
    begins = np.maximum.accumulate(np.where(np.diff(places, prepend=-2) > 1, index, 0))
    kept: NDArray[np.int64] = places[(index - begins) % 2 == 0]
    return kept
