"""Subword regularization: train on another segmentation of the same word each time, drawn by its probability.

A model that sees a word cut in several ways learns that they mean the same, and is less thrown by a typing error
(Kudo 2018). `alpha` below 1 makes the probabilities of the best segmentations more equal; 0 makes them all the same.
"""

from collections.abc import Iterator, Mapping
from heapq import nlargest
from math import exp
from random import Random
from typing import NamedTuple


class NBest(NamedTuple):
    """The best segmentations, the best first, and the probability with which each is drawn."""

    ways: list[list[str]]
    shares: list[float]


class SampledSegmentation(NamedTuple):
    """The number of the segmentation that was drawn, and the segmentation."""

    place: int
    tokens: list[str]


def n_best(word: str, scores: Mapping[str, float], n: int) -> list[tuple[float, list[str]]]:
    """Return the n best segmentations and the sums of their scores: as Viterbi, but with n ways to each position.

    >>> n_best("ab", {"a": -1.0, "b": -2.0, "ab": -2.5}, 5)
    [(-2.5, ['ab']), (-3.0, ['a', 'b'])]
    """
    ways: list[list[tuple[float, list[str]]]] = [[(0.0, [])]]
    for end in range(1, len(word) + 1):
        through = (
            (total + scores[word[start:end]], [*tokens, word[start:end]])
            for start in range(end)
            if word[start:end] in scores
            for total, tokens in ways[start]
        )
        ways.append(nlargest(n, through, key=lambda way: way[0]))
    return ways[-1]


def draw_samples(
    word: str, scores: Mapping[str, float], *, n: int, alpha: float, random: Random, draws: int
) -> Iterator[NBest | SampledSegmentation]:
    """Yield the n best segmentations with their shares, and then some that are drawn by these.

    >>> steps = [*draw_samples("ab", {"a": -1.0, "b": -2.0, "ab": -2.5}, n=5, alpha=1.0, random=Random(1), draws=3)]
    >>> [round(share, 2) for share in steps[0].shares], [step.tokens for step in steps[1:]]
    ([0.62, 0.38], [['ab'], ['a', 'b'], ['a', 'b']])
    """
    best = n_best(word, scores, n)
    weights = [exp(alpha * (score - best[0][0])) for score, _ in best]  # relative to the best, so that none is 0
    ways = [tokens for _, tokens in best]
    yield NBest(ways, [weight / sum(weights) for weight in weights])
    for _ in range(draws):
        (place,) = random.choices(range(len(ways)), weights)
        yield SampledSegmentation(place, ways[place])
