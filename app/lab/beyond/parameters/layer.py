"""A layer whose parameters are tokens, and what growing by pairs with zero keys does to its output (Wang et al. 2024).

TokenFormer scales the scores to the length √n before GeLU, where n is the number of pairs. Zero keys leave the output
as it was if the factor stays √n of the old size; if n grows with the layer, the scores of the old pairs get longer, and
the output moves. Softmax moves it in any case, since a score of 0 takes a share.
"""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Literal

import numpy as np

from .training import Array

WIDTH = 6
INPUTS = 5
MAX_PAIRS = 16
GROWTHS = (0, 1, 2, 4, 8, 16, 32, 64)
"""Numbers of added pairs of the chart."""
Rule = Literal["kept", "rescaled", "softmax"]
RULES: dict[Rule, str] = {
    "kept": "GeLU, factor kept at √n of the old size",
    "rescaled": "GeLU, factor √n of the new size",
    "softmax": "Softmax",
}
"""The ways to weigh, by name."""


def weigh(scores: Array, rule: Rule, pairs: int) -> Array:
    """Return the weights of scores of shape (inputs, pairs); `pairs` is the size of the layer before it grew.

    >>> weigh(np.array([[3.0, -4.0, 0.0]]), "kept", 2).round(3).tolist()
    [[0.68, -0.146, 0.0]]
    """
    from scipy.special import erf  # type: ignore[import-untyped]

    if rule == "softmax":
        powers = np.exp(scores - scores.max(1, keepdims=True))
        shares: Array = powers / powers.sum(1, keepdims=True)
        return shares
    length = np.sqrt((scores**2).sum(1, keepdims=True))
    factor = sqrt(pairs if rule == "kept" else scores.shape[1])
    scaled = scores * factor / np.where(length == 0, 1, length)
    weights: Array = scaled / 2 * (1 + erf(scaled / sqrt(2)))
    return weights


@dataclass(frozen=True)
class Growth:
    """A layer drawn from a seed, some inputs, and the same layer with more pairs, whose keys are zero."""

    seed: int
    pairs: int
    more: int

    @cached_property
    def inputs(self) -> Array:
        """The inputs, of shape (inputs, width)."""
        return np.random.default_rng([self.seed, 1]).normal(size=(INPUTS, WIDTH))

    @cached_property
    def keys(self) -> Array:
        """The keys of the old and the new pairs, of shape (pairs + more, width)."""
        old = np.random.default_rng([self.seed, 2]).normal(size=(self.pairs, WIDTH))
        return np.concatenate([old, np.zeros((self.more, WIDTH))])

    @cached_property
    def values(self) -> Array:
        """The values; those of new pairs are random, too, since a pair that is all zero has no gradient."""
        old = np.random.default_rng([self.seed, 3]).normal(size=(self.pairs, WIDTH))
        return np.concatenate([old, np.random.default_rng([self.seed, 4]).normal(size=(self.more, WIDTH))])

    def scores(self, *, grown: bool) -> Array:
        """Return the scores of all inputs for all pairs, of shape (inputs, pairs)."""
        return self.inputs @ self.keys[: None if grown else self.pairs].T

    def weights(self, rule: Rule, *, grown: bool) -> Array:
        """Return the weights of all inputs."""
        return weigh(self.scores(grown=grown), rule, self.pairs)

    def output(self, rule: Rule, *, grown: bool) -> Array:
        """Return the outputs of all inputs, of shape (inputs, width)."""
        return self.weights(rule, grown=grown) @ self.values[: None if grown else self.pairs]

    def difference(self, rule: Rule) -> float:
        """Return the largest difference between the outputs before and after the layer has grown."""
        return float(np.abs(self.output(rule, grown=True) - self.output(rule, grown=False)).max())


def grow(seed: int, pairs: int, more: int) -> Growth:
    """Return a layer and what it grows to.

    >>> one = grow(1, 8, 8)
    >>> [one.difference(rule) < 1e-12 for rule in RULES]
    [True, False, False]
    """
    return Growth(seed, pairs, more)
