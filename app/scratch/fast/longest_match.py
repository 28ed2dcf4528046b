"""Longest match, fast: over bytes, equal to `scratch.longest_match`, and of many literal texts at each position.

Where no token continues behind a character with a space, the text can be cut there: each part is tokenized once.

A tokenizer may have tens of thousands of added tokens, such as one for each code of a speech codec. Their sorted list
is searched where one of them may begin, which needs no time to prepare. An alternation of all of them would be tried
one by one at each position, and a regular expression of their trie takes seconds to compile.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from ...types import LongestMatch

ID = -1
"""The key of a token's id in the node behind its last byte; all other keys are bytes."""
CROSSING = re.compile(rb"[^ \t\n\v\f\r] ")
CUT = re.compile(rb"(?<=[^ \t\n\v\f\r])(?= )")
MAX_BRANCHES = 100
"""The maximum number of branches in the pattern of where a text may begin, which are tried one by one."""
MAX_BEGIN = 20
"""The maximum number of characters of such a branch."""


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
                known = cache[part] = array("I", [id for *_, id in self.attempts(part) if id is not None])
            ids += known
        return ids

    def parts(self, data: bytes) -> list[bytes]:
        """Return the parts of a text that can be tokenized on their own, since no token spans two of them."""
        return CUT.split(data) if self.separable else [data]

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


class Literals:
    """Some texts to search for.

    - `texts`: without the empty one, sorted.
    - `shorter`: for each, the index of the longest other one that it begins with, or -1.
    - `begin`: a pattern that finds where one may begin.

    >>> [*Literals(["<a>", "<ab>", "<a>b"]).spans("x<a>b<ab><a>")]
    [(1, 5), (5, 9), (9, 12)]
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = sorted({*texts} - {""})
        self.shorter: list[int] = []
        for index, text in enumerate(self.texts):
            self.shorter.append(self._find_longest(text, index - 1, 0))
        alike = [[*group] for _, group in groupby(self.texts, lambda text: text[0])]
        self._sizes = {group[0][0]: max(map(len, group)) for group in alike}
        begins = [re.escape(_common(group[0][:MAX_BEGIN], group[-1])) for group in alike]
        pattern = "|".join(begins) if len(begins) <= MAX_BRANCHES else f"[{re.escape(''.join(self._sizes))}]"
        self.begin = re.compile(pattern or "(?!)")

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the texts are in another one, from left to right and without overlaps."""
        if not self.texts:
            return  # to search through a megabyte for nothing takes a tenth of what it takes to tokenize it
        start = 0
        while match := self.begin.search(text, start):
            start = match.start()
            follows = text[start : start + self._sizes[text[start]]]
            # Every text between one that begins what follows and what follows itself begins with that one, too.
            index = self._find_longest(text, bisect_right(self.texts, follows) - 1, start)
            if index < 0:
                start += 1
            else:
                yield start, start + len(self.texts[index])
                start += len(self.texts[index])

    def _find_longest(self, text: str, index: int, start: int) -> int:
        """Return the index of the longest text at a position, among one and those that it begins with, or -1."""
        while index >= 0 and not text.startswith(self.texts[index], start):
            index = self.shorter[index]
        return index


def _common(first: str, last: str) -> str:
    """Return what two texts have in common at the beginning: of sorted texts, the first and the last decide."""
    return first[
        : next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(last))
    ]
