"""FAST: the movements of a robot as tokens. Frequencies instead of moments, rounded, and then merged like text.

A movement is one number per joint (a dimension), many times a second, and each is nearly the one before. A cosine
transform says the same in few numbers, since slow movements have no high frequencies: after rounding, most are 0, and
BPE merges runs of zeros as it merges frequent letters (Pertsch et al. 2025).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import cos, pi, sqrt
from typing import NamedTuple

from .bpe import encode

Series = Sequence[Sequence[float]]
"""One row for each moment, with one number for each dimension."""
UP, DOWN = 126, -127
"""The largest and the smallest number that one symbol stands for. Larger ones take several symbols."""


class NormalizedSeries(NamedTuple):
    """The series with most values between -1 and 1; of each dimension, the centre and half the range that became so."""

    series: Series
    ranges: Sequence[tuple[float, float]]


class Transformed(NamedTuple):
    """A row for each frequency, the slowest first, with one coefficient for each dimension."""

    coefficients: Series


class Rounded(NamedTuple):
    """The coefficients in steps of 1/scale, as whole numbers: all that is lost is lost here."""

    levels: Sequence[Sequence[int]]


class Flattened(NamedTuple):
    """All whole numbers in one row, the lowest frequency of every dimension first; and as symbols from 0 to 255."""

    levels: Sequence[int]
    symbols: bytes


class Tokens(NamedTuple):
    """The symbols after BPE: each token is some of them."""

    tokens: Sequence[bytes]


def iter_stages(
    series: Series, scale: float, ranks: Mapping[bytes, int]
) -> Iterator[NormalizedSeries | Transformed | Rounded | Flattened | Tokens]:
    """Yield what each stage makes of a series.

    >>> *_, rounded, flat, last = iter_stages([[0.0], [1.0], [2.0], [3.0]], 10, {bytes([127, 127]): 256})
    >>> rounded.levels, [*flat.symbols], [[*token] for token in last.tokens]
    ([[0], [-15], [0], [-1]], [127, 112, 127, 126], [[127], [112], [127], [126]])
    """
    ranges = [centre_and_half([row[d] for row in series]) for d in range(len(series[0]))]
    normal = [[(x - centre) / half for x, (centre, half) in zip(row, ranges, strict=True)] for row in series]
    yield NormalizedSeries(normal, ranges)
    coefficients = across(cosine_transform, normal)
    yield Transformed(coefficients)
    levels = [[round(scale * x) for x in row] for row in coefficients]
    yield Rounded(levels)
    flat = [level for row in levels for level in row]
    symbols = bytes(symbol for level in flat for symbol in write_symbols(level))
    yield Flattened(flat, symbols)
    yield Tokens(encode(symbols, ranks))


def decode(tokens: Sequence[bytes], ranges: Sequence[tuple[float, float]], scale: float) -> Series:
    """Return the series that tokens say: the stages in reverse. Only the rounding cannot be undone.

    >>> *_, last = iter_stages([[0.0], [1.0], [2.0], [3.0]], 10, {})
    >>> [round(x, 2) for (x,) in decode(last.tokens, [(1.5, 1.47)], 10)]
    [0.02, 1.0, 2.0, 2.98]
    """
    flat = read_levels(b"".join(tokens))
    width = len(ranges)
    coefficients = [[level / scale for level in flat[at : at + width]] for at in range(0, len(flat), width)]
    normal = across(inverse_transform, coefficients)
    return [[centre + half * x for x, (centre, half) in zip(row, ranges, strict=True)] for row in normal]


def centre_and_half(values: Sequence[float]) -> tuple[float, float]:
    """Return the middle and half the distance of the 1st and the 99th percentile; 1 if there is no distance.

    Outliers would squeeze all other values, so the percentiles become -1 and 1, and not the extremes.

    >>> centre_and_half([0.0, 50.0, 100.0]), centre_and_half([7.0, 7.0])
    ((50.0, 49.0), (7.0, 1.0))
    """
    low, high = percentile(values, 0.01), percentile(values, 0.99)
    return (low + high) / 2, (high - low) / 2 or 1.0


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lies, between the two nearest where it falls between them."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def cosine_transform(values: Sequence[float]) -> list[float]:
    """Return how much of each cosine a series contains (DCT-II, orthonormal): first its mean, then faster and faster.

    >>> [round(x, 3) for x in cosine_transform([1, 1])], [round(x, 3) for x in cosine_transform([1, -1])]
    ([1.414, 0.0], [0.0, 1.414])
    """
    n = len(values)
    sums = (sum(x * cos(pi * k * (2 * t + 1) / (2 * n)) for t, x in enumerate(values)) for k in range(n))
    return [total * weight(k, n) for k, total in enumerate(sums)]


def inverse_transform(coefficients: Sequence[float]) -> list[float]:
    """Return the sum of the cosines: the series again.

    >>> [round(x, 3) for x in inverse_transform(cosine_transform([3, 1, 4, 1]))]
    [3.0, 1.0, 4.0, 1.0]
    """
    n = len(coefficients)
    weighted = [x * weight(k, n) for k, x in enumerate(coefficients)]
    return [sum(x * cos(pi * k * (2 * t + 1) / (2 * n)) for k, x in enumerate(weighted)) for t in range(n)]


def weight(k: int, n: int) -> float:
    """Return the weight with which each cosine has length 1."""
    return sqrt((2 if k else 1) / n)


def across(transform: Callable[[Sequence[float]], list[float]], series: Series) -> list[list[float]]:
    """Return a series whose dimensions have each been transformed over time."""
    return [[*row] for row in zip(*(transform([*column]) for column in zip(*series, strict=True)), strict=True)]


def write_symbols(level: int) -> Iterator[int]:
    """Yield a whole number as symbols that are not negative: 254 says 126 more, 255 says 127 less.

    >>> [*write_symbols(0)], [*write_symbols(-127)], [*write_symbols(130)]
    ([127], [0], [254, 131])
    """
    while level > UP:
        yield 254
        level -= UP
    while level < DOWN:
        yield 255
        level -= DOWN
    yield level - DOWN


def read_levels(symbols: bytes) -> list[int]:
    """Return the whole numbers that symbols say.

    >>> read_levels(bytes([127, 0, 254, 131]))
    [0, -127, 130]
    """
    levels, more = list[int](), 0
    for symbol in symbols:
        if symbol >= 254:
            more += UP if symbol == 254 else DOWN
        else:
            levels.append(more + symbol + DOWN)
            more = 0
    return levels
