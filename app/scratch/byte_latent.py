"""How bytes reach a model of patches and come back: the local parts of BLT (Pagnoni et al. 2024, section 3).

A small encoder makes one vector of the bytes of each patch, a large transformer works on these vectors alone, and a
small decoder writes bytes again. Here all matrices are random: they show what reaches what, not what is learned.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SIZES = range(3, 9)
ROWS = 500_000
PRIME = 5_915_587_277


class HashedGram(NamedTuple):
    """Some bytes that end with the byte in question, and the row of the table for n-grams of their length."""

    gram: bytes
    row: int


class PooledPatch(NamedTuple):
    """A patch, its attention to each byte of the text, which is zero outside the patch, and its vector."""

    patch: int
    weights: Array
    vector: Array


class WrittenByte(NamedTuple):
    """A byte, the byte before it, which asks, and the patch that answers; −1 is the start token and its patch."""

    at: int
    asks: int
    sees: int


def iter_hashed_grams(text: bytes, at: int, rows: int = ROWS) -> Iterator[HashedGram]:
    """Yield the n-grams of 3 to 8 bytes that end with a byte, and the row of each. Two n-grams can share a row.

    >>> [(one.gram, one.row) for one in iter_hashed_grams(b"the the", 6)][:2]
    [(b'the', 445473), (b' the', 179329)]
    """
    for size in SIZES:
        gram = text[max(0, at + 1 - size) : at + 1]
        if len(gram) == size:
            yield HashedGram(gram, hash_gram(gram) % rows)


def hash_gram(gram: bytes) -> int:
    """Return the sum of the bytes, each times a power of a prime number, the last byte times 1.

    >>> hash_gram(b"ab") == 98 + 97 * PRIME
    True
    """
    return sum(byte * PRIME**place for place, byte in enumerate(reversed(gram)))


def embed(text: bytes, width: int = 8) -> Array:
    """Return a vector for each byte: its own row and those of its n-grams, all drawn at random by their numbers.

    >>> vectors = embed(b"aaa")
    >>> vectors.shape, bool((vectors[0] == vectors[1]).all()), bool((vectors[1] == vectors[2]).all())
    ((3, 8), True, False)
    """
    vectors = []
    for at, byte in enumerate(text):
        keys = [(1, byte), *((len(one.gram), one.row) for one in iter_hashed_grams(text, at))]
        rows = [np.random.default_rng(key).standard_normal(width) for key in keys]
        vectors.append(np.sum(rows, axis=0) / (len(SIZES) + 1))
    return np.array(vectors)


def iter_pooled_patches(vectors: Array, patches: Sequence[int], seed: int = 0) -> Iterator[PooledPatch]:
    """Yield the vector of each patch: its query asks, and the keys of its own bytes answer; a mask hides all others.

    `patches` has the number of the patch of each byte. The query begins as the highest value of each column.

    >>> for one in iter_pooled_patches(embed(b"to be"), [0, 0, 0, 1, 1]):
    ...     print(one.patch, one.weights.round(2), one.vector.shape)
    0 [0.35 0.28 0.37 0.   0.  ] (8,)
    1 [0.   0.   0.   0.22 0.78] (8,)
    """
    width = vectors.shape[1]
    to_query, to_key, to_value = np.random.default_rng(seed).standard_normal((3, width, width)) / np.sqrt(width)
    keys, values = normalize(vectors) @ to_key, normalize(vectors) @ to_value
    for patch in range(patches[-1] + 1):
        mask = np.array(patches) == patch
        first = vectors[mask].max(axis=0)
        scores = np.where(mask, keys @ (normalize(first) @ to_query) / np.sqrt(width), -np.inf)
        weights = np.exp(scores - scores.max())
        weights /= weights.sum()
        yield PooledPatch(patch, weights, first + weights @ values)


def normalize(vectors: Array) -> Array:
    """Return vectors of mean 0 and variance 1.

    >>> normalize(np.array([1.0, 3.0]))
    array([-1.,  1.])
    """
    mean, deviation = vectors.mean(axis=-1, keepdims=True), vectors.std(axis=-1, keepdims=True)
    scaled: Array = (vectors - mean) / deviation
    return scaled


def iter_written_bytes(patches: Sequence[int]) -> Iterator[WrittenByte]:
    """Yield for each byte who asks for it and which patch answers: the roles of bytes and patches are swapped.

    The vector of its own patch is made of the byte itself, so that the patch before is the last that may be seen.

    >>> [one.sees for one in iter_written_bytes([0, 0, 0, 1, 1])]
    [-1, -1, -1, 0, 0]
    """
    for at, patch in enumerate(patches):
        yield WrittenByte(at, at - 1, patch - 1)
