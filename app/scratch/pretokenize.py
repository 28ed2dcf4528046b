"""Pre-tokenization: cut a text into words before any merge is tried."""

from collections.abc import Iterator
from functools import lru_cache

import regex

from app.scratch.unicode import as_of_16


@lru_cache(maxsize=32)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """A pattern in the dialect of tiktoken's files: Unicode classes, possessive quantifiers, `.` for any character."""
    return regex.compile(pattern, regex.V0 | regex.DOTALL)


def split(pattern: str, text: str) -> Iterator[tuple[int, str]]:
    r"""The words of a text with the code point each begins at. What the pattern does not match is left out.

    >>> list(split(r"\w+|.", "I'll"))
    [(0, 'I'), (1, "'"), (2, 'll')]
    """
    for match in compiled(pattern).finditer(as_of_16(text)):
        start, end = match.span()
        if start < end:
            yield start, text[start:end]
