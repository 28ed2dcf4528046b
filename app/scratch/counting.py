"""Counting: the words of a large corpus, each once with how often it comes, a megabyte at a time.

A text is a document: no word goes over its end, as in `tokenizers` where it is given the same list of texts.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from typing import Literal, NamedTuple

import regex

from app.errors import Invalid
from app.scratch.pretokenize import compiled, finder, matches
from app.scratch.unicode import as_of_16

Digits = Literal["pattern", "single", "three"]
"""What becomes of numbers: what the pattern says · each digit is a word · up to three digits are one."""
NUMBERS = regex.compile(r"\\\\|\[(?:\\.|[^\\\]])*\]|(?: \?)?(\\p\{Nd?\}|\\d)(?:(?:[+*]|\{\d+(?:,\d*)?\})[+?]?)?")
BATCH = 1_000_000
"""Characters that are counted before there is something to tell."""
Words = Callable[[str], Iterable[str]]


class Counted(NamedTuple):
    """How many characters have been read, and the words in them, which grow as more are."""

    characters: int
    words: Counter[str]


def counted(
    texts: Iterable[str],
    *,
    pattern: str,
    special_tokens: Collection[str] = (),
    normalize: Callable[[str], str] | None = None,
    trusted: bool = False,
) -> Counter[str]:
    r"""The words of texts and how often each comes, in the order in which they are first met.

    >>> counted(["to be or", "not to be<s>"], pattern=r" ?\w+|<s>", special_tokens=["<s>"])
    Counter({' be': 2, 'to': 1, ' or': 1, 'not': 1, ' to': 1})

    Raises what `counting` raises.
    """
    *_, last = counting(texts, pattern=pattern, special_tokens=special_tokens, normalize=normalize, trusted=trusted)
    return last.words


def counting(
    texts: Iterable[str],
    *,
    pattern: str,
    special_tokens: Collection[str] = (),
    normalize: Callable[[str], str] | None = None,
    trusted: bool = False,
) -> Iterator[Counted]:
    """Count words, and tell how far it is after about every megabyte.

    Special tokens are cut out of each text first, the longest where several begin; what lies between is normalized,
    and cut by the pattern, or is a word where that is empty. A pattern that is not `trusted` is given little time.

    >>> [told.characters for told in counting(["ab", "c"], pattern="")]
    [3]

    Raises `Invalid` for a pattern that is no regular expression, and `RegexTimeout` for one that takes for ever.
    """
    find = _finder(pattern, trusted=trusted)
    longest_first = sorted({*special_tokens} - {""}, key=len, reverse=True)
    special = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
    read, words = 0, Counter[str]()
    for size, batch in _batches(texts):
        parts: Iterable[str] = chain.from_iterable(map(special.split, batch)) if special else batch
        words.update(chain.from_iterable(map(find, map(normalize, parts) if normalize else parts)))
        read += size
        yield Counted(read, words)


def with_digits(pattern: str, digits: Digits) -> str:
    r"""A pattern with its runs of numbers made shorter, and without a space in front of them.

    >>> print(with_digits(r" ?\p{L}+| ?\p{N}+|[^\s\p{N}]+", "three"))
     ?\p{L}+|\p{N}{1,3}|[^\s\p{N}]+
    >>> print(with_digits(r"\S+", "single"))
    \p{N}|[^\s\p{N}]+

    Raises `Invalid` for a pattern that tells no numbers apart.
    """
    if digits == "pattern":
        return pattern
    short = "" if digits == "single" else "{1,3}"
    if pattern == r"\S+":
        return rf"\p{{N}}{short}|[^\s\p{{N}}]+"
    if not any(run[1] for run in NUMBERS.finditer(pattern)):
        raise Invalid(r"The pattern has no \p{N} or \d in it to make shorter.", pointer="/digits")
    return NUMBERS.sub(lambda run: run[1] + short if run[1] else run[0], pattern)


def _finder(pattern: str, *, trusted: bool) -> Words:
    """What finds the words of a text."""
    if not pattern:
        return lambda text: [text] * bool(text)
    try:
        every = compiled(pattern)
    except regex.error as error:
        raise Invalid(f"The pattern is no regular expression: {error}.", pointer="/pattern") from None
    if trusted:
        return finder(pattern)
    return lambda text: [text[slice(*found.span())] for found in matches(every, as_of_16(text)) if found[0]]


def _batches(texts: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Texts in lists of about a megabyte, each with its length; the last may be empty."""
    batch, size = list[str](), 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= BATCH:
            yield size, batch
            batch, size = [], 0
    yield size, batch
