"""The counts that are always in sight."""

from dataclasses import dataclass

import numpy as np
import regex

from app.lab.tokenize import Tokenization

WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’\-][\p{L}\p{M}\p{N}]+)*")


@dataclass(frozen=True, slots=True)
class Counts:
    """How a text was cut. Ratios are None where their divisor is 0."""

    tokens: int
    characters: int
    bytes: int
    words: int
    distinct: int
    bytes_per_token: float | None
    tokens_per_word: float | None


def word_count(text: str) -> int:
    """Runs of letters, marks and digits; an apostrophe or hyphen inside does not end one.

    >>> word_count("I'll say it: naïve, state-of-the-art!")
    5
    """
    return sum(1 for _ in WORD.finditer(text))


def counts(done: Tokenization) -> Counts:
    """Count tokens, code points, UTF-8 bytes, words and distinct ids."""
    tokens, size, words = len(done.encoding), len(done.data), word_count(done.text)
    return Counts(
        tokens=tokens,
        characters=len(done.text),
        bytes=size,
        words=words,
        distinct=int(np.count_nonzero(np.bincount(done.encoding.ids))) if tokens else 0,
        bytes_per_token=size / tokens if tokens else None,
        tokens_per_word=tokens / words if words else None,
    )
