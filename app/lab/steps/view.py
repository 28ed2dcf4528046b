"""A run displayed at one step, with what the page shows beside the stage."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..charts import Scale, draw_polyline
from ..sheets.sheet import Sheet
from .drawing import Drawing, tree
from .frames import Boundary, Frame, Run
from .options import StepsOptions
from .sheets import all_sheets, step_sheet

WINDOW = 32
"""Number of frames that a browser fetches per request."""


@dataclass(frozen=True)
class StepsView:
    """A run, its cache key and the requested step; a step beyond the last one shows the last one."""

    key: str
    run: Run
    requested_step: int = 0
    options: StepsOptions | None = None

    @property
    def step(self) -> int:
        """Number of the frame on display."""
        return min(self.requested_step, self.run.total - 1)

    @cached_property
    def frame(self) -> Frame:
        """The frame on display."""
        return next(self.run.frames(self.step, self.step + 1))

    @property
    def window(self) -> Iterator[Frame]:
        """The next `WINDOW` frames, beginning with the one on display."""
        return self.run.frames(self.step, self.step + WINDOW)

    @property
    def halved(self) -> bool:
        """True if this step merged tiles, so that a "before" view exists."""
        return any(tile.halves for row in self.frame.rows for tile in row.tiles)

    @property
    def tree(self) -> Drawing | None:
        """Merge trees of the symbols on stage; None if there are none or too many to draw."""
        return tree(self.run.trees(self.step))

    @property
    def boundaries(self) -> tuple[Boundary, ...]:
        """Reasons for the boundaries of the pre-token on stage."""
        return self.run.boundaries(self.step)

    @property
    def across(self) -> float:
        """Horizontal position of the step in the chart, from 0 to 1000."""
        return 1000 * self.step / max(1, self.run.total - 1)

    @property
    def sheet(self) -> Sheet:
        """The step as a sheet to be saved."""
        return step_sheet(self.run, self.frame, text=self._text)

    @property
    def sheets(self) -> Iterator[Sheet]:
        """All steps as sheets."""
        return all_sheets(self.run, text=self._text)

    @property
    def _text(self) -> str:
        return self.options.text if self.options else ""

    @property
    def chart(self) -> str:
        """Corpus length per step as the points of an SVG polyline, 1000 wide and 100 high. Empty without a chart."""
        lengths = self.run.chart
        if len(lengths) < 2:
            return ""
        across = Scale(0, len(lengths) - 1, 0, 1000)
        down = Scale(-max(lengths), -min(lengths), 4, 96)
        return draw_polyline((across.place(at), down.place(-length)) for at, length in enumerate(lengths))
