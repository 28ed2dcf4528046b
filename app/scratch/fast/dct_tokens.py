"""FAST, fast: the stages of `scratch.dct_tokens` over arrays, with SciPy's cosine transform and `fast.bpe`.

700 numbers take about a millisecond for all but the merges. SciPy is imported when it is used: it takes time.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..dct_tokens import DOWN, UP, read_levels, write_symbols
from .bpe.encode import merge

Array = NDArray[np.float64]
Ranges = tuple[Array, Array]
"""Of each dimension, the centre and half the range."""


class DctEncoding(NamedTuple):
    """What each stage made of a series: arrays by time or frequency and dimension, symbols, and tokens."""

    normalized: Array
    ranges: Ranges
    coefficients: Array
    levels: NDArray[np.int64]
    symbols: bytes
    tokens: list[bytes]


def compute_ranges(series: Array) -> Ranges:
    """Return the centre and half the range of each dimension, from the 1st to the 99th percentile.

    >>> [part.tolist() for part in compute_ranges(np.array([[0.0, 7.0], [50.0, 7.0], [100.0, 7.0]]))]
    [[50.0, 7.0], [49.0, 1.0]]
    """
    low, high = np.percentile(series, [1, 99], axis=0)
    half = (high - low) / 2
    return (low + high) / 2, np.where(half == 0, 1.0, half)


def transform(normalized: Array) -> Array:
    """Return the orthonormal DCT-II over time of each dimension."""
    from scipy.fft import dct  # type: ignore[import-untyped]

    coefficients: Array = dct(normalized, axis=0, norm="ortho")
    return coefficients


def flatten(levels: NDArray[np.int64]) -> bytes:
    """Return whole numbers as symbols, the lowest frequency of all dimensions first.

    >>> [*flatten(np.array([[0, -127], [130, 1]]))]
    [127, 0, 254, 131, 128]
    """
    flat = levels.ravel()
    if flat.size and flat.min() >= DOWN and flat.max() <= UP:
        return (flat - DOWN).astype(np.uint8).tobytes()
    return bytes(symbol for level in flat.tolist() for symbol in write_symbols(level))


def encode(series: Array, scale: float, ranks: Mapping[bytes, int]) -> DctEncoding:
    """Return the stages of a series of shape (times, dimensions), equal to those of the teaching file.

    >>> encode(np.array([[0.0], [1.0], [2.0], [3.0]]), 10, {}).levels.ravel().tolist()
    [0, -15, 0, -1]
    """
    ranges = compute_ranges(series)
    normalized = (series - ranges[0]) / ranges[1]
    coefficients = transform(normalized)
    levels = np.rint(coefficients * scale).astype(np.int64)
    symbols = flatten(levels)
    return DctEncoding(
        normalized=normalized,
        ranges=ranges,
        coefficients=coefficients,
        levels=levels,
        symbols=symbols,
        tokens=merge(symbols, ranks),
    )


def decode(tokens: Sequence[bytes], ranges: Ranges, scale: float) -> Array:
    """Return the series that tokens say."""
    from scipy.fft import idct

    levels = np.array(read_levels(b"".join(tokens)), np.float64).reshape(-1, len(ranges[0]))
    normalized: Array = idct(levels / scale, axis=0, norm="ortho")
    return ranges[0] + ranges[1] * normalized
