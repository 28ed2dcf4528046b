"""Strata of neighbouring windows with two windows drawn from each, which are halved where a sample is too small.

What was drawn stays: in each half lie none, one or both of the windows of its stratum, and the others are drawn anew
(Cochran 1977, Sampling Techniques, sections 5.3, 6.11 and 6.12).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
STOPPING = 1.1
"""How much wider the interval is than that of a sample of fixed size: sampling ends the sooner the luckier it was."""

Measure = Callable[[NDArray[np.int64]], NDArray[np.float64]]
"""Returns what was measured in each of some ascending windows, a row for each."""


@dataclass
class Strata:
    """Strata from `starts` to `ends`, the two windows of each, and the row of values of each window."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    drawn: NDArray[np.int64]
    values: NDArray[np.float64]

    @classmethod
    def draw(cls, windows: int, strata: int, measure: Measure, random: np.random.Generator) -> "Strata":
        """Return strata of all windows, as large as each other."""
        edges = np.arange(strata + 1) * windows // strata
        order = random.permutation(strata)
        starts, ends = edges[order], edges[order + 1]
        drawn = _complete(starts, ends, np.full((strata, 2), -1), random)
        return cls(starts, ends, drawn, _measure_all(measure, drawn))

    def __len__(self) -> int:
        return len(self.starts)

    def halve(self, number: int, measure: Measure, random: np.random.Generator) -> "Strata":
        """Return strata of which the first with at least four windows are halved: in no order, the largest first."""
        chosen = np.flatnonzero(self.ends - self.starts >= 4)[:number]
        rest = np.ones(len(self), bool)
        rest[chosen] = False
        starts = self.starts[chosen]
        ends = self.ends[chosen]
        middles = (starts + ends) // 2
        first = self.drawn[chosen] < middles[:, None]
        starts, ends = np.concatenate([starts, middles]), np.concatenate([middles, ends])
        inside = np.concatenate([first, ~first])
        old = np.tile(self.drawn[chosen], (2, 1))
        drawn = _complete(starts, ends, np.where(inside, old, -1), random)
        values = np.tile(self.values[chosen], (2, 1, 1))
        new = drawn[~inside]
        values[~inside] = _measure_all(measure, new)
        return Strata(
            np.concatenate([self.starts[rest], starts]),
            np.concatenate([self.ends[rest], ends]),
            np.concatenate([self.drawn[rest], drawn]),
            np.concatenate([self.values[rest], values]),
        )

    def total(self, column: int, size: float, *, exact: bool = True) -> tuple[float, float]:
        """Return the estimated sum of a column over all windows, and its margin, where that of column 0 is known.

        Unless the values are `exact` themselves, all windows together still have an error.
        """
        sizes = (self.ends - self.starts).astype(float)
        known = float(sizes @ self.values[:, :, 0].mean(axis=1))
        if not known:
            return 0.0, 0.0
        ratio = float(sizes @ self.values[:, :, column].mean(axis=1) / known)
        residuals = self.values[:, :, column] - ratio * self.values[:, :, 0]
        variances = (residuals[:, 0] - residuals[:, 1]) ** 2 / 2
        error = sqrt(float((sizes * np.maximum(0, sizes - 2 * exact)) @ variances / 2)) * size / known
        z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
        return ratio * size, STOPPING * (z + (z**3 + z) / (4 * len(self))) * error  # Student's t, first term


def _measure_all(measure: Measure, drawn: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the values of windows in any order, each of which is measured once."""
    numbers, places = np.unique(drawn, return_inverse=True)
    values: NDArray[np.float64] = measure(numbers)[places.reshape(drawn.shape)]
    return values


def _complete(
    starts: NDArray[np.int64], ends: NDArray[np.int64], known: NDArray[np.int64], random: np.random.Generator
) -> NDArray[np.int64]:
    """Return two windows of each range, with those that are known; -1 stands for one that is to be drawn.

    Of a range of a single window, both are it.
    """
    drawn = known.copy()
    for column in (0, 1):
        other = drawn[:, 1 - column]
        free = np.maximum(1, ends - starts - (other >= 0))
        found = starts + (random.random(len(starts)) * free).astype(np.int64)
        found += (other >= 0) & (found >= other) & (ends - starts > 1)
        drawn[:, column] = np.where(drawn[:, column] < 0, found, drawn[:, column])
    return drawn
