"""Search for many literal texts at once: one pattern in which texts that begin alike share their beginning.

A tokenizer may have thousands of added tokens. An alternation of all of them is tried one by one at each position; as a
trie, a position where none begins is left after one look at its character.
"""

import re
from collections.abc import Iterable
from itertools import groupby

MAX_DEPTH = 60
"""The maximum nesting of groups; deeper tries, of texts such as 1 to 100 line ends, become an alternation."""


def longest_of(texts: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that matches the longest of some texts at each position.

    >>> longest_of(["<a>", "<ab>", "<a>b"]).findall("x<a>b<ab><a>")
    ['<a>b', '<ab>', '<a>']
    """
    words = sorted({*texts} - {""})
    if not words:
        return re.compile(r"(?!)")
    trie = _trie(words, 0)
    if trie is None:
        trie = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(trie)


def _common(first: str, last: str) -> str:
    """Return what two texts have in common at the beginning: of sorted texts, the first and the last decide."""
    size = next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return first[: min(size, len(last))]


def _trie(words: list[str], depth: int) -> str | None:
    """Return the pattern of sorted texts; an empty one among them makes the others optional. None if it is too deep."""
    if depth > MAX_DEPTH:
        return None
    ends = not words[0]
    branches = []
    for _, group in groupby(words[1:] if ends else words, lambda word: word[0]):
        members = [*group]
        prefix = _common(members[0], members[-1])
        rest = _trie([word[len(prefix) :] for word in members], depth + 1) if len(members) > 1 else ""
        if rest is None:
            return None
        branches.append(re.escape(prefix) + rest)
    if not branches:
        return ""
    if len(branches) == 1 and not ends:
        return branches[0]
    return f"(?:{'|'.join(branches)})" + "?" * ends
