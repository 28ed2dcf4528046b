"""The substrings of many words that are worth being pieces: what a unigram vocabulary is chosen from.

All suffixes of all words are sorted, as in a suffix array (Manber and Myers 1990), by as many characters as a piece may
have. Those that begin alike then stand together, so that at every depth the runs of equal beginnings are the different
substrings of that length, each with the places where it stands.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]
Followers = tuple[NDArray[np.integer], NDArray[np.integer]]
TOGETHER = 200_000
"""Suffixes that are sorted at once, about."""


class Text(NamedTuple):
    """Words one behind the other, in numbers for characters from 1, with a 0 behind each.

    `weights` has at each place how often its word comes, and `reach` how long a piece that begins there may be. Seen
    from before, what comes at a place is something from `low` to `high`: at the end of a word, what follows the word.
    """

    codes: Ints
    weights: NDArray[np.int64]
    reach: Ints
    low: NDArray[np.integer]
    high: NDArray[np.integer]


class Found(NamedTuple):
    """The substrings of one length that are worth being pieces, by number: how often each comes, and a place of it.

    `places` are all places where one of them stands, and `numbers` says which.
    """

    length: int
    counts: NDArray[np.int64]
    first: Ints
    places: Ints
    numbers: Ints


def substrings(text: Text, longest: int) -> Iterator[Found]:
    """All characters, then what comes twice or more and is not always followed by the same, some beginnings at a time.

    What is always followed by the same needs no piece, since a longer one stands wherever it stands. In the words abc
    and abd that leaves ab:

    >>> codes = np.array([1, 2, 3, 0, 1, 2, 4, 0], np.int32)
    >>> reach = np.array([3, 2, 1, 0, 3, 2, 1, 0], np.int32)
    >>> found = substrings(Text(codes, np.ones(8, np.int64), reach, codes, codes), 3)
    >>> [(each.length, each.counts.tolist(), each.first.tolist()) for each in found]
    [(1, [2, 2, 1, 1], [0, 1, 2, 6]), (2, [2], [0]), (3, [], [])]
    """
    padded = np.append(text.codes, np.zeros(longest + 64, np.int32))
    for beginnings in _buckets(text.codes):
        yield from _deeper(text, _sorted_suffixes(padded, beginnings, longest + 1), longest)


def _buckets(codes: Ints) -> Iterator[Ints]:
    """The places of characters, those of the same together, so that not too many are sorted at once."""
    sizes = np.bincount(codes)[1:]
    last = np.cumsum(sizes) // TOGETHER
    for number in np.unique(last[sizes > 0]):
        these = np.append(False, (last == number) & (sizes > 0))
        yield np.flatnonzero(these[codes]).astype(np.int32)


def _deeper(text: Text, places: Ints, longest: int) -> Iterator[Found]:
    """By length, what there is among sorted suffixes."""
    group = np.zeros(len(places), np.int32)
    for length in range(1, longest + 1):
        if not len(places):
            return
        begins = _changes(group) | _changes(text.codes[places + (length - 1)])
        group, starts = np.cumsum(begins, dtype=np.int32) - 1, np.flatnonzero(begins)
        counts = np.add.reduceat(text.weights[places], starts)
        several = counts > 1
        low = np.minimum.reduceat(text.low[places + length], starts)
        high = np.maximum.reduceat(text.high[places + length], starts)
        worth = several & (low < high) if length > 1 else np.ones(len(starts), bool)
        among = worth[group]
        numbers = (np.cumsum(worth, dtype=np.int32) - 1)[group[among]]
        yield Found(length, counts[worth], places[starts[worth]], places[among], numbers)
        longer = several[group] & (text.reach[places] > length)
        places, group = places[longer], group[longer]


def _changes(values: NDArray[np.integer]) -> Flags:
    """Where a value is another one than before, the first included."""
    return np.concatenate(([True], values[1:] != values[:-1]))


def _sorted_suffixes(codes: Ints, places: Ints, depth: int) -> Ints:
    """Places in the order of what stands there, as deep as that, within the word."""
    bits = int(codes.max()).bit_length()
    many = 63 // bits
    key, inside = _packed(codes, places, np.ones(len(places), bool), bits, many)
    order = np.argsort(key)
    places, inside, begins = places[order], inside[order], _changes(key[order])
    for first in range(many, depth, many):
        tied = np.flatnonzero(~(begins & np.append(begins[1:], True)) & inside)
        some, group = places[tied], np.cumsum(begins)[tied]
        key, within = _packed(codes, some + first, inside[tied], bits, many)
        order = np.lexsort((key, group))
        places[tied], inside[tied] = some[order], within[order]
        begins[tied] |= _changes(key[order])[: len(tied)]
    return places


def _packed(codes: Ints, places: Ints, inside: Flags, bits: int, many: int) -> tuple[NDArray[np.int64], Flags]:
    """The next so many characters at each place as one number, none from the end of the word; and which did not end."""
    packed = np.zeros(len(places), np.int64)
    for behind in range(many):
        here = codes[places + behind]
        inside = inside & (here > 0)
        packed = packed << bits | np.where(inside, here, 0)
    return packed, inside
