"""The regions of a stage: the picture left, the evidence right, the sentence below.

They are chosen once for all steps of a run or a scene, by those that need most, and stay from step to step. The stage
is `WIDTH` units wide; on a projector a unit is a pixel. Lengths within a region are in em, the size of its letters, so
that no browser has to measure. What has no room with the smallest letters is counted instead.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import nlargest
from itertools import islice
from math import ceil, inf
from typing import Any
from unicodedata import combining, east_asian_width

from .drawing import LETTER, Drawing, tree
from .lattice import lattice
from .step import Cell, MergeTreeNode, Step, Table, Tile, TileRow, Words
from .tiles import visible

WIDTH, HEIGHT, GAP = 1792, 820, 56
"""Units of the stage: its width, the height of all regions, and the space between picture and evidence."""
LETTERS = (132, 108, 84, 72, 60, 52, 44, 38, 34, 30, 28)
TABLE_LETTERS = (40, 36, 32, 30, 28)
SENTENCE_LETTERS = (48, 44, 40, 36, 32, 28)
"""Sizes of letters. The smallest is still read from the last row."""
SMALLEST = LETTERS[-1]
LARGEST_BESIDE = 84
"""The largest letters of a picture beside evidence."""
CODE_SIDE = 54
"""The width of the code beside a picture, in percent of the stage."""
WHOLE = 40
"""Tiles of the longest row for which letters get smaller before it wraps."""
SIDES = (30, 36, 42, 48, 54, 60)
"""Widths of the evidence in percent of the stage."""
LABELS = (0, 4, 7, 10, 14, 20)
"""Widths of the labels of rows, in characters."""
BELOW = (140, 200, 240, 280, 320)
"""Heights of the region of the sentence and the question."""
FOOT = 80
"""Units of the player, whose place an open question takes, too."""
MAX_MEASURED, HEAVIEST = 100, 8
"""Steps of a run that are looked at, as its first ones have the most pieces, and those that are measured after the
first, which may be the only one with a row."""
TILE, SPACE, LINE, ROW = 0.76, 0.18, 1.83, 1.85
"""Of tiles, in em: padding, the space to the next one, the height of a line that goes on, and that of a row."""
CELL, CELL_PADDING, PHRASE, NARROW_PHRASE, FACT, CODE = 1.34, 0.9, 15.0, 7.5, 20.0, 30.0
"""Of tables, in em: the height of a line, the padding of a cell, and the widest phrase, figure and code, which wrap;
beside a lattice, phrases are narrow."""
SECOND_BAND, MORE_BANDS = 0.75, 0.4
"""What the second line of a row costs, and each later one, in sizes of letters by 30."""
FIGURE_LETTER, FIGURE_SHARE = 16, 0.47
"""The size of the letters of a figure, in its own lengths, and the least share of the height of a picture."""
ARC, LATTICE, POSITION = 40, 320, 44
"""Lengths of a lattice: the height of an arc for each character of its token, the most height that it is sure to have,
and the width of a position."""
STACK_ROOM = 0.97
"""Of the width of a row, what stacks are sure to have: some signs come from a wider typeface."""
LEFT_OUT, AROUND_LETTER = 5.0, 30
"""Width in em of the number of tiles that are left out at an end of a row, and letters of the words around a token."""
NARROW_HEIGHTS = (5, 8, 10, 13, 16, 20, 24, 28, 34, 40)
"""Heights in rem of a region on a phone, where the regions stand below each other."""
NARROW_ROW, NARROW_LETTERS, NARROW_DRAWING, NARROW_TABLE, NARROW_TABLE_LETTERS = 19.0, 1.15, 30, 22.0, 0.9375
"""On a phone: the width of a row in em and its letters in rem, the least width of a drawing in rem, and the width of a
table in em and its letters in rem."""


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


def choose_regions(steps: Iterable[Step], question: int = 0) -> Regions:
    """Return the regions of a run or a scene, whose question has so many units of height, if it has one.

    >>> row = TileRow(tuple(Tile(letter, 0) for letter in "strawberry"))
    >>> choose_regions([Step(("A word.",), (row,))]).letters
    108
    """
    seen = [*islice(steps, MAX_MEASURED)]
    below = next((one for one in BELOW if one + FOOT >= question), BELOW[-1])
    labels = max((len(row.label) for step in seen for row in step.rows), default=0)
    base = Regions(
        sentence=next((size for size in SENTENCE_LETTERS if all(_has_room(step.sentence, size) for step in seen)), 28),
        labels=next((one for one in LABELS if one >= labels), LABELS[-1]),
        below=below,
        phrase=NARROW_PHRASE if any(step.lattice for step in seen) else PHRASE,
    )
    shapes = {_shape(step.table, base.phrase, _measure_facts(step)) for step in seen}
    pictures = [*seen[:1], *nlargest(HEAVIEST, seen[1:], key=_weigh)]
    sides = SIDES if any(shape.width for shape in shapes) else (0,)
    best = max((_fill(replace(base, side=side), pictures, shapes) for side in sides), key=lambda one: one[0])[1]
    heights = [measure_narrow(step, best) for step in seen]
    picture, evidence = (_round_height(max((one[at] for one in heights), default=0)) for at in (0, 1))
    return replace(best, narrow=(picture, evidence), beside_code=_choose_beside_code(pictures, best))


def _round_height(height: float) -> int:
    return next((one for one in NARROW_HEIGHTS if one >= height), NARROW_HEIGHTS[-1])


def _choose_beside_code(pictures: Sequence[Step], regions: Regions) -> int:
    """Return the largest letters with which all pictures that have room beside the code at all have it."""
    most = min(regions.letters, LARGEST_BESIDE)
    small = [_place_beside_code(regions, size) for size in LETTERS if size <= most]
    fitting = [step for step in pictures if _has_height([step], small[-1])]
    return next((one.letters for one in small if _has_height(fitting, one)), SMALLEST)


def choose_letters_beside_code(step: Step, regions: Regions) -> int:
    """Return the size of the letters of a step while the code stands beside it, 0 if it has no room there.

    >>> row = TileRow(tuple(Tile(letter, 0) for letter in "strawberry"))
    >>> choose_letters_beside_code(Step((), (row,)), Regions(beside_code=44))
    44
    """
    return regions.beside_code if _has_height([step], _place_beside_code(regions, regions.beside_code)) else 0


def _place_beside_code(regions: Regions, letters: int) -> Regions:
    """Return the regions that code leaves for a picture."""
    return replace(regions, side=CODE_SIDE, columns=1, letters=letters)


def _has_height(pictures: Iterable[Step], regions: Regions) -> bool:
    return all(measure_height(step, regions) <= regions.height for step in pictures)


def _measure_facts(step: Step) -> tuple[float, ...]:
    """Return the widths of the figures of a step in em, after two lines of what is learned."""
    facts = (measure_text(f"{fact.name} {fact.value} {fact.change}", 0.53) for fact in step.facts)
    return (*((1.0, 1.0) if step.learned_count else ()), *facts)


def _fill(regions: Regions, pictures: Sequence[Step], shapes: set[TableShape]) -> tuple[float, Regions]:
    """Return regions with the largest letters that have room, and how good they are."""
    most = max((len(step.rows) for step in pictures), default=0) // 2  # a few rows stand below each other
    sizes = (size for size in LETTERS if size <= LARGEST_BESIDE or not regions.side)
    pairs = ((size, columns) for size in sizes for columns in range(1, max(1, min(3, most)) + 1))
    placed = (replace(regions, letters=size, columns=columns) for size, columns in pairs)
    fitting = [one for one in placed if _has_height(pictures, one)]
    ratings = [_rate_picture(pictures, one) for one in fitting]
    best = fitting[ratings.index(max(ratings))] if fitting else None
    chosen = best or regions
    wide = 0.98 * WIDTH * regions.side / 100  # letters of another font are a little wider
    narrow = [replace(chosen, table=one) for one in TABLE_LETTERS if all(shape.width * one <= wide for shape in shapes)]
    whole = next(
        (one for one in narrow if all(shape.count_lines(one.table_room) <= one.lines for shape in shapes)), None
    )
    chosen = whole or (narrow[-1] if narrow else chosen)
    facts = max((shape.count_facts(chosen.table_room) for shape in shapes), default=0)
    rows = max((_rows_height(step, chosen) for step in pictures if step.figure or step.lattice), default=0)
    drawn = min((_drawn_letters(step, chosen) for step in pictures), default=32) / 32
    score = (
        bool(best)
        + 2 * bool(whole)
        + (9 if narrow else regions.side / 100)
        + max(ratings, default=-3)
        + chosen.table / 40
        + 2 * drawn
    )
    return score, replace(chosen, rows=rows, facts=facts)


def _rate_picture(pictures: Sequence[Step], regions: Regions) -> float:
    """Return how good the letters of a picture are: larger ones, but for a row that is whole only with smaller ones.

    A row that wraps with small letters, too, may take a few more lines.
    """
    bands = [_count_bands(step, regions) for step in pictures]
    lost = sum(SECOND_BAND * min(1, one - 1) + MORE_BANDS * max(0, one - 2) for one in bands) / max(1, len(bands))
    return min(regions.letters, 60) / 30 - lost


def _count_bands(step: Step, regions: Regions) -> int:
    """Return how many bands the widest row of a step takes, as far as it has few tiles."""
    if step.stacks:
        return _wrap(_stack_widths(step), STACK_ROOM * regions.room) if len(step.stacks) <= WHOLE else 1
    few = (row for row in step.rows if len(row.tiles) <= WHOLE)
    return max((_count_lines(row, regions.room) for row in few), default=1)


def measure_height(step: Step, regions: Regions) -> float:
    """Return the height of the picture of a step in units."""
    drawn = -20.0
    if step.lattice:
        longest = max((arc.end - arc.start for arc in step.lattice.arcs), default=1)
        drawn = min(92 + ARC * longest, LATTICE) * SMALLEST / FIGURE_LETTER
    elif step.figure:
        drawn = step.figure.height * _scale(step, step.figure, regions)
    return _rows_height(step, regions) + drawn + 20


def _rows_height(step: Step, regions: Regions) -> float:
    return _measure_rows(step, regions.room, regions.columns) * regions.letters + 80 * (step.around is not None)


def _measure_rows(step: Step, room: float, columns: int = 1) -> float:
    """Return the height of the rows of a step in em."""
    if step.stacks:
        lines = _wrap(_stack_widths(step), STACK_ROOM * room)
        return lines * len(step.rows) * LINE + (lines - 1) * 0.5
    heights = [_row_height(row, room) for row in step.rows]
    if columns > 1 and max(heights, default=0) > ROW:
        return inf
    return sum(max(heights[at : at + columns]) for at in range(0, len(heights), columns))


def measure_narrow(step: Step, regions: Regions) -> tuple[float, float]:
    """Return the heights in rem of the picture and of the evidence of a step on a phone.

    >>> row = TileRow(tuple(Tile("token", at) for at in range(9)))
    >>> [round(height, 1) for height in measure_narrow(Step((), (row,)), Regions())]
    [6.9, 0.0]
    """
    shown = place(step, regions)
    rows = _measure_rows(shown, NARROW_ROW - 0.36 * regions.labels - 0.5 * (regions.labels > 0))
    rows += LINE * len(shown.rows) * bool(shown.stacks and len(split_stacks(shown, regions.room)) > 1)
    drawing = draw(shown, regions)
    drawn = NARROW_DRAWING * drawing.height / drawing.width + 0.8 if drawing else 0
    around = 2.5 if step.around else 0
    shape = _shape(shown.table, regions.phrase, _measure_facts(step))
    lines = shape.count_lines(NARROW_TABLE) if shape.width else 0
    return NARROW_LETTERS * rows + drawn + around + 0.6, NARROW_TABLE_LETTERS * CELL * lines


def find_turn(row: TileRow, room: float) -> int:
    """Return the tile with which the last line of a row in a width in em begins, if only one would stand in it, or 0.

    >>> letters = TileRow(tuple(Tile(letter, 0) for letter in "abcd"))
    >>> find_turn(letters, 5), find_turn(letters, 4)
    (2, 0)
    """
    widths = [*map(measure_tile, row.tiles)]
    whole = row.left_out_after or len(widths) < 3 or widths[-2] + SPACE + widths[-1] > room
    before = [LEFT_OUT] * bool(row.left_out_before) + widths[:-1]
    return 0 if whole or _wrap([*before, widths[-1]], room) == _wrap(before, room) else len(widths) - 2


def split_stacks(step: Step, room: float) -> list[list[list[tuple[Tile, ...]]]]:
    """Return the stacks of a step in the bands that they take in a width in em; none ends with a stack alone.

    >>> rows = (TileRow(tuple(Tile(letter, 0) for letter in "abcde")),)
    >>> [len(band) for band in split_stacks(Step((), rows, columns=((1,) * 5,)), 6.5)]
    [3, 2]
    """
    bands: list[list[list[tuple[Tile, ...]]]] = [[]]
    at = 0.0
    for stack, width in zip(step.stacks, _stack_widths(step), strict=True):
        if at and at + width > STACK_ROOM * room:
            bands.append([])
            at = 0.0
        bands[-1].append(stack)
        at += width + SPACE
    if len(bands) > 1 and len(bands[-1]) == 1 and len(bands[-2]) > 2:
        bands[-1].insert(0, bands[-2].pop())
    return bands


def _stack_widths(step: Step) -> list[float]:
    """Return the width of each column of a step in em."""
    return [max(sum(map(measure_tile, tiles)) + SPACE * (len(tiles) - 1) for tiles in stack) for stack in step.stacks]


def measure_tile(tile: Tile) -> float:
    """Return the width of a tile in em.

    >>> round(measure_tile(Tile("low", 0)), 2)
    2.56
    """
    return measure_text(tile.text) + TILE


@lru_cache(maxsize=4096)
def measure_text(text: str, glyph: float = 0.6) -> float:
    """Return the width of a text in em: East Asian wide characters count twice, combining marks not at all.

    >>> round(measure_text("low"), 2), round(measure_text("你"), 2)
    (1.8, 1.2)
    """
    return glyph * sum(0 if combining(one) else 1 + (east_asian_width(one) in "WF") for one in visible(text))


def _wrap(widths: Iterable[float], room: float, space: float = SPACE) -> int:
    """Return how many lines boxes take; one that is wider than a line breaks inside."""
    lines, at = 1, 0.0
    room = max(room, 1.0)
    for width in widths:
        if at and at + width > room:
            lines, at = lines + 1, 0.0
        lines += int(width / room)
        at += width + space
    return lines


def _count_lines(row: TileRow, room: float) -> int:
    left_out = LEFT_OUT * (bool(row.left_out_before) + bool(row.left_out_after))
    return _wrap([left_out, *map(measure_tile, row.tiles)], room)


def _row_height(row: TileRow, room: float) -> float:
    return ROW + (_count_lines(row, room) - 1) * LINE


def _scale(step: Step, figure: Drawing, regions: Regions) -> float:
    """Return how much larger a figure is on the stage than in its own lengths: it takes what its rows leave."""
    free = max(FIGURE_SHARE * regions.height, regions.height - _rows_height(step, regions) - 20)
    return min(regions.width / figure.width, free / figure.height)


def _drawn_letters(step: Step, regions: Regions) -> float:
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


def _weigh(step: Step) -> float:
    tiles = sum(sum(map(measure_tile, row.tiles)) for row in step.rows)
    return tiles + 12 * len(step.rows) + (40 if step.figure or step.lattice else 0)


def measure_cell(cell: Cell) -> float:
    """Return the width of a cell or a sentence in em."""
    parts = (cell,) if isinstance(cell, str) else cell
    texts = sum(measure_text(one, 0.53) for one in parts if isinstance(one, str))
    return texts + sum(measure_text(one.text) + 0.81 for one in parts if not isinstance(one, str))


def _has_room(sentence: Words, size: int) -> bool:
    return ceil(measure_cell(sentence) * 0.96 * size / WIDTH) * 1.4 * size <= BELOW[0]


@dataclass(frozen=True, slots=True)
class TableShape:
    """What the evidence of a step needs, in em: its table, with the lines of its rows, and the `facts` below it."""

    width: float
    rows: float = 0
    title: float = 0
    heads: tuple[tuple[float, float], ...] = ()
    facts: tuple[float, ...] = ()

    def count_facts(self, room: float) -> int:
        """Return the lines of the figures in a width."""
        return sum(ceil(fact / room) for fact in self.facts)

    def count_lines(self, room: float) -> int:
        """Return its lines in a width, with the title, and with heads that wrap where their column is narrower.

        >>> TableShape(20, 3, title=25, heads=((12, 8), (5, 12))).count_lines(20), TableShape(20, 3).count_lines(20)
        (7, 3)
        """
        wider = max(1.0, room / self.width) if self.width else 1.0
        heads = max((ceil(head / (column * wider)) for head, column in self.heads), default=0)
        return ceil(self.rows) + heads + ceil(self.title / room) + self.count_facts(room)


def _shape(table: Table | None, phrase: float, facts: tuple[float, ...] = ()) -> TableShape:
    widest_fact = min(max(facts, default=-CELL_PADDING) + CELL_PADDING, FACT)
    if table is None:
        return TableShape(widest_fact, facts=facts)
    titles = ([measure_text(word, 0.53) for word in head.split()] for head in table.heads)
    cells = ([measure_cell(row.cells[at]) for row in table.rows] for at in range(len(table.heads)))
    widths = [max([*words, *column], default=0.0) for words, column in zip(titles, cells, strict=True)]
    wrapped = dict.fromkeys(table.prose, phrase) | ({len(widths) - 1: CODE} if table.code else {})
    columns = [min(one, wrapped.get(at, one)) for at, one in enumerate(widths)]
    # A long title wraps, so that it widens no narrow table.
    title = measure_text(table.title, 0.53)
    width = max(sum(columns) + CELL_PADDING * len(columns) - 0.6, min(title, PHRASE), widest_fact)
    heads = ((measure_text(head, 0.53), column) for head, column in zip(table.heads, columns, strict=True) if head)
    rows = sum(_lines(table, phrase).values()) + bool(table.left_out)
    return TableShape(width, rows, title, tuple(heads), facts)


def _lines(table: Table, phrase: float) -> Mapping[int, float]:
    """Return the lines of each row."""
    if table.code:
        widths = [[measure_cell((atom,)) * 0.6 / 0.53 for atom in row.cells[-1]] for row in table.rows]
        return {at: _wrap(atoms, CODE, space=0) + 0.15 for at, atoms in enumerate(widths)}
    found = ([ceil(measure_cell(row.cells[at]) / phrase) for at in table.prose] for row in table.rows)
    return {at: max(lines, default=1) for at, lines in enumerate(found)}


def place(step: Step, regions: Regions) -> Step:
    """Return a step with as many rows, tiles and lines of its table as its regions have room for; the rest is counted.

    >>> word = TileRow(tuple(Tile("token", 0) for _ in range(500)))
    >>> placed = place(Step(("Many.",), (word,)), Regions()).rows[0]
    >>> len(placed.tiles), placed.left_out_after
    (205, 295)
    """
    around, room = step.around, regions.width / AROUND_LETTER
    if around and _count_lines(around, room) > 1:
        around = _shorten_row(around, 1, room)
    return replace(
        step,
        around=around,
        table=step.table and _shorten_table(step.table, regions, _measure_facts(step)),
        **_shorten_rows(step, regions),
    )


def _shorten_table(table: Table, regions: Regions, facts: tuple[float, ...]) -> Table:
    shape = replace(_shape(table, regions.phrase, facts), rows=bool(table.left_out))
    free: float = regions.lines - shape.count_lines(regions.table_room)
    lines = _lines(table, regions.phrase)
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
    if _wrap([LEFT_OUT, *widths], room) <= lines:
        return len(tiles)
    sizes = range(len(tiles))
    return max(1, bisect_right(sizes, lines, key=lambda size: _wrap([2 * LEFT_OUT, *widths[:size]], room)) - 1)


def measure_question(prompt: Words, choices: Sequence[Words], longest: int) -> int:
    """Return the height in units of a question with its choices, and with a verdict of so many characters below them.

    >>> measure_question(("Which pair is merged first?",), [("a",), ("b",)], 120)
    244
    """
    asked = ceil(measure_cell(prompt) * 0.92 * 44 / WIDTH) * 60
    offered = _wrap([0.92 * measure_cell(one) + 1.6 for one in (*choices, ("Show the answer",))], WIDTH / 36) * 72
    return asked + offered + ceil(longest * 0.49 * 36 / WIDTH) * 50 + 12
