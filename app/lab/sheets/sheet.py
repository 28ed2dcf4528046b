"""Sheets: a step or a scene with its caption, rows, tables and source, as pictures on slides or for a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from ..steps.drawing import Drawing, Label, PlacedDrawing
from ..steps.step import Fact, Table, Tile, TileRow
from ..steps.tiles import visible
from ..typefaces import Words, measure, separate
from .layout import CELL, MARGIN, RATIO, ROW_GAP, SMALL, SPACE, SheetLayout

Shape = Literal["slide", "text"]
TEXT_WIDTH = 1200
"""Width at which lines of a picture for a text break."""
WIDTHS = (640, 720, 800, 960, 1120, 1280, 1440, 1600, 1920, 2240, 2560, 3200, 3840, 5120, 7680, 10240)
"""Widths at which a slide is laid out: the first at which all of it fits, so that letters are as large as can be."""
SLIDE_WIDTH = 1280
SLIDE_SMALL = 18
"""Width of a slide, and size of its title and source."""
TILE = 20
SLIDE_TILE = 30
CAPTION = 22
CAPTION_WIDTH = 736
"""Sizes of the letters of tiles, on slides too, and of captions, and width of a caption, as on the page."""
LEFT_COLUMN = 0.6
"""Share of the first of two columns."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a sheet shows, in the order of the page. `chart` is a length by step, of which this is step `at`."""

    title: str
    caption: Words
    rows: Sequence[TileRow] = ()
    rows_left_out: int = 0
    around: TileRow | None = None
    figure: Drawing | None = None
    table: Table | None = None
    facts: Sequence[Fact] = ()
    learned: Sequence[Tile] = ()
    learned_text: str = ""
    chart: Sequence[int] = ()
    at: int = 0
    source: str = ""


def draw_sheets(sheets: Sequence[Sheet], shape: Shape) -> list[Drawing]:
    """Return the pictures of sheets, slides all of the same size, so that nothing jumps from one to the next.

    >>> [(drawing.width, drawing.height) for drawing in draw_sheets([Sheet("", ("a",))], "slide")]
    [(1280, 720)]
    """
    if shape == "text":
        return [
            _frame(sheet, layout := lay_out(sheet, TEXT_WIDTH, tile=TILE), layout.right + MARGIN, layout.height)
            for sheet in sheets
        ]
    layouts = _fit(sheets)
    scale = SLIDE_WIDTH / layouts[0].width
    height = SLIDE_WIDTH / RATIO
    free = max(0.0, min(height - layout.height * scale for layout in layouts))
    return [
        _frame(one, layout, SLIDE_WIDTH, height, scale, free / 2) for one, layout in zip(sheets, layouts, strict=True)
    ]


def _fit(sheets: Sequence[Sheet]) -> list[SheetLayout]:
    """Return the layouts of slides in the first width in which all of them fit, in one column or in two."""
    choices = [(width, columns) for width in WIDTHS for columns in (False, True)]
    number = 0
    for sheet in sheets:
        while number < len(choices) - 1 and not lay_out(sheet, *choices[number]).fits:
            number += 1
    return [lay_out(sheet, *choices[number]) for sheet in sheets]


def _frame(
    sheet: Sheet, layout: SheetLayout, width: float, height: float, scale: float = 1, down: float = 0
) -> Drawing:
    """Return a layout, which begins `down` from where it would, with the title above it and the source below."""
    size = SMALL if scale == 1 else SLIDE_SMALL
    width = max(width, *(measure(text, "sans", size) + 2 * MARGIN for text in (sheet.title, sheet.source)))
    labels = [
        Label(MARGIN * scale, 12 + size, sheet.title, middle=False, face="sans", size=size, soft=True),
        Label(MARGIN * scale, height - 0.8 * size, sheet.source, middle=False, face="sans", size=size, soft=True),
    ]
    return Drawing(
        ceil(width),
        ceil(height),
        labels=tuple(label for label in labels if label.text),
        says=f"{sheet.title}. {_plain(sheet.caption)}",
        parts=(PlacedDrawing(0, down, layout.drawing, scale),),
    )


def _plain(words: Words) -> str:
    return "".join(part if isinstance(part, str) else visible(part.text) for part in words)


def lay_out(sheet: Sheet, width: float, columns: bool = False, *, tile: float = SLIDE_TILE) -> SheetLayout:
    """Return the parts of a sheet one below the other, from the caption on; tables beside rows in `columns`."""
    layout = SheetLayout(width)
    top = layout.y
    if columns:
        layout.divide(LEFT_COLUMN)
    layout.put_words(sheet.caption, size=CAPTION, face="serif", wide=CAPTION_WIDTH)
    layout.y += SPACE
    if sheet.around:
        layout.put_row(sheet.around, size=CELL, faint=True)
        layout.y += ROW_GAP * TILE
    for row in sheet.rows:
        layout.put_row(row, size=tile)
    if sheet.rows_left_out:
        layout.put_note(f"and {sheet.rows_left_out:,} more")
    if sheet.figure:
        layout.put_figure(sheet.figure)
    if columns:
        layout.begin_column(top - SPACE)
    layout.put_beside(sheet.table, sheet.facts)
    if sheet.learned:
        layout.y += SPACE
        layout.put_note(sheet.learned_text)
        layout.put_words(separate(sheet.learned), size=CELL, face="sans")
    if len(sheet.chart) > 1:
        layout.put_chart(sheet.chart, sheet.at)
    layout.y = layout.height + SPACE + SMALL
    return layout
