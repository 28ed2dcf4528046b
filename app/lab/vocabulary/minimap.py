"""A list of tokens as bands from its top to its bottom: the share of each script, and the mean length."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .columns import SCRIPTS, VocabularyColumns
from .search import Rows

BANDS = 120
"""Bands of a long list; a shorter one has a band for each token."""
LEGEND = 6
"""Scripts that have a colour of their own."""
LONGEST = 16.0
"""Mean length, in bytes, of the widest band."""


@dataclass(frozen=True, slots=True)
class MinimapBand:
    """`count` tokens from the place `start` on: their mean length, and the share of each script with a colour.

    The last share is that of all other scripts.
    """

    start: int
    count: int
    length: float
    shares: tuple[float, ...]

    @property
    def parts(self) -> list[tuple[int, float, float]]:
        """The scripts that occur, as (colour, place, width); a band of the greatest length has the width 1."""
        width = 0.1 + 0.9 * min(1.0, self.length / LONGEST)
        starts = [sum(self.shares[:tone]) for tone in range(len(self.shares))]
        every = enumerate(zip(starts, self.shares, strict=True))
        return [(tone, width * start, width * share) for tone, (start, share) in every if share]


@dataclass(frozen=True, slots=True)
class Minimap:
    """The bands of a list, and the scripts that have a colour, the most frequent first."""

    bands: tuple[MinimapBand, ...]
    scripts: tuple[str, ...]


def draw_minimap(columns: VocabularyColumns, rows: Rows, start: int, stop: int, scripts: Sequence[str]) -> Minimap:
    """Return the rows from `start` to `stop` in bands; `scripts` are all scripts by frequency."""
    coloured = tuple(scripts[:LEGEND])
    edges = np.linspace(start, stop, min(BANDS, stop - start) + 1).astype(np.int64)
    sizes = np.diff(edges)
    band = np.repeat(np.arange(len(sizes)), sizes)
    tones = np.full(len(SCRIPTS), len(coloured))
    tones[[SCRIPTS.index(name) for name in coloured]] = np.arange(len(coloured))
    shown = rows[start:stop]
    width = len(coloured) + 1
    counts = np.bincount(band * width + tones[columns.scripts[shown]], minlength=len(sizes) * width)
    shares = counts.reshape(len(sizes), width) / sizes[:, None]
    lengths = np.bincount(band, columns.lengths[shown], len(sizes)) / sizes
    every = zip(edges.tolist(), sizes.tolist(), lengths.tolist(), shares.tolist(), strict=False)
    return Minimap(
        tuple(MinimapBand(first, size, length, tuple(some)) for first, size, length, some in every), coloured
    )
