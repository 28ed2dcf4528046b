"""Residual vector quantization: a codebook says roughly what a vector is, the next what the first missed, and so on.

A codebook is a list of vectors. A token is the number of the one that is nearest to what is left. The sum of the chosen
vectors is the reconstruction, better with each codebook (Zeghidour et al. 2021, SoundStream). Here each codebook is
learned by k-means from what the ones before it left over.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


class Codebook(NamedTuple):
    """A codebook, the token of each vector in it, and what is left of the vectors after it."""

    vectors: Array
    tokens: Ints
    left: Array


def learn_codebooks(
    vectors: Array, codebooks: int = 8, size: int = 256, rounds: int = 8, seed: int = 0
) -> Iterator[Codebook]:
    """Learn codebooks one after the other, each from what the ones before it have left over.

    >>> vectors = np.array([[1.0], [1.2], [5.0], [5.4]])
    >>> for book in learn_codebooks(vectors, codebooks=2, size=3):
    ...     print(book.vectors.ravel().round(2), book.tokens, f"{np.square(book.left).mean():.3f}")
    [0.  5.2 1.1] [2 2 1 1] 0.025
    [ 0.  -0.2 -0.1] [2 0 1 0] 0.013
    """
    left, random = vectors, np.random.default_rng(seed)
    for _ in range(codebooks):
        book = k_means(left, size, rounds, random)
        tokens = nearest(left, book)
        left = left - book[tokens]
        yield Codebook(book, tokens, left)


def k_means(vectors: Array, size: int, rounds: int, random: np.random.Generator) -> Array:
    """Return vectors near which others lie: each moves to the mean of those nearest to it, several times.

    The first is always zero, so that a codebook never makes anything worse: it may say “nothing”.
    """
    book = vectors[random.choice(len(vectors), size, replace=len(vectors) < size)]
    book[0] = 0
    for _ in range(rounds):
        tokens = nearest(vectors, book)
        counts, sums = np.bincount(tokens, minlength=size), np.zeros_like(book)
        np.add.at(sums, tokens, vectors)
        used = counts > 0
        used[0] = False
        book[used] = sums[used] / counts[used, None]
    return book


def nearest(vectors: Array, book: Array) -> Ints:
    """Return for each vector the number of the nearest one in the codebook: |v − c|² without |v|², which all share."""
    tokens: Ints = (np.square(book).sum(axis=1) - 2 * vectors @ book.T).argmin(axis=1)
    return tokens


def encode_codebooks(vectors: Array, books: Sequence[Array]) -> Iterator[Codebook]:
    """Yield the tokens of vectors that were not learned from, codebook by codebook."""
    left = vectors
    for book in books:
        tokens = nearest(left, book)
        left = left - book[tokens]
        yield Codebook(book, tokens, left)


def decode(tokens: Sequence[Ints], books: Sequence[Array]) -> Array:
    """Return the vectors that tokens stand for: the sum of what each codebook says."""
    total: Array = np.sum([book[chosen] for book, chosen in zip(books, tokens, strict=True)], axis=0)
    return total
