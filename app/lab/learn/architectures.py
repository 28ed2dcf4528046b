"""Drawings of models: the four architectures of Large Concept Models, and masks of attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ..steps.drawing import Box, Drawing, Label, Stroke, tile_tone
from ..steps.step import Tile
from ..steps.tiles import visible
from .prose import build, read_prose

SO_FAR, NEXT, DRAFT = "context", "next", "draft"
"""Cells that are vectors: of the sentences so far, of the next one, and of the next one while it is not finished."""
WIDE, TALL, APART, ROOM = 132, 40, 20, 26
"""Sizes of a cell, space between cells, and room for a name above one."""
LETTER = 13
MOST = 3
"""Sentences that the context shows."""
FAINT = 0.3
"""Strength of the colour of a draft."""
CELL = 22
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
class Architecture:
    """A model that predicts the vector of the next sentence: its parts from left to right, and what it costs.

    Each column has the cells of one or two lanes; a single cell of a column has all lanes. A cell is a part with the
    number of its layers after a comma, or a vector; an empty one is left out. `again` says what is repeated, from the
    result to the beginning of the last lane. `layers` are those that run once for a sentence and those that run
    `rounds` times.
    """

    id: str
    name: str
    columns: Sequence[Sequence[str]]
    predicts: str
    loss: str
    layers: Sequence[int]
    rounds: int = 1
    draft: str = ""
    again: str = ""

    @property
    def runs(self) -> int:
        """How many layers run for one sentence.

        >>> [(one.id, one.runs) for one in ARCHITECTURES]
        [('base', 32), ('one-tower', 1280), ('two-tower', 525), ('quantized', 2048)]
        """
        once, each = self.layers
        return once + each * self.rounds


ARCHITECTURES = tuple(
    build(Architecture, table, f"architectures.toml: [{id}]", id=id)
    for id, table in read_prose("architectures.toml").items()
)


@dataclass(frozen=True, slots=True)
class MaskLine:
    """A line of tiles above the columns, and what it is called."""

    title: str
    tiles: Sequence[Tile]


def draw_architecture(one: Architecture, sentences: Sequence[Tile]) -> Drawing:
    """Draw an architecture with the sentences of a text as its context. The next sentence is the one after them."""
    columns = _place_cells(one)
    boxes, labels = list[Box](), list[Label]()
    for cell, frame in (placed for column in columns for placed in column):
        boxes += _fill_cell(cell, frame, sentences)
        labels += _name_cell(cell, frame, one)
    frames = [[frame for _, frame in column] for column in columns]
    strokes = [Stroke(_point(a, b)) for left, right in pairwise(frames) for a in left for b in right if _meet(a, b)]
    if all(one.layers):
        strokes.append(_point_down(*frames[2]))
    bottom = max(frame.y + frame.height for frame in frames[0])
    if one.again:
        left, right = (frame.x + frame.width / 2 for frame in (frames[0][-1], frames[-1][-1]))
        strokes.append(Stroke(f"M{right:g} {bottom + 3:g}v18H{left:g}v-16m-4 6l4 -6l4 6", "new"))
        labels.append(Label((left + right) / 2, bottom + 16, one.again, bold=True, face="sans", size=LETTER))
        bottom += 24
    return Drawing(
        width=frames[-1][-1].x + frames[-1][-1].width + 6,
        height=bottom + 4,
        boxes=tuple(boxes),
        strokes=tuple(strokes),
        labels=tuple(labels),
        says=_describe(one),
    )


def _place_cells(one: Architecture) -> list[list[tuple[str, Box]]]:
    """Return the cells of each column with their frames, which have no colour. A vector is a third as wide."""
    lanes = max(map(len, one.columns))
    columns = []
    for number, column in enumerate(one.columns):
        tall = TALL if len(column) == lanes else lanes * TALL + (lanes - 1) * ROOM
        columns.append(list[tuple[str, Box]]())
        for lane, cell in enumerate(column):
            left = 2 + number * (WIDE + APART) + (2 * WIDE / MOST if cell == DRAFT else 0)
            wide = WIDE / MOST if cell in (DRAFT, NEXT) else WIDE
            frame = Box(left, ROOM + lane * (TALL + ROOM), wide, "", 0, height=tall, size=LETTER, share=0)
            columns[-1] += [(cell, frame)] if cell else []
    return columns


def _fill_cell(cell: str, frame: Box, sentences: Sequence[Tile]) -> list[Box]:
    """Return what a cell shows: the last sentences by their numbers, the next one, fainter as a draft, or a frame."""
    if cell == SO_FAR:
        shown = [*enumerate(sentences, 1)][-MOST:]
        wide = frame.width / MOST
        left = frame.x + (MOST - len(shown)) * wide
        return [
            replace(frame, x=left + at * wide + 1, width=wide - 2, text=f"{number}", tone=tile_tone(tile), share=1)
            for at, (number, tile) in enumerate(shown)
        ]
    if cell in (DRAFT, NEXT):
        coming = Tile("", sentences[-1].key + 1)
        share = 1 if cell == NEXT else FAINT
        return [replace(frame, text=f"{len(sentences) + 1}", tone=tile_tone(coming), share=share)]
    return [frame]


def _name_cell(cell: str, frame: Box, one: Architecture) -> list[Label]:
    """Return the name of a part in its frame, and above it its layers, or what a vector is."""
    middle = frame.x + frame.width / 2
    name, _, layers = cell.partition(", ")
    above = {SO_FAR: "sentences", NEXT: "next", DRAFT: one.draft}.get(cell, f"{layers} layers" if layers else "")
    labels = [Label(middle, frame.y - 7, above, face="sans", size=LETTER)] if above else []
    if cell not in (SO_FAR, NEXT, DRAFT):
        labels.append(Label(middle, frame.y + frame.height / 2 + 4.5, name, bold=True, face="sans", size=LETTER))
    return labels


def _point_down(upper: Box, lower: Box) -> Stroke:
    """Return the arrow of cross-attention, left of the name of the lower cell."""
    start, end = upper.y + upper.height + 3, lower.y - 3
    return Stroke(f"M{upper.x + 14:g} {start:g}V{end:g}m-4 -6l4 6l4 -6", "best")


def _meet(left: Box, right: Box) -> bool:
    return left.y < right.y + right.height and right.y < left.y + left.height


def _point(left: Box, right: Box) -> str:
    """Return an arrow from a cell to the next one, at the height that both have."""
    lower, upper = min(left.y + left.height, right.y + right.height), max(left.y, right.y)
    y, end = (lower + upper) / 2, right.x - 3
    return f"M{left.x + left.width + 3:g} {y:g}H{end:g}m-6 -4l6 4l-6 4"


def _describe(one: Architecture) -> str:
    lanes = range(max(map(len, one.columns)))
    listed = ([column[lane] for column in one.columns if lane < len(column) and column[lane]] for lane in lanes)
    parts = "; ".join(map(" → ".join, listed))
    return f"{one.name}: {parts}{f'; {one.again}' if one.again else ''}"


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
