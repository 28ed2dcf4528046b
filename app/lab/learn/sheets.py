"""The steps of a scene as sheets, to be taken along."""

from collections.abc import Sequence

from ... import __version__
from ..sheets.layout import SheetTable
from ..sheets.sheet import Sheet
from .scene import Scene, SceneTable, Step, Trace
from .sources import SOURCES


def scene_sheets(scene: Scene, trace: Trace) -> list[Sheet]:
    """Return the steps of a scene as sheets, whose source line has the publications that the scene cites."""
    cited = "; ".join(SOURCES[id].short for id in scene.sources)
    source = f"Made with Tokenarium {__version__}" + (f", after {cited}" if cited else "")
    return [_step_sheet(scene, trace.steps, at, step, source) for at, step in enumerate(trace.steps)]


def _step_sheet(scene: Scene, steps: Sequence[Step], at: int, step: Step, source: str) -> Sheet:
    return Sheet(
        title=f"{scene.title}: step {at} of {len(steps) - 1}",
        caption=step.text,
        rows=step.rows,
        figure=step.figure,
        table=_sheet_table(step.table) if step.table else None,
        facts=step.facts,
        source=source,
    )


def _sheet_table(table: SceneTable) -> SheetTable:
    rows = [([(cell,) if isinstance(cell, str) else cell for cell in row.cells], row.chosen) for row in table.rows]
    return SheetTable(table.title, rows, table.heads, table.left_out)
