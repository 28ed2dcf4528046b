"""Byte-level BPE, fast: equal to `scratch.bpe`, merge for merge (Sennrich et al. 2016; Radford et al. 2019).

A merge changes only the two pairs beside it, so the ranks of all other pairs stay valid. A short word keeps the ranks
of its pairs in a list and takes its minimum. A long word keeps a list of positions for each rank, and a heap of these
ranks: n symbols take n log n steps instead of n². Both merge the lowest rank first and the leftmost of equal ranks, as
the teaching file does. On text, most of the speed is due to the cache: a word that occurs again is not merged again.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from heapq import heappop, heappush
from itertools import chain, pairwise
from math import inf
from typing import AnyStr

import numpy as np
from numpy.typing import NDArray

from ....types import Merge
from ..pretokenize import finder, split

SHORT = 120
"""Words of fewer symbols are merged by scanning. Measured with o200k_base, µs per word, scanning against the heap:
2.4 and 10 for 2 to 5 bytes, 16 and 41 for 16 to 29, 33 and 54 for 30 to 59, 126 and 88 for 60 to 119."""

LONG = 2_000
"""Words of this many bytes or more are first divided between bytes that are adjacent in no token."""

MEMORY = 20_000_000
"""Approximate limit, in bytes, of the cache of words of a tokenizer."""


def merge(word: AnyStr, ranks: Mapping[AnyStr, float], merges: list[Merge] | None = None) -> list[AnyStr]:
    """Return the tokens of a word of bytes or characters. Merges the lowest rank first, the leftmost of equal ranks.

    If `merges` is a list, each merge is appended to it: its rank, and the start, middle and end of the pair.

    >>> merge(b"lower", {b"l": 0, b"o": 1, b"w": 2, b"e": 3, b"r": 4, b"er": 5, b"lo": 6, b"low": 7})
    [b'low', b'er']
    >>> merge("low", {"lo": 1, "low": 2}, merges := []), merges
    (['low'], [(1, 0, 1, 2), (2, 0, 2, 3)])
    """
    return (_merge_short if len(word) < SHORT else _merge_long)(word, ranks, merges)


def _merge_short(word: AnyStr, ranks: Mapping[AnyStr, float], merges: list[Merge] | None) -> list[AnyStr]:
    """Merge by scanning a list with the rank of each pair; a merge changes only the two entries beside it."""
    edges = list(range(len(word) + 1))
    pairs = [ranks.get(word[i : i + 2], inf) for i in edges[:-2]]  # the two parts of pairs[i] meet at edges[i + 1]
    while pairs and (rank := min(pairs)) < inf:
        i = pairs.index(rank)  # index() returns the leftmost, as the teaching file does
        if merges is not None:
            merges.append((rank, edges[i], edges[i + 1], edges[i + 2]))
        del edges[i + 1], pairs[i]
        if i:
            pairs[i - 1] = ranks.get(word[edges[i - 1] : edges[i + 1]], inf)
        if i < len(pairs):
            pairs[i] = ranks.get(word[edges[i] : edges[i + 2]], inf)
    return [word[start:end] for start, end in pairwise(edges)]


def _merge_long(word: AnyStr, ranks: Mapping[AnyStr, float], merges: list[Merge] | None) -> list[AnyStr]:
    """Merge with a heap, which is fast even for a word of a million spaces."""
    get = ranks.get
    ends = merge_many(len(word), lambda start, _, end: get(word[start:end]), None if merges is None else merges.append)
    return [word[start:end] for start, end in enumerate(ends) if end]


RankOf = Callable[[int, int, int], float | None]
"""The rank of two adjacent parts, by the start of the first, the position between them, and the end of the second."""


def merge_many(size: int, rank_of: RankOf, on_merge: Callable[[Merge], object] | None = None) -> list[int]:
    """Merge n = `size` symbols in n log n steps. Return, by position, the end of the part that begins there, or 0.

    `on_merge` is called before each merge. The rank of a pair must not change while both of its parts exist.

    >>> merge_many(3, lambda start, middle, end: 7 if end - start == 2 else None)
    [2, 0, 3, 0]
    """
    end_of = [*range(1, size + 1), 0]  # 0 also if a part has been merged into the one before it
    start_of = list(range(-1, size))  # the inverse: by the end of a part, its start
    pairs = PairQueue()
    for start in range(size - 1):
        if (rank := rank_of(start, start + 1, start + 2)) is not None:
            pairs[rank].append(start)
    while pairs.ranks:
        rank, starts = pairs.lowest()
        while starts and not (pairs.ranks and pairs.ranks[0] <= rank):  # a merge can create a pair of a lower rank
            start = starts.pop()
            middle = end_of[start]
            end = end_of[middle]
            if not middle or not end or rank_of(start, middle, end) != rank:
                continue  # stale: one of its parts has been merged since
            if on_merge is not None:
                on_merge((rank, start, middle, end))
            end_of[start] = end
            end_of[middle] = 0
            start_of[end] = start
            before = start_of[start]
            after = end_of[end]
            if before >= 0 and (joined := rank_of(before, start, end)) is not None:
                pairs[joined].append(before)
            if after and (joined := rank_of(start, end, after)) is not None:
                pairs[joined].append(start)
        pairs.put_back(rank, starts)
    return end_of


class PairQueue(dict[float, list[int]]):
    """The start positions of pairs by rank, with a heap of the ranks.

    There are far fewer ranks than pairs, so the heap stays small, and the pairs of one rank are sorted only once.

    >>> pairs = PairQueue()
    >>> pairs[7].append(1), pairs[5].append(2), pairs[5].append(0), pairs.lowest()
    (None, None, None, (5, [2, 0]))
    """

    def __init__(self) -> None:
        super().__init__()
        self.ranks: list[float] = []
        self._kept: dict[float, list[int]] = {}

    def __missing__(self, rank: float) -> list[int]:
        if rank not in self._kept:
            heappush(self.ranks, rank)
        self[rank] = starts = list[int]()
        return starts

    def lowest(self) -> tuple[float, list[int]]:
        """Remove and return the lowest rank and the starts of its pairs, the leftmost last (for pop())."""
        rank = heappop(self.ranks)
        starts = self._kept.pop(rank, [])
        return rank, sorted(starts + self.pop(rank), reverse=True) if rank in self else starts

    def put_back(self, rank: float, starts: list[int]) -> None:
        """Put back the remaining pairs of a rank, because a lower rank has precedence now."""
        if starts:
            self._kept[rank] = starts
            if rank not in self:
                heappush(self.ranks, rank)


class IdCache(dict[str, bytes]):
    """Cache from a word to its ids, as the bytes of an array; cleared when it exceeds `MEMORY` bytes.

    An LRU cache would pay for its order of use in each look-up; clearing all at once costs nothing until it happens.

    >>> IdCache(str.encode)["a"]
    b'a'
    """

    def __init__(self, ids: Callable[[str], bytes]) -> None:
        super().__init__()
        self._ids = ids
        self._room = MEMORY

    def __missing__(self, word: str) -> bytes:
        self._room -= 200 + 4 * len(word)  # the key, the ids and the slot in the dict
        if self._room < 0:
            self.clear()
            self._room = MEMORY
        self[word] = ids = self._ids(word)
        return ids


class ByteLevelBPE:
    """Byte-level BPE: pre-tokenize with a pattern, then merge the UTF-8 bytes of each word.

    >>> ranks = {bytes([b]): b for b in range(256)} | {b"hi": 256}
    >>> list(ByteLevelBPE(ranks, pattern=r"[a-z]+| ").encode("hi hi"))
    [(256, 0, 2), (32, 2, 3), (256, 3, 5)]

    The time to search with an untrusted pattern is limited: `encode` and `ids` raise `RegexTimeout` beyond it.
    """

    def __init__(self, ranks: Mapping[bytes, int], *, pattern: str, trusted: bool = True) -> None:
        self.ranks = ranks
        self.pattern = pattern
        self.trusted = trusted
        self._split = finder(pattern, trusted=trusted)
        self._words = IdCache(lambda word: array("I", map(ranks.__getitem__, self.parts(word))).tobytes())

    def ids(self, text: str) -> "array[int]":
        """Return the ids without byte offsets, which is faster.

        >>> ByteLevelBPE({bytes([b]): b for b in range(256)} | {b"hi": 256}, pattern=r"[a-z]+| ").ids("hi hi")
        array('I', [256, 32, 256])
        """
        # The cached ids are bytes: joining them is one copy, while concatenating arrays or lists would box each id.
        return array("I", b"".join(map(self._words.__getitem__, self._split(text))))

    def ids_of_bytes(self, data: bytes) -> list[int]:
        """Return the ids of bytes that need not be UTF-8, as tiktoken does.

        The pattern reads what is valid at the beginning. What follows is merged with its last word, and if that is
        white space, with all white space before it.

        >>> ByteLevelBPE({bytes([b]): b for b in range(256)} | {b"\\xc3a": 256}, pattern=".").ids_of_bytes(b"b\\xc3a")
        [98, 256]
        """
        try:
            return [*self.ids(data.decode())]
        except UnicodeDecodeError as error:
            valid = data[: error.start].decode()
        words = [self.parts(word) for _, word in split(self.pattern, valid, trusted=self.trusted)]
        last = words.pop() if words else []
        parts = [part for word in words for part in word]
        while last and parts and not last[0].strip(b" \n\t") and not parts[-1].strip(b" \n\t"):
            last.insert(0, parts.pop())
        rest = b"".join(last) + data[len(valid.encode()) :]
        parts += [rest] if rest in self.ranks else merge(rest, self.ranks)
        return [self.ranks[part] for part in parts]

    def encode(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield (id, byte start, byte end) for each token; bytes that the pattern does not match are in no span."""
        chars = start = 0
        for position, word in split(self.pattern, text, trusted=self.trusted):
            start += len(text[chars:position].encode())
            for part in self.parts(word):
                yield self.ranks[part], start, start + len(part)
                start += len(part)
            chars = position + len(word)

    def parts(self, word: str) -> list[bytes]:
        """Return the tokens of a word. A word that is in the vocabulary is not merged, as in tiktoken."""
        data = word.encode()
        if data in self.ranks:
            return [data]
        return merge(data, self.ranks) if len(data) < LONG else self._merge_divided(data)

    def _merge_divided(self, word: bytes) -> list[bytes]:
        """Merge the pieces of a long word, each once; a million bytes of emoji often consist of the same few."""
        pieces = self._divide(word)
        merged = {piece: merge(piece, self.ranks) for piece in {*pieces}}
        return [*chain.from_iterable(map(merged.__getitem__, pieces))]

    def _divide(self, word: bytes) -> list[bytes]:
        """Divide a long word between bytes that are adjacent in no token: no merge can cross there."""
        borders = np.flatnonzero(~self._neighbours[_pairs(word)]) + 1
        return [word[start:end] for start, end in pairwise([0, *borders.tolist(), len(word)])]

    @cached_property
    def _neighbours(self) -> NDArray[np.bool_]:
        """By pair of bytes as one number, whether they are adjacent in some token."""
        tokens = [*filter(None, self.ranks)]
        inside = np.ones(sum(map(len, tokens)), bool)
        inside[np.cumsum([*map(len, tokens)]) - 1] = False  # the last byte of a token and the first of the next
        neighbours = np.zeros(2**16, bool)
        neighbours[_pairs(b"".join(tokens))[inside[:-1]]] = True
        return neighbours


def _pairs(word: bytes) -> NDArray[np.uint16]:
    """Return the pairs of adjacent bytes as numbers.

    >>> _pairs(b"\\0\\1\\2").tolist()
    [1, 258]
    """
    chars = np.frombuffer(word, np.uint8).astype(np.uint16)
    pairs: NDArray[np.uint16] = chars[:-1] << np.uint16(8) | chars[1:]
    return pairs
