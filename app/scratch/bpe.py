"""Byte pair encoding over bytes: join the pair of lowest rank until no pair has one.

Sennrich et al. 2016 brought the merges, GPT-2 (Radford et al. 2019) the bytes.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from heapq import heappop, heappush
from itertools import chain, pairwise
from math import inf
from typing import AnyStr

from app.scratch.pretokenize import finder, split
from app.scratch.stretches import stretches
from app.types import Merge


def merge(word: AnyStr, ranks: Mapping[AnyStr, float], done: list[Merge] | None = None) -> list[AnyStr]:
    """Cut one word, of bytes or of characters, by merging, lowest rank first and leftmost among equals.

    Each merge is written down in `done`, if that is given.

    >>> merge(b"lower", {b"l": 0, b"o": 1, b"w": 2, b"e": 3, b"r": 4, b"er": 5, b"lo": 6, b"low": 7})
    [b'low', b'er']
    >>> merge("low", {"lo": 1, "low": 2}, done := []), done
    (['low'], [(1, 0, 1, 2), (2, 0, 2, 3)])
    """
    return (_merge_short if len(word) < SHORT else _merge_long)(word, ranks, done)


def _merge_short(word: AnyStr, ranks: Mapping[AnyStr, float], done: list[Merge] | None) -> list[AnyStr]:
    """The definition: look at all pairs, join the best, look again."""
    edges = list(range(len(word) + 1))
    pairs = [ranks.get(word[i : i + 2], inf) for i in edges[:-2]]  # pairs[i] is parted at edges[i + 1]
    while pairs and (rank := min(pairs)) < inf:
        i = pairs.index(rank)
        if done is not None:
            done.append((rank, edges[i], edges[i + 1], edges[i + 2]))
        del edges[i + 1], pairs[i]
        if i:
            pairs[i - 1] = ranks.get(word[edges[i - 1] : edges[i + 1]], inf)
        if i < len(pairs):
            pairs[i] = ranks.get(word[edges[i] : edges[i + 2]], inf)
    return [word[start:end] for start, end in pairwise(edges)]


def _merge_long(word: AnyStr, ranks: Mapping[AnyStr, float], done: list[Merge] | None) -> list[AnyStr]:
    """The same in n log n, so that a word may be a million spaces: only the pairs beside a merge are looked at."""
    size: int = len(word)
    rank_of = ranks.get
    end_of = [*range(1, size + 1), 0]  # end_of[start of a part] = its end, 0 once it is merged away
    start_of = list(range(-1, size))  # start_of[end of a part] = its start
    pairs = Pairs()
    for start in range(size - 1):
        if (rank := rank_of(word[start : start + 2])) is not None:
            pairs[rank].append(start)
    while pairs.ranks:
        rank, starts = pairs.lowest()
        while starts and not (pairs.ranks and pairs.ranks[0] <= rank):
            start = starts.pop()
            middle = end_of[start]
            end = end_of[middle]
            if not middle or not end or rank_of(word[start:end]) != rank:
                continue  # one of its parts has been merged away
            if done is not None:
                done.append((rank, start, middle, end))
            end_of[start], end_of[middle], start_of[end] = end, 0, start
            for a, b in ((start_of[start], end), (start, end_of[end])):
                if a >= 0 and b and (joined := rank_of(word[a:b])) is not None:
                    pairs[joined].append(a)
        pairs.keep(rank, starts)
    return [word[start:end] for start, end in enumerate(end_of) if end]


class Pairs(dict[float, list[int]]):
    """Where the pairs of each rank begin, and a heap of the ranks.

    >>> pairs = Pairs()
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
        """Take the lowest rank and its starts, the leftmost last."""
        rank = heappop(self.ranks)
        starts = self._kept.pop(rank, [])
        return rank, sorted(starts + self.pop(rank), reverse=True) if rank in self else starts

    def keep(self, rank: float, starts: list[int]) -> None:
        """Put back what is left because a lower rank came up."""
        if starts:
            self._kept[rank] = starts
            if rank not in self:
                heappush(self.ranks, rank)


class ByteLevelBPE:
    """Byte-level BPE: pre-tokenize with a pattern, then merge the UTF-8 bytes of each word.

    >>> ranks = {bytes([b]): b for b in range(256)} | {b"hi": 256}
    >>> list(ByteLevelBPE(ranks, pattern=r"[a-z]+| ").encode("hi hi"))
    [(256, 0, 2), (32, 2, 3), (256, 3, 5)]
    """

    def __init__(self, ranks: Mapping[bytes, int], *, pattern: str) -> None:
        self.ranks = ranks
        self.pattern = pattern
        self._found = finder(pattern)
        self._words = Known(self._of_word)
        self._stretches = Known(self._of_stretch)

    def ids(self, text: str) -> "array[int]":
        """The ids alone, of all words at once: the way to take a megabyte.

        >>> ByteLevelBPE({bytes([b]): b for b in range(256)} | {b"hi": 256}, pattern=r"[a-z]+| ").ids("hi hi")
        array('I', [256, 32, 256])
        """
        first, *others = stretches(self.pattern, text)
        return array("I", b"".join([self._of_text(first), *map(self._stretches.__getitem__, others)]))

    def _of_text(self, text: str) -> bytes:
        return b"".join(map(self._words.__getitem__, self._found(text)))

    def _of_stretch(self, stretch: str) -> bytes:
        return b"".join(map(self._words.__getitem__, self._found(" " + stretch)))

    def _of_word(self, word: str) -> bytes:
        return array("I", map(self.ranks.__getitem__, self.parts(word))).tobytes()

    def encode(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield (id, byte start, byte end) for each token; bytes that the pattern skips are in no span."""
        chars = here = 0
        for at, word in split(self.pattern, text):
            here += len(text[chars:at].encode())
            for part in self.parts(word):
                yield self.ranks[part], here, here + len(part)
                here += len(part)
            chars = at + len(word)

    def parts(self, word: str) -> list[bytes]:
        """The tokens of one word; one that is a token as it stands needs no merging."""
        data = word.encode()
        if data in self.ranks:
            return [data]
        return merge(data, self.ranks) if len(data) < LONG else self._parts_of_long(data)

    def _parts_of_long(self, word: bytes) -> list[bytes]:
        """Bytes that stand together in no token are never joined: between them a long word falls apart."""
        cuts = [i for i, pair in enumerate(pairwise(word), 1) if pair not in self._neighbours]
        known: dict[bytes, list[bytes]] = {}
        parts: list[bytes] = []
        for start, end in pairwise([0, *cuts, len(word)]):
            piece = word[start:end]
            if piece not in known:
                known[piece] = merge(piece, self.ranks)
            parts += known[piece]
        return parts

    @cached_property
    def _neighbours(self) -> frozenset[tuple[int, int]]:
        """The bytes that stand together in some token."""
        return frozenset(chain.from_iterable(map(pairwise, self.ranks)))


class Known(dict[str, bytes]):
    """The ids of what was seen before, as the bytes of an array; forgotten all at once when it is too much."""

    def __init__(self, ids: Callable[[str], bytes]) -> None:
        super().__init__()
        self._ids = ids
        self._room = MEMORY

    def __missing__(self, seen: str) -> bytes:
        self[seen] = ids = self._ids(seen)
        self._room -= 200 + 4 * len(seen)
        if self._room < 0:
            self.clear()
            self._room = MEMORY
        return ids


MEMORY = 20_000_000
"""Bytes, about, that a tokenizer may spend on words it has seen."""

SHORT = 120
"""Words of fewer bytes or characters are merged the plain way."""

LONG = 2_000
"""Words of so many bytes are first cut where no token reaches across."""
