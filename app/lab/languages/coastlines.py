"""The coastlines of the world map: Natural Earth, public domain, as TopoJSON from the package `world-atlas`."""

import json
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any

LAND = "static/vendor/world-atlas-2.0.2.land-110m.json"
GRID = 2
"""Points to a degree: on the map, a degree is a few pixels wide."""


@cache
def coastlines(root: Path) -> str:
    """Return the coastlines as the data of an SVG path, in degrees east and south."""
    topology = json.loads((root / LAND).read_text(encoding="utf-8"))
    arcs = [list(_points(arc, topology["transform"])) for arc in topology["arcs"]]
    polygons = chain.from_iterable(one["arcs"] for one in topology["objects"]["land"]["geometries"])
    return "".join(_ring(ring, arcs) for polygon in polygons for ring in polygon)


def _points(arc: list[list[int]], transform: dict[str, Any]) -> Iterator[tuple[float, float]]:
    """Yield the points of an arc; each is stored as the difference to the one before, in steps of a grid."""
    (x_scale, y_scale), (west, south) = transform["scale"], transform["translate"]
    xs, ys = (accumulate(step[axis] for step in arc) for axis in (0, 1))
    for x, y in zip(xs, ys, strict=True):
        yield round(GRID * (x * x_scale + west)) / GRID, -round(GRID * (y * y_scale + south)) / GRID


def _ring(ring: list[int], arcs: list[list[tuple[float, float]]]) -> str:
    """Return a closed line through arcs; a negative number is the complement of an arc that runs backwards."""
    points = [point for one in ring for point in (arcs[one] if one >= 0 else arcs[~one][::-1])]
    moves = [f"{x:g} {y:g}" for (x, y), before in zip(points[1:], points, strict=False) if (x, y) != before]
    # A line along the date line would cross the whole map on its way back.
    wide = any(abs(right[0] - left[0]) > 180 for left, right in pairwise(points))
    return "" if wide or len(moves) < 3 else f"M{points[0][0]:g} {points[0][1]:g}L{' '.join(moves)}Z"
