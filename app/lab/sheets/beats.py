"""The beats of a merge, each a frame of an animation: a pair is counted, then chosen, then joined."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from math import ceil

from ..steps.step import Row, Step, Table, Tile, TileRow
from .sheet import Sheet

MAX_COUNTS = 3
"""Frames in which a counter runs."""
MAX_STEPS = 60
"""Steps of the longest run whose merges are shown in beats."""


def split_beats(sheets: Sequence[Sheet]) -> Iterator[Sheet]:
    """Yield the frames of an animation: each merge in its beats, all other steps as they are.

    A pair is joined in the step that chooses it, or in the next one.
    """
    before = None
    for sheet in sheets:
        step = sheet.step
        if before and step.table and any(row.chosen for row in step.table.rows) and len(sheets) <= MAX_STEPS:
            chosen = _part(step, before) if step.joined else step
            beats = [*_count(chosen), chosen] if step.joined else _count(chosen)
            yield from (replace(sheet, step=beat) for beat in beats)
        yield sheet
        before = step


def _part(step: Step, before: Step) -> Step:
    """Return a step with the pairs that it joins still apart, and the figures and learned symbols as before it."""
    rows = tuple(replace(row, tiles=tuple(part for tile in row.tiles for part in _halve(tile))) for row in step.rows)
    return replace(
        before,
        rows=rows,
        sentence=step.sentence,
        table=step.table,
        around=step.around,
        rows_left_out=step.rows_left_out,
    )


def _halve(tile: Tile) -> tuple[Tile, ...]:
    return tuple(replace(half, mark="new") for half in tile.halves) or (tile,)


def _count(step: Step) -> list[Step]:
    """Return the beats in which the occurrences of the chosen pair light up, and its counter runs.

    >>> rows = (TileRow((Tile("a", 0, 0, "new"), Tile("b", 1, 1, "new")), "×6"),) * 2
    >>> table = Table("", ("pair", "count"), (Row(("a b", "12"), chosen=True),))
    >>> [beat.table.rows[0].cells[1] for beat in _count(Step((), rows, table=table))]
    ['6', '12']
    """
    table = step.table
    if not table or "count" not in table.heads:
        return []
    found = [*accumulate(map(_count_pairs, step.rows))]
    ends = [at for at, row in enumerate(step.rows) if _count_pairs(row)]
    ends = ends[len(ends) - 1 :: -max(1, ceil(len(ends) / MAX_COUNTS))][::-1]  # evenly, and the last one
    return [
        replace(step, table=_show_count(table, found[at], at == ends[-1]), rows=_light(step.rows, at)) for at in ends
    ]


def _count_pairs(row: TileRow) -> int:
    """Return how often the marked pair occurs in a row, as often as its label says."""
    weight = row.label.removeprefix("×").replace(",", "")
    return sum(tile.mark == "new" for tile in row.tiles) // 2 * (int(weight) if weight.isdecimal() else 1)


def _light(rows: Sequence[TileRow], last: int) -> tuple[TileRow, ...]:
    """Return rows whose pairs are marked up to a row."""
    dark = (replace(row, tiles=tuple(replace(tile, mark="") for tile in row.tiles)) for row in rows[last + 1 :])
    return (*rows[: last + 1], *dark)


def _show_count(table: Table, count: int, whole: bool) -> Table:
    """Return a table in which nothing is chosen yet, with the count so far of what will be."""
    column = table.heads.index("count")
    rows = list(table.rows)
    for at, row in enumerate(rows):
        if row.chosen:
            cells = list(row.cells)
            cells[column] = cells[column] if whole else f"{count:,}"
            cells[column + 1 :] = [""] * len(cells[column + 1 :])  # why it will be chosen
            rows[at] = Row(tuple(cells))
    return replace(table, rows=tuple(rows))
