"""The steps of a run as sheets, to be taken along."""

from collections.abc import Iterator
from dataclasses import replace

from ... import __version__
from ...errors import plural
from ..sheets.layout import SheetTable
from ..sheets.sheet import Sheet
from ..sheets.words import separate
from .drawing import lattice
from .frames import Frame, Run
from .tiles import character_row

MAX_SHEETS = 200
"""Steps of a file that has all of them."""
MAX_CHARACTERS = 600
"""Characters of a text that its sheet shows; more are counted."""


def step_sheet(run: Run, frame: Frame, *, text: str = "") -> Sheet:
    """Return a step as a sheet, the first one with more of the text than the page shows."""
    rows = frame.rows
    if text and frame.stage == "text":
        rows = (character_row(text, limit=MAX_CHARACTERS),)
    shown = len(frame.learned)
    newest = f"{frame.learned_count:,} learned, the newest last" if frame.learned_count > shown else "Learned"
    return Sheet(
        title=f"{run.title}: step {frame.step:,} of {run.total - 1:,}",
        caption=frame.caption,
        rows=rows,
        rows_left_out=frame.rows_left_out,
        around=frame.around,
        figure=lattice(frame.lattice) if frame.lattice else None,
        table=_candidates(frame),
        facts=frame.facts,
        learned=frame.learned,
        learned_text=newest,
        chart=run.chart,
        at=frame.step,
        source=f"Made with Tokenarium {__version__}",
    )


def all_sheets(run: Run, *, text: str = "") -> Iterator[Sheet]:
    """Yield the steps of a run as sheets; the last one of a long run says how many are left out."""
    for frame in run.frames(0, min(run.total, MAX_SHEETS)):
        sheet = step_sheet(run, frame, text=text)
        if frame.step == MAX_SHEETS - 1 and run.total > MAX_SHEETS:
            more = plural(run.total - MAX_SHEETS, "step that follows is", "steps that follow are")
            sheet = replace(sheet, source=f"{sheet.source}. {more} left out.")
        yield sheet


def _candidates(frame: Frame) -> SheetTable | None:
    if not frame.candidates:
        return None
    rows = [((separate(one.parts), (one.value,), (one.note,)), one.chosen) for one in frame.candidates]
    return SheetTable(frame.heading, rows, left_out=frame.candidates_left_out)
