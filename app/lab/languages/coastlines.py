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
SOUTHERNMOST = 60
"""Degrees south beyond which nothing is drawn: the map ends before Antarctica."""


@cache
def coastlines(root: Path) -> str:
    """Return the coastlines as the data of an SVG path, in degrees east and south."""
    topology = json.loads((root / LAND).read_text(encoding="utf-8"))
    arcs = [list(_points(arc, topology["transform"])) for arc in topology["arcs"]]
    polygons = chain.from_iterable(one["arcs"] for one in topology["objects"]["land"]["geometries"])
    return "".join(_draw_ring(ring, arcs) for polygon in polygons for ring in polygon)


def _points(arc: list[list[int]], transform: dict[str, Any]) -> Iterator[tuple[float, float]]:
    """Yield the points of an arc; each is stored as the difference to the one before, in steps of a grid."""
    (x_scale, y_scale) = transform["scale"]
    (west, south) = transform["translate"]
    x = y = 0
    for east, north in arc:
        x = x + east
        y = y + north
        yield round(GRID * (x * x_scale + west)) / GRID, -round(GRID * (y * y_scale + south)) / GRID


def _draw_ring(ring: list[int], arcs: list[list[tuple[float, float]]]) -> str:
    """Return a closed line through arcs; a negative number is the complement of an arc that runs backwards.

    A ring that crosses the date line goes on beyond it, and is drawn a second time at the other edge of the map.
    """
    points = [point for one in ring for point in (arcs[one] if one >= 0 else arcs[~one][::-1])]
    turns = accumulate((round((left - right) / 360) * 360 for (left, _), (right, _) in pairwise(points)), initial=0)
    unrolled = [(x + turn, y) for (x, y), turn in zip(points, turns, strict=True)]
    if min(y for _, y in unrolled) > SOUTHERNMOST:
        return ""
    beyond = 360 if max(x for x, _ in unrolled) > 180 else -360 if min(x for x, _ in unrolled) < -180 else 0
    return _line(unrolled) + (_line([(x - beyond, y) for x, y in unrolled]) if beyond else "")


def _line(points: list[tuple[float, float]]) -> str:
    """Return a closed line through points, without those that fall on the one before."""
    corners = [point for point, before in zip(points[1:], points, strict=False) if point != before]
    (x, y) = points[0]
    rest = " ".join(f"{x:g} {y:g}" for x, y in corners)
    return f"M{x:g} {y:g}L{rest}Z" if len(corners) > 2 else ""
