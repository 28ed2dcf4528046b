"""Rows that training never touches: those of tokens that the text of the model does not have.

A model has two rows for each token: one that it reads, and one by which it predicts the token. Reading a token moves
its row, so a token that never occurs keeps the random row that it began with. The row that predicts it does move, away
from what the model computes: all such rows move alike, and this is how one finds them (Land and Bartolo 2024).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]


class RowMoves(NamedTuple):
    """How often the text was read, and by how much each row has moved: those that are read, those that predict."""

    rounds: int
    read: Rows
    predict: Rows


def iter_moves(
    ids: Sequence[int], size: int, *, width: int = 8, rounds: int = 60, rate: float = 1.0, seed: int = 0
) -> Iterator[RowMoves]:
    """Yield the moves of all rows while a model learns which of `size` tokens follows each token of a text.

    >>> *_, last = iter_moves([0, 1, 0, 1, 0], size=4)
    >>> np.linalg.norm(last.read, axis=1).round(1).tolist()[2:]
    [0.0, 0.0]
    >>> round(alike(last.predict[2:]), 2)
    1.0
    """
    random = np.random.default_rng(seed)
    read, predict = random.normal(0, 0.3, (size, width)), random.normal(0, 0.02, (size, width))
    begun = read.copy(), predict.copy()
    befores, afters = np.array([*pairwise(ids)], dtype=int).reshape(-1, 2).T
    for number in range(1, rounds + 1):
        scores = np.exp(read[befores] @ predict.T)
        errors = scores / scores.sum(1, keepdims=True)
        errors[np.arange(len(afters)), afters] -= 1  # probability of each token, minus 1 for the one that came
        moves_read = errors @ predict
        predict = predict - rate * errors.T @ read[befores] / len(afters)
        np.subtract.at(read, befores, rate * moves_read / len(afters))
        yield RowMoves(number, read - begun[0], predict - begun[1])


def alike(moves: Rows) -> float:
    """Return the mean cosine between different moves: 1 if all have the same direction.

    >>> alike(np.array([[1.0, 0], [2, 0], [0, 1]])).__round__(2)
    0.33
    """
    lengths = np.maximum(np.linalg.norm(moves, axis=1, keepdims=True), 1e-12)
    cosines = (moves / lengths) @ (moves / lengths).T
    count = len(moves)
    return float((cosines.sum() - count) / max(1, count * (count - 1)))
