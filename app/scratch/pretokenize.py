"""Pre-tokenization: cut a text into words before any merge is tried."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import regex

from app.errors import RegexTimeout
from app.scratch.ascii import ascii_pattern
from app.scratch.unicode import as_of_16


@lru_cache(maxsize=32)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """A pattern in the dialect of tiktoken's files: Unicode classes, possessive quantifiers, `.` for any character."""
    return regex.compile(pattern, regex.V0 | regex.DOTALL)


def finder(pattern: str) -> Callable[[str], Iterable[str]]:
    r"""What finds the words of a text without their places, as fast as can be.

    >>> list(finder(r"\w+|.")("I'll"))
    ['I', "'", 'll']
    """
    simple, every = ascii_pattern(pattern), compiled(pattern)
    if simple is None or every.groups:
        return lambda text: [word for _, word in split(pattern, text)]
    in_ascii, in_any = simple.findall, every.findall

    def words(text: str) -> Iterable[str]:
        if text.isascii():
            return filter(None, in_ascii(text))
        return filter(None, in_any(text)) if as_of_16(text) is text else [word for _, word in split(pattern, text)]

    return words


def split(pattern: str, text: str) -> Iterator[tuple[int, str]]:
    r"""The words of a text with the code point each begins at. What the pattern does not match is left out.

    >>> list(split(r"\w+|.", "I'll"))
    [(0, 'I'), (1, "'"), (2, 'll')]
    """
    for match in compiled(pattern).finditer(as_of_16(text)):
        start, end = match.span()
        if start < end:
            yield start, text[start:end]


def matches(pattern: "regex.Pattern[str]", text: str) -> list["regex.Match[str]"]:
    """All matches of a pattern that a file brought. Raises `RegexTimeout` where finding them takes for ever.

    >>> [found.span() for found in matches(regex.compile("a+"), "aaba")]
    [(0, 2), (3, 4)]
    """
    patience = max(PATIENCE, PATIENCE * len(text) / 200_000)
    try:
        return list(pattern.finditer(text, timeout=patience))
    except TimeoutError:
        raise RegexTimeout(f"A pattern of the tokenizer was given up after {patience:.1f} s on this text.") from None


PATIENCE = 0.9
"""Seconds that a pattern may take on a text of up to 200,000 characters; on a longer one, as much longer."""
