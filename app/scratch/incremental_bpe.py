"""Learning BPE from a large corpus: each merge looks only at the words that contain its pair.

`learn_bpe` counts all pairs again after each merge. Three tables make that unnecessary: the word table has each
different word once, with its count; the pair index says of each pair how often it occurs and in which words; and a heap
has the most frequent pair on top. The merges are the same.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from .learn_bpe import Pair, count_pairs, replace

Heap = list[tuple[int, Pair]]
"""Entries of a heap: how often a pair occurred when its entry was made, below 0 so that the most comes first."""


class Indexed(NamedTuple):
    """The tables before the first merge: the words, the counts of pairs, the words of each pair, and the heap.

    The learner changes them in place. `looked` is how many pairs of neighbours were looked at to build them.
    """

    words: list[list[int]]
    pairs: Counter[Pair]
    where: Mapping[Pair, set[int]]
    heap: Heap
    looked: int


class Stale(NamedTuple):
    """An entry on top of the heap that is no longer true: its pair, the count that it says, and the count now."""

    pair: Pair
    said: int
    frequency: int


class MergedWords(NamedTuple):
    """A merge: its pair and count, the numbers of the words that it changed, and the pairs looked at for it."""

    pair: Pair
    frequency: int
    changed: list[int]
    looked: int


def learn_by_index(words: Sequence[Sequence[int]], counts: Sequence[int]) -> Iterator[Indexed | Stale | MergedWords]:
    """Yield the tables, and then what is taken from the heap, until no pair occurs twice.

    `words` are ids of symbols, each word once, and `counts` how often it occurs. A merge makes the next free id. Of
    pairs that occur equally often, that of the smallest ids is merged first.

    >>> tables, *steps = learn_by_index([[0, 1, 2], [3, 1, 2], [0, 3]], [5, 1, 2])
    >>> steps[0]
    MergedWords(pair=(1, 2), frequency=6, changed=[0, 1], looked=6)
    >>> steps[1]
    Stale(pair=(0, 1), said=5, frequency=0)
    >>> [step.pair for step in steps if isinstance(step, MergedWords)]
    [(1, 2), (0, 4), (0, 3)]
    """
    tables = build_index(words, counts)
    yield tables
    heap = tables.heap
    new = 1 + max((id for word in words for id in word), default=0)
    while heap:
        said, pair = -heap[0][0], heappop(heap)[1]
        count = tables.pairs[pair]
        if count < said:  # the entry is older than the last change of its count
            yield Stale(pair, said, count)
            if count:
                heappush(heap, (-count, pair))
            continue
        if count < 2:
            return
        changed, looked = merge_words(tables, counts, pair, new)
        yield MergedWords(pair, count, changed, looked)
        new += 1


def build_index(words: Sequence[Sequence[int]], counts: Sequence[int]) -> Indexed:
    """Return the tables of words with their counts.

    >>> tables = build_index([[0, 1, 2], [3, 1, 2]], [5, 1])
    >>> tables.pairs[1, 2], tables.where[1, 2], tables.heap[0], tables.looked
    (6, {0, 1}, (-6, (1, 2)), 4)
    """
    where = defaultdict[Pair, set[int]](set)
    for number, word in enumerate(words):
        for pair in pairwise(word):
            where[pair].add(number)
    pairs = count_pairs(words, counts)
    heap = [(-count, pair) for pair, count in pairs.items()]
    heapify(heap)
    return Indexed([[*word] for word in words], pairs, where, heap, sum(len(word) - 1 for word in words))


def merge_words(tables: Indexed, counts: Sequence[int], pair: Pair, new: int) -> tuple[list[int], int]:
    """Merge a pair in the words that contain it, and update the tables; return these words and the pairs looked at.

    >>> merge_words(build_index([[0, 1, 2], [3, 1], [1, 2]], [5, 1, 1]), [5, 1, 1], (1, 2), 4)
    ([0, 2], 4)
    """
    words, pairs, where, heap, _ = tables
    changed = sorted(where[pair])
    looked = 0
    made = set[Pair]()
    for number in changed:
        for old in pairwise(words[number]):
            pairs[old] -= counts[number]
            where[old].discard(number)
        looked += len(words[number]) - 1
        words[number] = replace(words[number], pair, new)
        for now in pairwise(words[number]):
            pairs[now] += counts[number]
            where[now].add(number)
            if new in now:
                made.add(now)
        looked += len(words[number]) - 1
    for now in made:
        heappush(heap, (-pairs[now], now))
    return changed, looked
