"""Byte pair encoding over bytes: join the pair of lowest rank until no pair has one.

Sennrich et al. 2016 brought the merges, GPT-2 (Radford et al. 2019) the bytes.
"""

from collections.abc import Iterator, Mapping
from heapq import heapify, heappop, heappush
from itertools import chain
from typing import AnyStr

from app.scratch.pretokenize import split, words

Merge = tuple[float, int, int, int]
"""The rank of a merge, and where in the word the joined pair begins, parts and ends."""


def merge(word: AnyStr, ranks: Mapping[AnyStr, float], done: list[Merge] | None = None) -> list[AnyStr]:
    """Cut one word, of bytes or of characters, by merging, lowest rank first and leftmost among equals.

    A heap holds the candidate pairs, so a word of n bytes costs O(n log n), also when it is a
    million spaces. Each merge is written down in `done`, if that is given.

    >>> merge(b"lower", {b"l": 0, b"o": 1, b"w": 2, b"e": 3, b"r": 4, b"er": 5, b"lo": 6, b"low": 7})
    [b'low', b'er']
    >>> merge("low", {"lo": 1, "low": 2}, done := []), done
    (['low'], [(1, 0, 1, 2), (2, 0, 2, 3)])
    """
    size = len(word)
    end_of = list(range(1, size + 1))  # end_of[start of a part] = its end, 0 once it is merged away
    start_of = list(range(-1, size))  # start_of[end of a part] = its start
    pairs = [(ranks[word[i : i + 2]], i, i + 2) for i in range(size - 1) if word[i : i + 2] in ranks]
    heapify(pairs)
    while pairs:
        rank, start, end = heappop(pairs)
        middle = end_of[start]
        if not middle or middle >= end or end_of[middle] != end:
            continue  # one of its parts has been merged away
        if done is not None:
            done.append((rank, start, middle, end))
        end_of[start], end_of[middle], start_of[end] = end, 0, start
        left = start_of[start] if start else -1
        for a, b in ((left, end), (start, end_of[end] if end < size else -1)):
            if a >= 0 and b > 0 and (joined := ranks.get(word[a:b])) is not None:
                heappush(pairs, (joined, a, b))
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
        self._known = Known(self)

    def ids(self, text: str) -> list[int]:
        """The ids alone, of all words at once: the way to take a megabyte.

        >>> ByteLevelBPE({bytes([b]): b for b in range(256)} | {b"hi": 256}, pattern=r"[a-z]+| ").ids("hi hi")
        [256, 32, 256]
        """
        return list(chain.from_iterable(map(self._known.__getitem__, words(self.pattern, text))))

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
        return [data] if data in self.ranks else merge(data, self.ranks)


class Known(dict[str, tuple[int, ...]]):
    """The ids of words seen before, forgotten all at once when they are too many."""

    def __init__(self, bpe: ByteLevelBPE) -> None:
        super().__init__()
        self._bpe = bpe
        self._room = MEMORY

    def __missing__(self, word: str) -> tuple[int, ...]:
        ids = tuple(self._bpe.ranks[part] for part in self._bpe.parts(word))
        self._room -= 200 + 4 * len(word)
        if self._room < 0:
            self.clear()
            self._room = MEMORY
        self[word] = ids
        return ids


MEMORY = 20_000_000
"""Bytes, about, that a tokenizer may spend on words it has seen."""
