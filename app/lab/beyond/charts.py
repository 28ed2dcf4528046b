"""Layout of the charts of the laboratories: lines over axes, and heat maps. Lengths are in pixels."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

Point = tuple[float, float]
WIDTH = 640
HEIGHT = 260
LEFT = 58
RIGHT = 14
TOP = 24
BOTTOM = 34
"""Space around the plane for the labels of the axes."""


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
    """A chart to be rendered: its lines, and the ticks of both axes as (place, label)."""

    lines: tuple[LinePath, ...]
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]
    x_label: str
    y_label: str
    says: str
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def plane(self) -> tuple[float, float, float, float]:
        """The left, top, right and bottom of the plane."""
        return LEFT, TOP, self.width - RIGHT, self.height - BOTTOM


def chart(
    lines: Sequence[ChartLine],
    x_label: str,
    y_label: str,
    says: str,
    *,
    logarithmic: tuple[bool, bool] = (False, False),
    height: int = HEIGHT,
) -> LineChart:
    """Return the chart of lines, whose axes, x and y, span all points; logarithmic ones span whole powers of ten.

    >>> one = chart([ChartLine("a", [(0, 0), (1, 10)])], "x", "y", "")
    >>> one.lines[0].path, [label for _, label in one.up]
    ('M58 226L626 24', ['0', '2', '4', '6', '8', '10'])
    """
    points = [point for line in lines for point in line.points]
    spans = [_span([point[d] for point in points], logarithmic[d]) for d in range(2)]
    ranges = (LEFT, WIDTH - RIGHT), (height - BOTTOM, TOP)

    def place(value: float, d: int) -> float:
        (low, high) = spans[d]
        (start, end) = ranges[d]
        return round(start + (_scale(value, logarithmic[d]) - low) / (high - low) * (end - start), 1)

    drawn = []
    for line in lines:
        dots = [(place(x, 0), place(y, 1)) for x, y in line.points]
        drawn.append(LinePath(line, path(dots), tuple(dots) if line.dotted else ()))
    across, up = (tuple((place(tick, d), f"{tick:g}") for tick in _ticks(spans[d], logarithmic[d])) for d in range(2))
    return LineChart(
        lines=tuple(drawn), across=across, up=up, x_label=x_label, y_label=y_label, says=says, height=height
    )


def path(points: Sequence[Point]) -> str:
    """Return the path data of a line through points.

    >>> path([(0, 1), (2.5, 3)])
    'M0 1L2.5 3'
    """
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points) if points else ""


def _scale(value: float, logarithmic: bool) -> float:
    return log10(max(value, 1e-12)) if logarithmic else value


def _span(values: Sequence[float], logarithmic: bool) -> Point:
    scaled = [_scale(value, logarithmic) for value in values if isfinite(value)] or [0.0]
    low = min(scaled)
    high = max(scaled)
    if logarithmic:
        low = floor(low)
        high = ceil(high)
    return (low, high) if high > low else (low - 1, high + 1)


def _ticks(span: Point, logarithmic: bool) -> list[float]:
    """Return three to seven round values within a span."""
    low, high = span
    if logarithmic:
        return [10.0**power for power in range(floor(low), ceil(high) + 1)]
    step: float = 10 ** floor(log10(high - low))
    step = next(step * part for part in (0.1, 0.2, 0.5, 1, 2) if (high - low) / (step * part) <= 5)
    return [round(step * count, 10) for count in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


@dataclass(frozen=True, slots=True)
class HeatMapCell:
    """A cell of a heat map: its place, its sign, its share of the largest value from 0 to 1, and its text."""

    column: int
    row: int
    sign: str
    share: float
    text: str


def heat(rows: Sequence[Sequence[float]], *, texts: Sequence[Sequence[str]] = ()) -> tuple[HeatMapCell, ...]:
    """Return the cells of a heat map that are not 0; small values show more than their share, by its square root.

    >>> [(cell.sign, cell.share) for cell in heat([[4.0, -1.0, 0.0]])]
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
