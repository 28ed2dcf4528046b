"""Judging a tokenizer: five numbers, each of which a tokenizer that nobody wants can win.

Fertility (Rust et al. 2021), round trip, agreement with the edges of words, utilisation, and Rényi efficiency (Zouhar
et al. 2023) say what to look at. None of them says how good a model will be.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import log
from typing import NamedTuple

import regex  # unlike `re`, it knows \p{L}, the letters of all scripts

WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’\-][\p{L}\p{M}\p{N}]+)*")
SPACE = b" \t\n\v\f\r"


class Measurement(NamedTuple):
    """A number, and what it is called."""

    name: str
    value: float | None


def iter_measures(
    text: str, ids: Sequence[int], spans: Sequence[tuple[int, int]], restored: bytes, vocabulary: int
) -> Iterator[Measurement]:
    """Yield five measures of the tokens of a text: their ids, their spans in bytes, and the bytes they decode to.

    >>> for name, value in iter_measures("the cats", [5, 6, 7], [(0, 3), (3, 6), (6, 8)], b"the cats", 100):
    ...     print(name, value)
    fertility 1.5
    round trip 1.0
    word edges 0.5
    utilisation 0.03
    Rényi 1.0
    """
    yield Measurement("fertility", fertility(text, len(ids)))
    yield Measurement("round trip", float(restored == text.encode()))
    yield Measurement("word edges", word_edges(text, spans))
    yield Measurement("utilisation", len({*ids}) / vocabulary)
    yield Measurement("Rényi", renyi(Counter(ids).values()))


def fertility(text: str, tokens: int) -> float | None:
    """Return tokens per word, None for a text without words."""
    words = len(WORD.findall(text))
    return tokens / words if words else None


def word_edges(text: str, spans: Iterable[tuple[int, int]]) -> float:
    """Return how many edges of tokens and words are edges of both, as a share of all; white space has one edge."""
    data = text.encode()
    words = [[len(text[:place].encode()) for place in match.span()] for match in WORD.finditer(text)]
    of_words, of_tokens = (
        {len(data[:place].rstrip(SPACE)) for pair in pairs for place in pair if 0 < place < len(data)} - {0}
        for pairs in (words, spans)
    )
    both, either = of_words & of_tokens, of_words | of_tokens
    return len(both) / len(either) if either else 1.0


def renyi(counts: Iterable[int], alpha: float = 2.5) -> float | None:
    """Return the Rényi efficiency: 1 if all tokens are equally frequent; None for fewer than two kinds of tokens.

    >>> round(renyi([3, 1]), 5), renyi([2, 2])
    (0.63193, 1.0)
    """
    counts = [*counts]
    if len(counts) < 2:
        return None
    powers = sum((count / sum(counts)) ** alpha for count in counts)
    return log(powers) / (1 - alpha) / log(len(counts))
