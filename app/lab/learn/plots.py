"""Plots of the scenes: lines, bars or dots over an axis with marks, as drawings that stage and exports show."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..charts import Point, Scale
from ..steps.drawing import Drawing, Label, Stroke

OVER = 20
"""How far the axis reaches beyond its scale."""
BESIDE = BELOW = 30
"""Space for the last mark at the right of the scale, and for all marks below the axis."""


@dataclass(frozen=True, slots=True)
class Axes:
    """The axes of a plot: the scale of what is across, and that of what rises from the axis."""

    across: Scale
    up: Scale

    def place(self, points: Iterable[Point]) -> list[Point]:
        """Return the places of points on the drawing.

        >>> Axes(Scale(0, 4, 20, 100), Scale(0, 10, 80, 10)).place([(0, 0), (2, 10)])
        [(20.0, 80.0), (60.0, 10.0)]
        """
        return [(self.across.place(x), self.up.place(y)) for x, y in points]

    def draw(
        self,
        strokes: Sequence[Stroke],
        marks: Mapping[int, str],
        says: str,
        labels: Sequence[Label] = (),
        bold: Collection[int] = (),
    ) -> Drawing:
        """Return a plot of strokes and labels with its axis, whose marks stand below it, some of them bold."""
        left, right, base = self.across.start, self.across.end, self.up.start
        below = [Label(self.across.place(x), base + 20, text, bold=x in bold) for x, text in marks.items()]
        return Drawing(
            width=right + BESIDE,
            height=base + BELOW,
            strokes=(Stroke(f"M{left - OVER:g} {base:g}H{right + OVER:g}"), *strokes),
            labels=(*labels, *below),
            says=says,
        )
