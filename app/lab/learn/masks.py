"""Masks of attention as drawings: what asks, what answers, and which of it may be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..steps.drawing import Box, Drawing, Label, Stroke, tile_tone
from ..steps.frames import Tile
from ..steps.tiles import visible

CELL = 22
LETTER = 13
LEFT = 112
GAP = 4
"""Width and height of a cell, size of letters, width of the names of rows, and space between lines."""
PAIR = 10
"""What a cell is wider if a tile has two characters, such as a byte in hex."""
LONGEST = 11
"""Characters of the name of a row."""
FAINTEST = 0.2
"""Strength of the colour of a weight near zero."""


@dataclass(frozen=True, slots=True)
class MaskLine:
    """A line of tiles above the columns, and what it is called."""

    title: str
    tiles: Sequence[Tile]


def draw_mask(
    lines: Sequence[MaskLine],
    rows: Sequence[Tile],
    weights: Sequence[Sequence[float]],
    says: str,
    newest: int | None = None,
) -> Drawing:
    """Draw a matrix with a row for each of `rows` and a column for each tile of the lines above.

    A cell is coloured as its row, the stronger the higher its weight; one of weight zero is empty. There
    may be fewer rows of weights than rows, while they come one by one; the name of the
    newest is bold.
    """
    top = (CELL + GAP) * len(lines)
    wide = CELL + PAIR * any(len(tile.text) > 1 for line in lines for tile in line.tiles)
    right, bottom = LEFT + wide * len(lines[0].tiles), top + CELL * len(rows)
    boxes = list[Box]()
    labels = list[Label]()
    for number, line in enumerate(lines):
        y = (CELL + GAP) * number
        labels.append(Label(LEFT - 8, y + 16, line.title, end=True, middle=False, face="sans", size=LETTER))
        boxes += [_cell(LEFT + wide * at, y, wide, tile, visible(tile.text)) for at, tile in enumerate(line.tiles)]
    for number, tile in enumerate(rows):
        y = top + CELL * number
        name = visible(tile.text)
        short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
        labels.append(
            Label(LEFT - 8, y + 16, short, bold=number == newest, end=True, middle=False, face="sans", size=LETTER)
        )
    for number, row in enumerate(weights):
        boxes += [
            _cell(LEFT + wide * at, top + CELL * number, wide, rows[number], "", FAINTEST + (1 - FAINTEST) * weight)
            for at, weight in enumerate(row)
            if weight
        ]
    across = "".join(f"M{LEFT} {top + CELL * number}H{right}" for number in range(len(rows) + 1))
    down = f"M{LEFT} {top}V{bottom}M{right} {top}V{bottom}"
    return Drawing(
        width=right + 8,
        height=bottom + 6,
        boxes=tuple(boxes),
        strokes=(Stroke(across + down),),
        labels=tuple(labels),
        says=says,
    )


def _cell(x: float, y: float, wide: float, tile: Tile, text: str, share: float = 1) -> Box:
    return Box(x + 1, y + 1, wide - 2, text, tile_tone(tile), height=CELL - 2, size=LETTER, share=share)
