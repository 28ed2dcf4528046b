"""The stages of a pipeline as a picture: each cell below what it came from, as on the page."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from ... import __version__
from ..steps.drawing import PAD, Box, Drawing, Label, Stroke, tone
from ..steps.frames import Mark
from ..steps.tiles import visible
from ..typefaces import is_rtl, measure
from .layout import BandCell, BandPiece, BandRow, tables
from .run import PipelineRun

LETTER = 18
SMALL = 13
ID = 11
ROW = 44
TALL = 28
"""Sizes of letters of pieces, of what stands beside them and of ids; height of a row, and of a piece."""
TITLE = 40
SPACE = 24
"""Room of the title, and between the tables of a long text."""
MARKS: dict[str, Mark] = {"inserted": "byte", "special": "byte", "unknown": "special", "padding": "rest"}
LEGEND = "Underlined: other characters than above · dashed: inserted · strong edge: unknown token · ×: removed"


def draw_pipeline(run: PipelineRun) -> Drawing:
    """Return the tables of a run one below the other, those of a text from right to left begin at the right."""
    systems, whole = tables(run)
    title = f"A text through the pipeline of {run.source.id}"
    boxes, strokes, labels = list[Box](), list[Stroke](), [Label(PAD, 28, title, bold=True, middle=False)]
    left = 2 * PAD + max(_head_width(row) for rows in systems for row in rows)
    columns = [_columns(rows) for rows in systems]
    right = max(left + sum(widths) for widths in columns)
    rtl = is_rtl([run.question.text])
    y = float(TITLE)
    for rows, widths in zip(systems, columns, strict=True):
        for row in rows:
            strokes.append(Stroke(f"M{PAD} {y + ROW:g}H{right:g}"))
            labels += _head(row, y)
            for cell, x, width in _places(row, widths):
                place = right - x - width if rtl else left + x
                cell = replace(cell, pieces=cell.pieces[::-1]) if rtl else cell
                _draw_cell(boxes, strokes, labels, row, cell, place, y, width)
            y += ROW
        y += SPACE
    notes = [LEGEND, f"Made with Tokenarium {__version__}"]
    if not whole:
        notes.insert(0, "The pieces of the first characters; those that follow are left out.")
    for note in notes:
        labels.append(Label(PAD, y, note, middle=False, face="sans", size=SMALL, soft=True))
        y += SPACE
    wide = max(right, *(measure(note, "sans", SMALL) for note in notes), measure(title, "serif", 20, bold=True)) + PAD
    return Drawing(wide, y, tuple(boxes), tuple(strokes), tuple(labels), says=title)


def _head_width(row: BandRow) -> float:
    return max(measure(row.title, "sans", SMALL + 2), measure(row.type, "sans", SMALL))


def _head(row: BandRow, y: float) -> Iterator[Label]:
    """Yield the name of a stage, and below it that of its component."""
    yield Label(PAD, y + (18 if row.type else 26), row.title, middle=False, face="sans", size=SMALL + 2)
    if row.type:
        yield Label(PAD, y + 35, row.type, middle=False, face="sans", size=SMALL, soft=True)


def _piece_width(piece: BandPiece) -> float:
    number = 0 if piece.id is None else measure(str(piece.id), "sans", ID) + 4
    return max(measure(visible(piece.text), "mono", LETTER) + 10, number)


def _cell_width(cell: BandCell) -> float:
    return sum(_piece_width(piece) + 2 for piece in cell.pieces)


def _columns(rows: Sequence[BandRow]) -> list[float]:
    """Return the widths of columns in which every cell has room, those that span several at last."""
    count = max((sum(cell.span for cell in row.cells) for row in rows), default=0)
    widths = [6.0] * count
    cells = [
        (cell.span, at - cell.span, _cell_width(cell))
        for row in rows
        for cell, at in zip(row.cells, accumulate(cell.span for cell in row.cells), strict=True)
    ]
    for span, at, need in sorted(cells):
        lacking = need - sum(widths[at : at + span])
        for column in range(at, at + span):
            widths[column] += max(0, lacking) / span
    return widths


def _places(row: BandRow, widths: Sequence[float]) -> Iterator[tuple[BandCell, float, float]]:
    """Yield the cells of a row with their places and widths."""
    at, x = 0, 0.0
    for cell in row.cells:
        width = sum(widths[at : at + cell.span])
        yield cell, x, width
        at, x = at + cell.span, x + width


def _draw_cell(
    boxes: list[Box],
    strokes: list[Stroke],
    labels: list[Label],
    row: BandRow,
    cell: BandCell,
    x: float,
    y: float,
    width: float,
) -> None:
    middle = x + width / 2
    if cell.gone:
        strokes.append(Stroke(f"M{middle - 4:.1f} {y + 18:g}l8 8m0 -8l-8 8", "strike"))
    x = middle - _cell_width(cell) / 2
    for piece in cell.pieces:
        own = _piece_width(piece)
        plain = piece.id is None
        numbered = not plain and row.stage == "model"
        top = y + (2 if numbered else (ROW - TALL) / 2)
        mark = MARKS.get(piece.kind, "missed" if plain else "")
        color = 0 if piece.id is None else tone(piece.id)
        share = 0.0 if plain else 1.0
        boxes.append(Box(x, top, own, visible(piece.text), color, height=TALL, size=LETTER, mark=mark, share=share))
        if piece.kind == "changed":
            strokes.append(Stroke(f"M{x + 5:.1f} {top + TALL - 4:.1f}H{x + own - 5:.1f}", "strike"))
        if numbered:
            labels.append(Label(x + own / 2, y + 41, str(piece.id), face="sans", size=ID))
        x += own + 2
