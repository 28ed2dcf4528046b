"""A layer whose parameters are tokens, what growing does to its output, and its training on a toy (Wang et al. 2024).

TokenFormer scales the scores to the length √n before GeLU, where n is the number of pairs. Zero keys leave the output
as it was if the factor stays √n of the old size; if n grows with the layer, the scores of the old pairs get longer, and
the output moves. Softmax moves it in any case, since a score of 0 takes a share.

A layer is trained, grown and trained on, beside one that had its final size from the start.

The task is a surface over two coordinates. Input is a point and a 1, since the layer sees only the direction of its
input. The gradients are written out here; the optimizer is Adam (Kingma and Ba 2015). Everything is drawn from a seed,
and a run has at most `MAX_STEPS` steps of a few microseconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import pi, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict

from ...option_schema import Options, declare

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
Array = NDArray[np.float64]
POINTS = 256
HELD_OUT = 256
MAX_STEPS = 1_000
EVERY = 10
"""Steps between two points of a curve."""
RATE = 0.02
ROOT = sqrt(2)
PHI = 1 / sqrt(2 * pi)


class GrowthOptions(Options):
    """A layer drawn from a seed, and by how many pairs it grows."""

    model_config = ConfigDict(json_schema_extra={"example": {"seed": 1, "pairs": 8, "more": 8}})

    seed: int = declare("Seed of all random numbers", 1, ge=0, le=999_999, help="The same seed gives the same layer.")
    pairs: int = declare("Pairs of key and value", 8, ge=2, le=MAX_PAIRS, help="At the start.")
    more: int = declare("Pairs to add, with zero keys", 8, ge=1, le=GROWTHS[-1])
    steps: int = declare("Steps of training, before and after", 0, ge=0, le=MAX_STEPS, help="0: none.")


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


def surface(points: Array) -> Array:
    """Return the heights that are to be learned, of shape (points, 1).

    >>> surface(np.array([[0.25, 0.0]])).tolist()
    [[1.0]]
    """
    heights: Array = np.sin(2 * pi * points[:, :1]) * np.cos(pi * points[:, 1:])
    return heights


@dataclass
class Learner:
    """Keys of shape (pairs, 3), values of shape (pairs, 1), the fixed scale, and the state of the optimizer."""

    keys: Array
    values: Array
    scale: float
    step: int = 0

    def __post_init__(self) -> None:
        self.moments = [(np.zeros_like(one), np.zeros_like(one)) for one in (self.keys, self.values)]

    @classmethod
    def fresh(cls, random: np.random.Generator, pairs: int) -> "Learner":
        """Return an untrained layer."""
        return cls(random.normal(size=(pairs, 3)), random.normal(size=(pairs, 1)) / sqrt(pairs), sqrt(pairs))

    def grow(self, values: Array, *, rescaled: bool) -> "Learner":
        """Return a copy with pairs whose keys are zero; its scale stays that of the old size unless `rescaled`."""
        pairs = len(values)
        one = Learner(
            np.concatenate([self.keys, np.zeros((pairs, 3))]),
            np.concatenate([self.values, values]),
            sqrt(len(self.keys) + pairs) if rescaled else self.scale,
            self.step,
        )
        one.moments = [
            (np.concatenate([mean, new]), np.concatenate([square, new]))
            for (mean, square), new in zip(self.moments, (np.zeros((pairs, 3)), np.zeros((pairs, 1))), strict=True)
        ]
        return one

    def output(self, inputs: Array) -> Array:
        """Return the outputs for inputs of shape (points, 3)."""
        from scipy.special import erf

        scores = inputs @ self.keys.T
        scaled = scores * (self.scale / _lengths(scores))
        weights: Array = scaled / 2 * (1 + erf(scaled / ROOT))
        return weights @ self.values

    def learn(self, inputs: Array, targets: Array) -> None:
        """Take one step down the gradient of the mean squared error."""
        from scipy.special import erf

        scores = inputs @ self.keys.T
        lengths = _lengths(scores)
        scaled = scores * (self.scale / lengths)
        below = (1 + erf(scaled / ROOT)) / 2
        weights = scaled * below
        error = 2 * (weights @ self.values - targets) / len(inputs)
        by_scaled = error @ self.values.T * (below + scaled * PHI * np.exp(-(scaled**2) / 2))
        along = (by_scaled * scores).sum(1, keepdims=True) / lengths**2
        by_scores = self.scale / lengths * (by_scaled - along * scores)
        self._descend([by_scores.T @ inputs, weights.T @ error])

    def _descend(self, gradients: list[Array]) -> None:
        self.step += 1
        updated = []
        for one, gradient, (mean, square) in zip((self.keys, self.values), gradients, self.moments, strict=True):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            corrected = sqrt(1 - 0.999**self.step) / (1 - 0.9**self.step)
            updated.append(one - RATE * corrected * mean / (np.sqrt(square) + 1e-8))
        self.keys, self.values = updated


def _lengths(scores: Array) -> Array:
    lengths: Array = np.sqrt((scores**2).sum(1, keepdims=True)) + 1e-12
    return lengths


@dataclass(frozen=True, slots=True)
class ErrorCurve:
    """The mean squared error on points that were not trained on, as (step, error)."""

    name: str
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Race:
    """The curves of three layers, and the error of the first two just before and after they grew.

    `kept` keeps its scale when it grows, `rescaled` takes the scale of its new size, and `fresh` starts with the final
    size when they grow. All three are trained equally long from then on.
    """

    kept: ErrorCurve
    rescaled: ErrorCurve
    fresh: ErrorCurve
    grown_at: int
    before: float
    after: float
    after_rescaled: float

    @property
    def curves(self) -> tuple[ErrorCurve, ErrorCurve, ErrorCurve]:
        """All three curves."""
        return self.kept, self.rescaled, self.fresh

    @property
    def winner(self) -> ErrorCurve:
        """The curve that ends lowest."""
        return min(self.curves, key=lambda one: one.points[-1][1])


@lru_cache(maxsize=32)
def race(seed: int, pairs: int, more: int, steps: int) -> Race:
    """Return the curves of a layer that grows after a number of steps, in two ways, and of one that starts then."""
    random = np.random.default_rng(seed)
    points = random.uniform(-1, 1, size=(POINTS + HELD_OUT, 2))
    inputs = np.concatenate([points, np.ones((len(points), 1))], axis=1)
    data = inputs[:POINTS], surface(points[:POINTS]), inputs[POINTS:], surface(points[POINTS:])
    steps = min(steps, MAX_STEPS)
    small = Learner.fresh(random, pairs)
    first = (*_train(small, data, steps),)
    values = random.normal(size=(more, 1)) / sqrt(pairs + more)
    large = [
        small.grow(values, rescaled=False),
        small.grow(values, rescaled=True),
        Learner.fresh(random, pairs + more),
    ]
    kept, rescaled, fresh = (tuple((steps + at, error) for at, error in _train(one, data, steps)) for one in large)
    return Race(
        ErrorCurve("grown, scale kept", (*first, *kept)),
        ErrorCurve("grown, rescaled", (first[-1], *rescaled)),
        ErrorCurve("fresh", fresh),
        steps,
        *(curve[at][1] for curve, at in ((first, -1), (kept, 0), (rescaled, 0))),
    )


Data = tuple[Array, Array, Array, Array]


def _train(learner: Learner, data: Data, steps: int) -> Iterator[tuple[int, float]]:
    """Train a layer, and yield its error on held-out points every few steps."""
    for step in range(steps + 1):
        if step % EVERY == 0:
            yield step, float(((learner.output(data[2]) - data[3]) ** 2).mean())
        if step < steps:
            learner.learn(data[0], data[1])
