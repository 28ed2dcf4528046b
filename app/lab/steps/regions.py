"""The regions of a stage: the picture left, the evidence right, the sentence below.

They stay from step to step; `choosing` chooses them. The stage is `WIDTH` units wide; on a projector a unit is a pixel.
What has no room with the smallest letters is counted instead.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .drawing import LETTER, Drawing, tree
from .lattice import lattice
from .measures import (
    CELL,
    LEFT_OUT,
    PHRASE,
    ROW,
    count_lines,
    count_table_lines,
    measure_facts,
    measure_rows,
    measure_table,
    measure_tile,
    wrap,
)
from .step import MergeTreeNode, Step, Table, Tile, TileRow

WIDTH, HEIGHT, GAP = 1792, 820, 56
"""Units of the stage: its width, the height of all regions, and the space between picture and evidence."""
LETTERS = (132, 108, 84, 72, 60, 52, 44, 38, 34, 30, 28)
TABLE_LETTERS = (40, 36, 32, 30, 28)
SENTENCE_LETTERS = (48, 44, 40, 36, 32, 28)
"""Sizes of letters. The smallest is still read from the last row."""
SMALLEST = LETTERS[-1]
BELOW = (140, 200, 240, 280, 320)
"""Heights of the region of the sentence and the question."""
FIGURE_LETTER, FIGURE_SHARE = 16, 0.47
"""The size of the letters of a figure, in its own lengths, and the least share of the height of a picture."""
ARC, LATTICE, POSITION = 40, 320, 44
"""Lengths of a lattice: the height of an arc for each character of its token, the most height that it is sure to have,
and the width of a position."""
AROUND_LETTER = 30
"""The size of the letters of the words around a token."""


@dataclass(frozen=True, slots=True)
class Regions:
    """Where a stage shows what: `side` is the width of the evidence in percent, 0 if no step has any.

    `letters`, `table` and `sentence` are the sizes of letters. The rows of the picture stand in `columns`, each after a
    label of up to `labels` characters; below the table are `facts` lines of figures. `rows` is the height of the rows
    above a drawing, and `below` that of the region of the sentence. `beside_code` is the size of the letters of the
    pictures that have room beside the code. A `phrase` of a table is at most as wide, in em. On a phone, picture and
    evidence are as high as `narrow` says, in rem.
    """

    side: int = 0
    letters: int = LETTERS[-1]
    table: int = TABLE_LETTERS[-1]
    sentence: int = SENTENCE_LETTERS[0]
    columns: int = 1
    labels: int = 0
    facts: int = 0
    beside_code: int = SMALLEST
    rows: float = 0
    below: int = BELOW[0]
    phrase: float = PHRASE
    narrow: tuple[int, int] = (13, 13)

    @property
    def width(self) -> float:
        """Width of the picture in units.

        >>> Regions().width, Regions(side=50).width
        (1792, 840.0)
        """
        return WIDTH * (1 - self.side / 100) - GAP if self.side else WIDTH

    @property
    def height(self) -> int:
        """Height of picture and evidence in units."""
        return HEIGHT - self.below

    @property
    def room(self) -> float:
        """Width of a row of tiles in em."""
        label = self.labels * max(0.36, 15 / self.letters) + 0.5 * (self.labels > 0)
        return self.width / self.letters / self.columns - label

    @property
    def table_room(self) -> float:
        """Width of the evidence in em."""
        return max(1.0, WIDTH * self.side / 100 / self.table)

    @property
    def lines(self) -> int:
        """Lines of the evidence: of a table, with its title and heads, and of figures."""
        return int((self.height - 8) / (CELL * self.table))


def measure_height(step: Step, regions: Regions) -> float:
    """Return the height of the picture of a step in units."""
    drawn = -20.0
    if step.lattice:
        longest = max((arc.end - arc.start for arc in step.lattice.arcs), default=1)
        drawn = min(92 + ARC * longest, LATTICE) * SMALLEST / FIGURE_LETTER
    elif step.figure:
        drawn = step.figure.height * _scale(step, step.figure, regions)
    return measure_rows_above(step, regions) + drawn + 20


def measure_rows_above(step: Step, regions: Regions) -> float:
    """Return the height in units of the rows of a step, and of the words around its token."""
    return measure_rows(step, regions.room, regions.columns) * regions.letters + 80 * (step.around is not None)


def _scale(step: Step, figure: Drawing, regions: Regions) -> float:
    """Return how much larger a figure is on the stage than in its own lengths: it takes what its rows leave."""
    free = max(FIGURE_SHARE * regions.height, regions.height - measure_rows_above(step, regions) - 20)
    return min(regions.width / figure.width, free / figure.height)


def measure_drawn_letters(step: Step, regions: Regions) -> float:
    """Return the size of the letters in the drawing of a step, as far as it matters."""
    if step.lattice:
        return min(32, FIGURE_LETTER * regions.width / (POSITION * (len(step.lattice.characters) + 2)))
    return min(32, FIGURE_LETTER * _scale(step, step.figure, regions)) if step.figure else 32


def draw(step: Step, regions: Regions, trees: Sequence[MergeTreeNode] = ()) -> Drawing | None:
    """Return the drawing below the rows of a step: its lattice, its figure, or merge trees as far as they have grown.

    A lattice takes the whole width, with letters that are read from the last row. Trees without room are not drawn.
    """
    scale = SMALLEST / FIGURE_LETTER
    if step.lattice:
        height = regions.height - regions.rows - 20
        return lattice(step.lattice, width=regions.width / scale, height=height / scale)
    whole, grown = tree(trees), tree(trees, step=step.number)
    if step.figure or not whole or not grown:
        return step.figure
    scale = SMALLEST / LETTER
    free = regions.height - measure_height(step, regions) - 20
    has_room = whole.height * scale <= free and whole.width * scale <= regions.width
    return replace(grown, width=regions.width / scale) if has_room else None


def place(step: Step, regions: Regions) -> Step:
    """Return a step with as many rows, tiles and lines of its table as its regions have room for; the rest is counted.

    >>> word = TileRow(tuple(Tile("token", 0) for _ in range(500)))
    >>> placed = place(Step(("Many.",), (word,)), Regions()).rows[0]
    >>> len(placed.tiles), placed.left_out_after
    (205, 295)
    """
    around, room = step.around, regions.width / AROUND_LETTER
    if around and count_lines(around, room) > 1:
        around = _shorten_row(around, 1, room)
    return replace(
        step,
        around=around,
        table=step.table and _shorten_table(step.table, regions, measure_facts(step)),
        **_shorten_rows(step, regions),
    )


def _shorten_table(table: Table, regions: Regions, facts: tuple[float, ...]) -> Table:
    shape = replace(measure_table(table, regions.phrase, facts), rows=bool(table.left_out))
    free: float = regions.lines - shape.count_lines(regions.table_room)
    lines = count_table_lines(table, regions.phrase)
    if sum(lines.values()) <= free:
        return table
    wanted = sorted(lines, key=lambda at: (not table.rows[at].chosen, at))
    kept = set[int]()
    for at in wanted:
        if lines[at] > free - (not table.left_out):
            break
        free -= lines[at]
        kept.add(at)
    rows = tuple(row for at, row in enumerate(table.rows) if at in kept)
    return replace(table, rows=rows, left_out=table.left_out + len(table.rows) - len(rows))


def _shorten_rows(step: Step, regions: Regions) -> Mapping[str, Any]:
    """Return the fields of a step that change if its rows take more lines than there are."""
    if not step.rows or measure_height(step, regions) <= regions.height:
        return {}
    apart = measure_height(replace(step, rows=(), columns=()), regions)
    lines = regions.columns * max(1, int((regions.height - apart) / (regions.letters * ROW)))
    shown = step.rows[:lines]
    rows = tuple(_shorten_row(row, lines // len(shown), regions.room) for row in shown)
    return {"rows": rows, "columns": (), "rows_left_out": step.rows_left_out + len(step.rows) - len(shown)}


def _shorten_row(row: TileRow, lines: int, room: float) -> TileRow:
    """Return a row that takes so many lines, with the tile that this step made."""
    news = next((at for at, tile in enumerate(row.tiles) if tile.mark == "new"), 0)
    first = 0
    while True:
        shown = _count_tiles(row.tiles[first:], lines, room)
        if news < first + shown:
            break
        first = news - shown // 2
    before, after = row.left_out_before + first, row.left_out_after + len(row.tiles) - first - shown
    return replace(row, tiles=row.tiles[first : first + shown], left_out_before=before, left_out_after=after)


def _count_tiles(tiles: Sequence[Tile], lines: int, room: float) -> int:
    """Return how many tiles have room in so many lines, with counts of what is left out at both ends."""
    widths = [*map(measure_tile, tiles)]
    if wrap([LEFT_OUT, *widths], room) <= lines:
        return len(tiles)
    sizes = range(len(tiles))
    return max(1, bisect_right(sizes, lines, key=lambda size: wrap([2 * LEFT_OUT, *widths[:size]], room)) - 1)
