"""Layout of charts: scales, labels of axes, bars, lines, heat maps, treemaps. Lengths are in units of the drawing.

The areas of a treemap are in proportion to numbers, and its rectangles as nearly square as they can be (Bruls, Huizing
and van Wijk 2000, Squarified Treemaps).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import Self

Point = tuple[float, float]
WIDTH = 640
HEIGHT = 260
LEFT = 58
RIGHT = 14
TOP = 24
BOTTOM = 34
"""Space around the plane for the labels of the axes."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A label of an axis, at an x or a y coordinate."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class ChartBar:
    """A bar, with its tooltip."""

    x: float
    y: float
    width: float
    height: float
    text: str


@dataclass(frozen=True, slots=True)
class TreemapTile:
    """A rectangle of a treemap; `index` is that of its number."""

    index: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Scale:
    """The places of the values from `low` to `high`, from `start` to `end`, evenly or by their logarithms.

    >>> Scale(0, 10, 58, 626).place(5), Scale(0.2, 25, 0, 100, logarithmic=True).place(1)
    (342.0, 33.3)
    """

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False
    digits: int = 1

    @classmethod
    def spanning(cls, values: Sequence[float], start: float, end: float, *, logarithmic: bool = False) -> Self:
        """Return the scale of all values; a logarithmic one begins and ends at powers of ten."""
        known = [value for value in values if isfinite(value)] or [float(logarithmic)]
        low, high = min(known), max(known)
        if logarithmic:
            first, last = (log10(max(value, 1e-12)) for value in (low, high))
            low, high = 10.0 ** floor(first), 10.0 ** ceil(last)
        if high == low:
            low, high = (low / 10, high * 10) if logarithmic else (low - 1, high + 1)
        return cls(low, high, start, end, logarithmic)

    def place(self, value: float) -> float:
        """Return the place of a value, or the end next to one that is outside."""
        low, high, inside = self.low, self.high, min(max(value, self.low), self.high)
        if self.logarithmic:
            low, high, inside = log10(low), log10(high), log10(inside)
        return round(self.start + (inside - low) / ((high - low) or 1.0) * (self.end - self.start), self.digits)

    def mark(self) -> tuple[Mark, ...]:
        """Return labels of three to seven round values, or of all powers of ten."""
        low, high = self.low, self.high
        if self.logarithmic:
            values = [10.0**power for power in range(round(log10(low)), round(log10(high)) + 1)]
        else:
            step: float = 10 ** floor(log10(high - low))
            step = next(step * part for part in (0.1, 0.2, 0.5, 1, 2) if (high - low) / (step * part) <= 5)
            values = [round(step * n, 10) for n in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
        return tuple(Mark(self.place(value), f"{value:g}") for value in values)

    def divide(self, parts: int) -> tuple[Mark, ...]:
        """Return labels of the values from 0 on that divide the scale into equal parts."""
        values = [self.high * part / parts for part in range(parts + 1)]
        return tuple(Mark(self.place(value), shorten_number(value)) for value in values)


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line of a chart: its name, its points, its colour, and whether it is dashed or has a dot on every point."""

    name: str
    points: Sequence[Point]
    tone: int = 0
    dashed: bool = False
    dotted: bool = False


@dataclass(frozen=True, slots=True)
class LinePath:
    """A line as path data of SVG, and the places of its dots."""

    line: ChartLine
    path: str
    dots: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class LineChart:
    """A chart to be rendered: its lines, and the labels of both axes."""

    lines: tuple[LinePath, ...]
    across: tuple[Mark, ...]
    up: tuple[Mark, ...]
    x_label: str
    y_label: str
    says: str
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def plane(self) -> tuple[float, float, float, float]:
        """The left, top, right and bottom of the plane."""
        return LEFT, TOP, self.width - RIGHT, self.height - BOTTOM


def draw_chart(
    lines: Sequence[ChartLine],
    x_label: str,
    y_label: str,
    says: str,
    *,
    logarithmic: tuple[bool, bool] = (False, False),
    height: int = HEIGHT,
) -> LineChart:
    """Return the chart of lines, whose axes, x and y, span all points; logarithmic ones span whole powers of ten.

    >>> one = draw_chart([ChartLine("a", [(0, 0), (1, 10)])], "x", "y", "")
    >>> one.lines[0].path, [mark.text for mark in one.up]
    ('M58 226L626 24', ['0', '2', '4', '6', '8', '10'])
    """
    xs, ys = ([point[d] for line in lines for point in line.points] for d in range(2))
    across = Scale.spanning(xs, LEFT, WIDTH - RIGHT, logarithmic=logarithmic[0])
    up = Scale.spanning(ys, height - BOTTOM, TOP, logarithmic=logarithmic[1])
    drawn = []
    for line in lines:
        dots = [(across.place(x), up.place(y)) for x, y in line.points]
        drawn.append(LinePath(line, draw_path(dots), tuple(dots) if line.dotted else ()))
    return LineChart(tuple(drawn), across.mark(), up.mark(), x_label, y_label, says, height=height)


def draw_path(points: Sequence[Point]) -> str:
    """Return the path data of a line through points.

    >>> draw_path([(0, 1), (2.5, 3)])
    'M0 1L2.5 3'
    """
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points) if points else ""


def draw_polyline(points: Iterable[Point]) -> str:
    """Return points as those of a polyline of SVG."""
    return " ".join(f"{x},{y}" for x, y in points)


def shorten_number(number: float) -> str:
    """Return a number in few characters, for an axis.

    >>> shorten_number(950), shorten_number(32_000), shorten_number(1_250_000), shorten_number(10_000_000)
    ('950', '32k', '1.25M', '10M')
    """
    if number >= 1_000_000:
        return f"{number / 1_000_000:.3g}M"
    return f"{number / 1000:.3g}k" if number >= 1000 else f"{number:.3g}"


def round_up(most: float) -> float:
    """Return the next round number, the end of an axis.

    >>> round_up(830), round_up(2100), round_up(0.37)
    (1000.0, 2500.0, 0.4)
    """
    if most <= 0:
        return 1.0
    size = 10.0 ** int(f"{most:e}".partition("e")[2])
    return next(float(f"{step * size:.4g}") for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * size >= most)


@dataclass(frozen=True, slots=True)
class HeatMapCell:
    """A cell of a heat map: its place, its sign, its share of the largest value from 0 to 1, and its text."""

    column: int
    row: int
    sign: str
    share: float
    text: str


def draw_heat_map(rows: Sequence[Sequence[float]], *, texts: Sequence[Sequence[str]] = ()) -> tuple[HeatMapCell, ...]:
    """Return the cells of a heat map that are not 0; small values show more than their share, by its square root.

    >>> [(cell.sign, cell.share) for cell in draw_heat_map([[4.0, -1.0, 0.0]])]
    [('plus', 1.0), ('minus', 0.5)]
    """
    largest = max((abs(value) for row in rows for value in row), default=0) or 1
    return tuple(
        HeatMapCell(
            c,
            r,
            "plus" if value > 0 else "minus",
            round((abs(value) / largest) ** 0.5, 3),
            texts[r][c] if texts else "",
        )
        for r, row in enumerate(rows)
        for c, value in enumerate(row)
        if value
    )


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
