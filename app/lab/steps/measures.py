"""Lengths of tiles, rows and tables in em, the size of their letters, so that no browser has to measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, inf
from unicodedata import combining, east_asian_width

from .step import Cell, Step, Table, Tile, TileRow
from .tiles import visible

TILE, SPACE, LINE, ROW = 0.76, 0.18, 1.83, 1.85
"""Of tiles: padding, the space to the next one, the height of a line that goes on, and that of a row."""
CELL, CELL_PADDING, PHRASE, FACT, CODE = 1.34, 0.9, 15.0, 20.0, 30.0
"""Of tables: the height of a line, the padding of a cell, and the widest phrase, figure and code, which wrap."""
STACK_ROOM = 0.97
"""Of the width of a row, what stacks are sure to have: some signs come from a wider typeface."""
LEFT_OUT = 5.0
"""Width of the number of tiles that are left out at an end of a row."""


@lru_cache(maxsize=4096)
def measure_text(text: str, glyph: float = 0.6) -> float:
    """Return the width of a text in em: East Asian wide characters count twice, combining marks not at all.

    >>> round(measure_text("low"), 2), round(measure_text("你"), 2)
    (1.8, 1.2)
    """
    return glyph * sum(0 if combining(one) else 1 + (east_asian_width(one) in "WF") for one in visible(text))


def measure_tile(tile: Tile) -> float:
    """Return the width of a tile in em.

    >>> round(measure_tile(Tile("low", 0)), 2)
    2.56
    """
    return measure_text(tile.text) + TILE


def measure_cell(cell: Cell) -> float:
    """Return the width of a cell or a sentence in em."""
    parts = (cell,) if isinstance(cell, str) else cell
    texts = sum(measure_text(one, 0.53) for one in parts if isinstance(one, str))
    return texts + sum(measure_text(one.text) + 0.81 for one in parts if not isinstance(one, str))


def wrap(widths: Iterable[float], room: float, space: float = SPACE) -> int:
    """Return how many lines boxes take; one that is wider than a line breaks inside."""
    lines, at = 1, 0.0
    room = max(room, 1.0)
    for width in widths:
        if at and at + width > room:
            lines, at = lines + 1, 0.0
        lines += int(width / room)
        at += width + space
    return lines


def count_lines(row: TileRow, room: float) -> int:
    """Return how many lines a row takes in a width."""
    left_out = LEFT_OUT * (bool(row.left_out_before) + bool(row.left_out_after))
    return wrap([left_out, *map(measure_tile, row.tiles)], room)


def _row_height(row: TileRow, room: float) -> float:
    return ROW + (count_lines(row, room) - 1) * LINE


def measure_rows(step: Step, room: float, columns: int = 1) -> float:
    """Return the height of the rows of a step in em."""
    if step.stacks:
        lines = wrap(measure_stacks(step), STACK_ROOM * room)
        return lines * len(step.rows) * LINE + (lines - 1) * 0.5
    heights = [_row_height(row, room) for row in step.rows]
    if columns > 1 and max(heights, default=0) > ROW:
        return inf
    return sum(max(heights[at : at + columns]) for at in range(0, len(heights), columns))


def measure_stacks(step: Step) -> list[float]:
    """Return the width of each column of a step in em."""
    return [max(sum(map(measure_tile, tiles)) + SPACE * (len(tiles) - 1) for tiles in stack) for stack in step.stacks]


def split_stacks(step: Step, room: float) -> list[list[list[tuple[Tile, ...]]]]:
    """Return the stacks of a step in the bands that they take in a width in em; none ends with a stack alone.

    >>> rows = (TileRow(tuple(Tile(letter, 0) for letter in "abcde")),)
    >>> [len(band) for band in split_stacks(Step((), rows, columns=((1,) * 5,)), 6.5)]
    [3, 2]
    """
    bands: list[list[list[tuple[Tile, ...]]]] = [[]]
    at = 0.0
    for stack, width in zip(step.stacks, measure_stacks(step), strict=True):
        if at and at + width > STACK_ROOM * room:
            bands.append([])
            at = 0.0
        bands[-1].append(stack)
        at += width + SPACE
    if len(bands) > 1 and len(bands[-1]) == 1 and len(bands[-2]) > 2:
        bands[-1].insert(0, bands[-2].pop())
    return bands


def find_turn(row: TileRow, room: float) -> int:
    """Return the tile with which the last line of a row in a width in em begins, if only one would stand in it, or 0.

    >>> letters = TileRow(tuple(Tile(letter, 0) for letter in "abcd"))
    >>> find_turn(letters, 5), find_turn(letters, 4)
    (2, 0)
    """
    widths = [*map(measure_tile, row.tiles)]
    whole = row.left_out_after or len(widths) < 3 or widths[-2] + SPACE + widths[-1] > room
    before = [LEFT_OUT] * bool(row.left_out_before) + widths[:-1]
    return 0 if whole or wrap([*before, widths[-1]], room) == wrap(before, room) else len(widths) - 2


def measure_facts(step: Step) -> tuple[float, ...]:
    """Return the widths of the figures of a step in em, after two lines of what is learned."""
    facts = (measure_text(f"{fact.name} {fact.value} {fact.change}", 0.53) for fact in step.facts)
    return (*((1.0, 1.0) if step.learned_count else ()), *facts)


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


def measure_table(table: Table | None, phrase: float, facts: tuple[float, ...] = ()) -> TableShape:
    """Return what a table needs whose phrases are at most so wide, with the figures below it."""
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
    rows = sum(count_table_lines(table, phrase).values()) + bool(table.left_out)
    return TableShape(width, rows, title, tuple(heads), facts)


def count_table_lines(table: Table, phrase: float) -> Mapping[int, float]:
    """Return the lines of each row."""
    if table.code:
        widths = [[measure_cell((atom,)) * 0.6 / 0.53 for atom in row.cells[-1]] for row in table.rows]
        return {at: wrap(atoms, CODE, space=0) + 0.15 for at, atoms in enumerate(widths)}
    found = ([ceil(measure_cell(row.cells[at]) / phrase) for at in table.prose] for row in table.rows)
    return {at: max(lines, default=1) for at, lines in enumerate(found)}
