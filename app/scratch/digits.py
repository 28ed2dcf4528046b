"""Digits in groups: a tokenizer cuts a number every few digits, and from which end it counts decides what they mean.

From the left, 12345 is 123 and 45: the first token stands for hundreds here and for units in 123. From the right it is
12 and 345, and the tokens of a column of a sum stand for the same places (Singh and Strouse 2024).
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple


class Grouped(NamedTuple):
    """A number, and the tokens it is cut into."""

    number: str
    tokens: list[str]


def group_digits(numbers: Sequence[str], size: int = 3, *, from_right: bool) -> Iterator[Grouped]:
    """Yield each number in groups of digits; commas and points are tokens of their own.

    >>> [step.tokens for step in group_digits(["12345", "9.11"], from_right=False)]
    [['123', '45'], ['9', '.', '11']]
    >>> [step.tokens for step in group_digits(["12345", "12,345"], from_right=True)]
    [['12', '345'], ['12', ',', '345']]
    """
    for number in numbers:
        tokens = list[str]()
        for run in re.findall(r"[0-9]+|[^0-9]", number):
            first = len(run) % size or size if from_right else size  # only the first group may be shorter, or the last
            tokens += [run[:first], *(run[at : at + size] for at in range(first, len(run), size))]
        yield Grouped(number, tokens)


def places(tokens: Sequence[str]) -> list[int]:
    """Return the place value at which each token ends, as a power of ten: 0 for units, 3 for thousands.

    >>> places(["12", "345"]), places(["123", "45"]), places(["9", ".", "11"])
    ([3, 0], [2, 0], [0, 0, -2])
    """
    whole = "".join(tokens).partition(".")[0]
    place, ends = sum(map(str.isdecimal, whole)), list[int]()
    for token in tokens:
        place -= sum(map(str.isdecimal, token))
        ends.append(place)
    return ends


def are_aligned(numbers: Sequence[Sequence[str]]) -> bool:
    """Return whether tokens in the same column stand for the same places, as far as two numbers both reach.

    >>> are_aligned([["123", "45"], ["678"]]), are_aligned([["12", "345"], ["678"]])
    (False, True)
    >>> are_aligned([["9", ".", "11"], ["9", ".", "9"]])
    False
    """
    for one, other in combinations([["", *tokens] for tokens in numbers], 2):
        ends, other_ends = places(one), places(other)
        both = range(max(ends[-1], other_ends[-1]), min(ends[0], other_ends[0]))
        if any((place in ends) != (place in other_ends) for place in both):
            return False
    return True
