"""A run as it is looked at: from one step, with what a page shows beside the stage."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from app.lab.steps.drawing import Drawing
from app.lab.steps.frames import Boundary, Frame, Run
from app.lab.steps.options import Options
from app.lab.steps.pictures import step_picture, tree

WINDOW = 32
"""Frames that are asked for at a time."""


@dataclass(frozen=True)
class View:
    """A run under its key, seen from a step; one behind the last is the last."""

    key: str
    run: Run
    asked: int = 0
    options: Options | None = None

    @property
    def step(self) -> int:
        """The step that is looked at."""
        return min(self.asked, self.run.total - 1)

    @cached_property
    def frame(self) -> Frame:
        """What is seen of it."""
        return next(self.run.frames(self.step, self.step + 1))

    @property
    def window(self) -> Iterator[Frame]:
        """The frames from here on, as many as are asked for at a time."""
        return self.run.frames(self.step, self.step + WINDOW)

    @property
    def halved(self) -> bool:
        """Whether something on stage was joined by this step, so that there is a before."""
        return any(tile.halves for row in self.frame.rows for tile in row.tiles)

    @property
    def tree(self) -> Drawing | None:
        """How the symbols on stage came about."""
        return tree(self.run.trees(self.step))

    @property
    def boundaries(self) -> tuple[Boundary, ...]:
        """Why the piece on stage is cut where it is."""
        return self.run.boundaries(self.step)

    @property
    def across(self) -> float:
        """Where in the chart the step is."""
        return 1000 * self.step / max(1, self.run.total - 1)

    @property
    def picture(self) -> Drawing:
        """The step to take away."""
        return step_picture(self.frame, self.run.title)

    @property
    def chart(self) -> str:
        """The size of the corpus over the steps as the points of a line in a field of 1000 by 100; empty for none."""
        sizes = self.run.chart
        if len(sizes) < 2:
            return ""
        low, high = min(sizes), max(sizes)
        across, down = 1000 / (len(sizes) - 1), 92 / ((high - low) or 1)
        return " ".join(f"{i * across:.5g},{4 + (high - size) * down:.4g}" for i, size in enumerate(sizes))
