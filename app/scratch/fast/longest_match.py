"""Longest match over bytes, fast: equal to `scratch.longest_match`, with nested dicts for the trie.

Where no token continues behind a character with a space, the text can be cut there: each part is tokenized once.
"""

import re
from array import array
from collections.abc import Mapping
from typing import Any

from ...types import LongestMatch

ID = -1
"""The key of a token's id in the node behind its last byte; all other keys are bytes."""
CROSSING = re.compile(rb"[^ \t\n\v\f\r] ")
CUT = re.compile(rb"(?<=[^ \t\n\v\f\r])(?= )")


class ByteTrie:
    """The tokens of a vocabulary that has all 256 bytes.

    >>> model = ByteTrie({bytes([byte]): byte for byte in range(256)} | {b"cabs": 300, b" ca": 301})
    >>> model.ids(b"cab cabs").tolist()
    [99, 97, 98, 301, 98, 115]
    """

    def __init__(self, vocabulary: Mapping[bytes, int]) -> None:
        self.root: dict[int, Any] = {}
        for token, id in vocabulary.items():
            node = self.root
            for byte in token:
                node = node.setdefault(byte, {})
            node[ID] = id
        self.separable = not any(map(CROSSING.search, vocabulary))

    def ids(self, data: bytes) -> "array[int]":
        """Return the ids of the tokens of a text."""
        cache: dict[bytes, array[int]] = {}
        ids = array("I")
        for part in self.parts(data):
            if (known := cache.get(part)) is None:
                known = cache[part] = self._ids(part)
            ids += known
        return ids

    def parts(self, data: bytes) -> list[bytes]:
        """Return the parts of a text that can be tokenized on their own, since no token spans two of them."""
        return CUT.split(data) if self.separable else [data]

    def _ids(self, data: bytes) -> "array[int]":
        ids = array("I")
        start = 0
        size = len(data)
        while start < size:
            node = self.root
            end = start
            while end < size and (node := node.get(data[end])) is not None:  # type: ignore[assignment]
                end += 1
                if ID in node:
                    id = node[ID]
                    longest = end
            ids.append(id)
            start = longest
        return ids

    def attempts(self, data: bytes) -> list[LongestMatch]:
        """Return the walk of each token: its start, the end of the walk, the end of the last token on it, its id.

        >>> ByteTrie({bytes([byte]): byte for byte in range(256)} | {b"cabs": 300}).attempts(b"cabin")[:2]
        [(0, 3, 1, 99), (1, 2, 2, 97)]
        """
        attempts: list[LongestMatch] = []
        start = 0
        while start < len(data):
            node = self.root
            end = start
            while end < len(data) and data[end] in node:
                node = node[data[end]]
                end = end + 1
                if ID in node:
                    id = node[ID]
                    longest = end
            attempts.append((start, end, longest, id))
            start = longest
        return attempts
