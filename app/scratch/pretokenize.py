"""Pre-tokenization: cut a text into words before any merge is tried."""

from collections.abc import Iterator
from functools import lru_cache

import regex

from app.scratch.ascii import ascii_pattern
from app.scratch.unicode import as_of_16


@lru_cache(maxsize=32)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """A pattern in the dialect of tiktoken's files: Unicode classes, possessive quantifiers, `.` for any character."""
    return regex.compile(pattern, regex.V0 | regex.DOTALL)


def words(pattern: str, text: str) -> list[str]:
    r"""The words of a text without their places, as fast as can be.

    >>> words(r"\w+|.", "I'll")
    ['I', "'", 'll']
    """
    automaton = (ascii_pattern(pattern) if text.isascii() else None) or compiled(pattern)
    if automaton.groups or as_of_16(text) is not text:
        return [word for _, word in split(pattern, text)]
    return [word for word in automaton.findall(text) if word]


def split(pattern: str, text: str) -> Iterator[tuple[int, str]]:
    r"""The words of a text with the code point each begins at. What the pattern does not match is left out.

    >>> list(split(r"\w+|.", "I'll"))
    [(0, 'I'), (1, "'"), (2, 'll')]
    """
    for match in compiled(pattern).finditer(as_of_16(text)):
        start, end = match.span()
        if start < end:
            yield start, text[start:end]
