"""Byte pair encoding over bytes: join the pair of lowest rank until no pair has one.

Sennrich et al. 2016 brought the merges, GPT-2 (Radford et al. 2019) the bytes.
"""

from collections.abc import Iterator, Mapping
from heapq import heapify, heappop, heappush
from typing import AnyStr

from app.scratch.pretokenize import split


def merge(word: AnyStr, ranks: Mapping[AnyStr, float]) -> list[AnyStr]:
    """Cut one word, of bytes or of characters, by merging, lowest rank first and leftmost among equals.

    A heap holds the candidate pairs, so a word of n bytes costs O(n log n), also when it is a
    million spaces.

    >>> merge(b"lower", {b"l": 0, b"o": 1, b"w": 2, b"e": 3, b"r": 4, b"er": 5, b"lo": 6, b"low": 7})
    [b'low', b'er']
    """
    size = len(word)
    end_of = list(range(1, size + 1))  # end_of[start of a part] = its end, 0 once it is merged away
    start_of = list(range(-1, size))  # start_of[end of a part] = its start
    pairs = [(ranks[word[i : i + 2]], i, i + 2) for i in range(size - 1) if word[i : i + 2] in ranks]
    heapify(pairs)
    while pairs:
        _, start, end = heappop(pairs)
        middle = end_of[start]
        if not middle or middle >= end or end_of[middle] != end:
            continue  # one of its parts has been merged away
        end_of[start], end_of[middle], start_of[end] = end, 0, start
        left = start_of[start] if start else -1
        for a, b in ((left, end), (start, end_of[end] if end < size else -1)):
            if a >= 0 and b > 0 and (rank := ranks.get(word[a:b])) is not None:
                heappush(pairs, (rank, a, b))
    return [word[start:end] for start, end in enumerate(end_of) if end]


class ByteLevelBPE:
    """Byte-level BPE: pre-tokenize with a pattern, then merge the UTF-8 bytes of each word.

    >>> ranks = {bytes([b]): b for b in range(256)} | {b"hi": 256}
    >>> list(ByteLevelBPE(ranks, pattern=r"[a-z]+| ").encode("hi hi"))
    [(256, 0, 2), (32, 2, 3), (256, 3, 5)]
    """

    def __init__(self, ranks: Mapping[bytes, int], *, pattern: str) -> None:
        self.ranks = ranks
        self.pattern = pattern

    def encode(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield (id, byte start, byte end) for each token; bytes that the pattern skips are in no span."""
        known: dict[str, list[tuple[int, int]]] = {}
        chars = here = 0
        for at, word in split(self.pattern, text):
            here += len(text[chars:at].encode())
            if word not in known:
                known[word] = [(self.ranks[part], len(part)) for part in self._parts(word.encode())]
            for id, size in known[word]:
                yield id, here, here + size
                here += size
            chars = at + len(word)

    def _parts(self, word: bytes) -> list[bytes]:
        """A word that is a token as it stands needs no merging."""
        return [word] if word in self.ranks else merge(word, self.ranks)
