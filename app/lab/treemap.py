"""A treemap: rectangles whose areas are in proportion to numbers, as nearly square as they can be.

Bruls, Huizing and van Wijk 2000, Squarified Treemaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TreemapTile:
    """A rectangle of a treemap; `index` is that of its number."""

    index: int
    x: float
    y: float
    width: float
    height: float


def squarify(values: Sequence[float], width: float, height: float) -> list[TreemapTile]:
    """Return a tile for each number above 0, the largest first.

    >>> [(tile.index, tile.width, tile.height) for tile in squarify([1, 3], 4, 1)]
    [(1, 3.0, 1.0), (0, 1.0, 1.0)]
    """
    order = sorted((i for i, value in enumerate(values) if value > 0), key=lambda i: -values[i])
    total = sum(values[i] for i in order)
    scale = width * height / total if total else 0
    tiles: list[TreemapTile] = []
    x = y = 0.0
    while order:
        side = min(width - x, height - y)
        row = _fit_row([values[i] * scale for i in order], side)
        tiles += _place(order[: len(row)], row, (x, y, width, height))
        depth = sum(row) / side if side else 0
        x, y = (x + depth, y) if width - x > height - y else (x, y + depth)
        order = order[len(row) :]
    return tiles


def _fit_row(areas: Sequence[float], side: float) -> list[float]:
    """Return the first areas that together make the squarest rectangles along a side."""
    row: list[float] = []
    for area in areas:
        if row and _worst(row, side) < _worst([*row, area], side):
            break
        row.append(area)
    return row


def _worst(row: Sequence[float], side: float) -> float:
    total = sum(row)
    square = side * side
    if not total or not square or not min(row):
        return 0
    return max(square * max(row) / total**2, total**2 / (square * min(row)))


def _place(indexes: Sequence[int], row: Sequence[float], box: tuple[float, float, float, float]) -> list[TreemapTile]:
    """Return the tiles of a row along the shorter side of what is left of the plane."""
    x, y, width, height = box
    upright = width - x > height - y
    depth = sum(row) / (height - y if upright else width - x)
    tiles = []
    for index, area in zip(indexes, row, strict=True):
        length = area / depth if depth else 0
        size = (depth, length) if upright else (length, depth)
        if len(row) == 1:
            size = (depth, height - y) if upright else (width - x, depth)
        tiles.append(TreemapTile(index, x, y, *size))
        x, y = (x, y + length) if upright else (x + length, y)
    return tiles
