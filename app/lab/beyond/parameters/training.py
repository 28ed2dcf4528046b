"""Train a layer on a toy task, grow it, and train on, beside a layer that had its final size from the start.

The task is a surface over two coordinates. Input is a point and a 1, since the layer sees only the direction of its
input. The gradients are written out here; the optimizer is Adam (Kingma and Ba 2015). Everything is drawn from a seed,
and a run has at most `MAX_STEPS` steps of a few microseconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
POINTS = 256
HELD_OUT = 256
MAX_STEPS = 1_000
EVERY = 10
"""Steps between two points of a curve."""
RATE = 0.02
ROOT = sqrt(2)
PHI = 1 / sqrt(2 * pi)


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
        from scipy.special import erf  # type: ignore[import-untyped]

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
