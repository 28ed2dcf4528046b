"""Rows that mean something: tokens that occur in the same places get similar vectors, whatever their letters.

The counts of tokens by places are weighed by how much more often they are than chance (positive pointwise mutual
information), and a singular value decomposition keeps the directions in which they differ most. Skip-gram, which learns
its rows step by step, does nearly the same (Levy and Goldberg 2014).
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


class VectorStage(NamedTuple):
    """A matrix with a row for each token: the counts that chance would give, the PPMI, or the vectors."""

    name: Literal["expected", "ppmi", "vectors"]
    numbers: Numbers


def iter_vector_stages(counts: Numbers, *, width: int) -> Iterator[VectorStage]:
    """Yield how counts of tokens by places become vectors of `width` numbers.

    >>> stages = iter_vector_stages(np.array([[2.0, 0], [1, 0], [0, 3]]), width=1)
    >>> [stage.numbers.round(2).tolist() for stage in stages][:2]
    [[[1.0, 1.0], [0.5, 0.5], [1.5, 1.5]], [[0.69, 0.0], [0.69, 0.0], [0.0, 0.69]]]
    """
    expected = counts.sum(1, keepdims=True) * counts.sum(0) / counts.sum()
    yield VectorStage("expected", expected)
    ppmi = np.log(np.maximum(counts / expected, 1))  # what is rarer than by chance counts as chance
    yield VectorStage("ppmi", ppmi)
    left, sizes, _ = np.linalg.svd(ppmi, full_matrices=False)
    yield VectorStage("vectors", left[:, :width] * sizes[:width])


def cosines(vectors: Numbers, row: int) -> Numbers:
    """Return how similar the direction of each vector is to that of one of them: 1 is the same, 0 unrelated.

    >>> cosines(np.array([[1.0, 0], [3, 0], [0, 2]]), 0).tolist()
    [1.0, 1.0, 0.0]
    """
    lengths = np.linalg.norm(vectors, axis=1)
    similar: Numbers = vectors @ vectors[row] / np.maximum(lengths * lengths[row], 1e-12)
    return similar
