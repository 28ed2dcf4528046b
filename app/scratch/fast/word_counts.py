"""Count the words of a large corpus, about a megabyte at a time, and report the progress.

Each text is a document: no word crosses its end, as in `tokenizers` with the same list of texts. The learners of merges
need each distinct word once with its count, which is far less than the text itself.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from typing import Literal, NamedTuple

import regex

from ...errors import Invalid
from .pretokenize import finder

Digits = Literal["pattern", "single", "three"]
"""How numbers are split: as the pattern does · each digit is a word · up to three digits are a word."""
NUMBERS = regex.compile(r"\\\\|\[(?:\\.|[^\\\]])*\]|(?: \?)?(\\p\{Nd?\}|\\d)(?:(?:[+*]|\{\d+(?:,\d*)?\})[+?]?)?")
BATCH = 1_000_000
"""Characters between two reports of progress."""
Words = Callable[[str], Iterable[str]]


class CountProgress(NamedTuple):
    """The number of characters read so far, and the counts of their words: one counter, which keeps growing."""

    characters: int
    words: Counter[str]


def count_text_words(
    texts: Iterable[str],
    *,
    pattern: str,
    special_tokens: Collection[str] = (),
    normalize: Callable[[str], str] | None = None,
    trusted: bool = False,
) -> Counter[str]:
    r"""Return the words of texts with their counts, in order of first occurrence.

    >>> count_text_words(["to be or", "not to be<s>"], pattern=r" ?\w+|<s>", special_tokens=["<s>"])
    Counter({' be': 2, 'to': 1, ' or': 1, 'not': 1, ' to': 1})

    Raises what `iter_word_counts` raises.
    """
    *_, last = iter_word_counts(
        texts, pattern=pattern, special_tokens=special_tokens, normalize=normalize, trusted=trusted
    )
    return last.words


def iter_word_counts(
    texts: Iterable[str],
    *,
    pattern: str,
    special_tokens: Collection[str] = (),
    normalize: Callable[[str], str] | None = None,
    trusted: bool = False,
) -> Iterator[CountProgress]:
    """Count the words of texts; yield the progress after about every megabyte.

    Special tokens are removed from each text first, the longest if several begin at one position. The parts between
    them are normalized and split by the pattern; with an empty pattern, each part is one word. The time to search with
    a pattern that is not `trusted` is limited.

    >>> [progress.characters for progress in iter_word_counts(["ab", "c"], pattern="")]
    [3]

    Raises `Invalid` if the pattern is not a regular expression, and `RegexTimeout` if it exceeds its time limit.
    """
    find = _finder(pattern, trusted=trusted)
    longest_first = sorted({*special_tokens} - {""}, key=len, reverse=True)
    special = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
    read = 0
    words = Counter[str]()
    for size, batch in _batches(texts):
        # Chained iterators keep this loop in C: Counter.update reads words straight from the regular expression.
        parts: Iterable[str] = chain.from_iterable(map(special.split, batch)) if special else batch
        words.update(chain.from_iterable(map(find, map(normalize, parts) if normalize else parts)))
        read += size
        yield CountProgress(read, words)


def with_digits(pattern: str, digits: Digits) -> str:
    r"""Return the pattern with shorter runs of digits, and without a space before them.

    >>> print(with_digits(r" ?\p{L}+| ?\p{N}+|[^\s\p{N}]+", "three"))
     ?\p{L}+|\p{N}{1,3}|[^\s\p{N}]+
    >>> print(with_digits(r"\S+", "single"))
    \p{N}|[^\s\p{N}]+

    Raises `Invalid` if the pattern contains neither `\p{N}` nor `\d`.
    """
    if digits == "pattern":
        return pattern
    short = "" if digits == "single" else "{1,3}"
    if pattern == r"\S+":
        return rf"\p{{N}}{short}|[^\s\p{{N}}]+"
    if not any(run[1] for run in NUMBERS.finditer(pattern)):
        raise Invalid(r"digits must be pattern: the pattern contains neither \p{N} nor \d.", pointer="/digits")
    return NUMBERS.sub(lambda run: run[1] + short if run[1] else run[0], pattern)


def _finder(pattern: str, *, trusted: bool) -> Words:
    """Return a function that finds the words of a text; without a pattern, a text is one word."""
    return finder(pattern, trusted=trusted) if pattern else lambda text: [text] * bool(text)


def _batches(texts: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield texts in lists of about a megabyte, each with its number of characters; the last may be empty."""
    batch = list[str]()
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= BATCH:
            yield size, batch
            batch = []
            size = 0
    yield size, batch
