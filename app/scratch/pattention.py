"""Pattention: the parameters of a layer are tokens, pairs of key and value, to which the input attends.

A linear layer has a matrix of a fixed size. TokenFormer has pairs instead, and a layer grows by some pairs more (Wang
et al. 2024). If the new keys are zero, the old output stays, provided that a score of 0 weighs nothing and changes no
other weight: with softmax it does change them.
"""

from collections.abc import Callable, Iterator, Sequence
from math import erf, exp, sqrt
from typing import NamedTuple

Vector = Sequence[float]
Weigh = Callable[[Vector], list[float]]


class KeyScores(NamedTuple):
    """How much the input agrees with each key."""

    scores: Vector


class ValueWeights(NamedTuple):
    """How much of each value goes into the output."""

    weights: Vector


class AttentionOutput(NamedTuple):
    """The output: the sum of the values, each times its weight."""

    output: Vector


def attend(
    x: Vector, keys: Sequence[Vector], values: Sequence[Vector], weigh: Weigh
) -> Iterator[KeyScores | ValueWeights | AttentionOutput]:
    """Yield the scores, the weights and the output of a layer for an input.

    >>> for step in attend([1, 0], [[1, 0], [0, 1]], [[10], [20]], lambda scores: [*scores]):
    ...     print(*step)
    [1, 0]
    [1, 0]
    [10]
    """
    scores = [sum(a * b for a, b in zip(x, key, strict=True)) for key in keys]
    yield KeyScores(scores)
    weights = weigh(scores)
    yield ValueWeights(weights)
    output = [
        sum(weight * part for weight, part in zip(weights, column, strict=True)) for column in zip(*values, strict=True)
    ]
    yield AttentionOutput(output)


def weigh_by_length(scores: Vector, pairs: int) -> list[float]:
    """Return TokenFormer's weights: GeLU of the scores, scaled to the length √pairs.

    The number of pairs must stay what it was before the layer grew, or all scores are multiplied by √(new ÷ old).

    >>> [round(weight, 3) for weight in weigh_by_length([3, -4], 2)]
    [0.68, -0.146]
    >>> weigh_by_length([3, -4, 0], 2)[:2] == weigh_by_length([3, -4], 2)
    True
    """
    length = sqrt(sum(score * score for score in scores)) or 1
    return [gelu(score * sqrt(pairs) / length) for score in scores]


def softmax(scores: Vector) -> list[float]:
    """Return the weights of usual attention: a score of 0 weighs something, too, which all others lose.

    >>> [round(weight, 3) for weight in softmax([1, 0])], [round(weight, 3) for weight in softmax([1, 0, 0])]
    ([0.731, 0.269], [0.576, 0.212, 0.212])
    """
    powers = [exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def gelu(x: float) -> float:
    """Return x times the share of a normal distribution below x: 0 for 0, and nearly x for a large x.

    >>> gelu(0), round(gelu(1), 4), round(gelu(-1), 4)
    (0.0, 0.8413, -0.1587)
    """
    return x / 2 * (1 + erf(x / sqrt(2)))


def grow(keys: Sequence[Vector], values: Sequence[Vector], new: Sequence[Vector]) -> tuple[list[Vector], list[Vector]]:
    """Return a layer with more pairs: their keys are zero, and their values anything but zero, or they never learn.

    >>> grow([[1, 2]], [[3]], [[4], [5]])
    ([[1, 2], [0, 0], [0, 0]], [[3], [4], [5]])
    """
    return [*keys, *([0] * len(keys[0]) for _ in new)], [*values, *new]


def difference(before: Vector, after: Vector) -> float:
    """Return the largest difference between two outputs."""
    return max(abs(a - b) for a, b in zip(before, after, strict=True))
