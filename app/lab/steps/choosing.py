"""The choice of the regions of a stage: once for all steps of a run or a scene, by those that need most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import nlargest
from itertools import islice
from math import ceil

from .measures import (
    CELL,
    LINE,
    PHRASE,
    STACK_ROOM,
    TableShape,
    count_lines,
    measure_cell,
    measure_facts,
    measure_rows,
    measure_stacks,
    measure_table,
    measure_tile,
    split_stacks,
    wrap,
)
from .regions import (
    BELOW,
    LETTERS,
    SENTENCE_LETTERS,
    SMALLEST,
    TABLE_LETTERS,
    WIDTH,
    Regions,
    draw,
    measure_drawn_letters,
    measure_height,
    measure_rows_above,
    place,
)
from .step import Step, Words

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
NARROW_PHRASE = 7.5
"""The widest phrase of a table beside a lattice, in em."""
FOOT = 80
"""Units of the player, whose place an open question takes, too."""
MAX_MEASURED, HEAVIEST = 100, 8
"""Steps of a run that are looked at, as its first ones have the most pieces, and those that are measured after the
first, which may be the only one with a row."""
SECOND_BAND, MORE_BANDS = 0.75, 0.4
"""What the second line of a row costs, and each later one, in sizes of letters by 30."""
NARROW_HEIGHTS = (5, 8, 10, 13, 16, 20, 24, 28, 34, 40)
"""Heights in rem of a region on a phone, where the regions stand below each other."""
NARROW_ROW, NARROW_LETTERS, NARROW_DRAWING, NARROW_TABLE, NARROW_TABLE_LETTERS = 19.0, 1.15, 30, 22.0, 0.9375
"""On a phone: the width of a row in em and its letters in rem, the least width of a drawing in rem, and the width of a
table in em and its letters in rem."""


def choose_regions(steps: Iterable[Step], question: int = 0) -> Regions:
    """Return the regions of a run or a scene, whose question has so many units of height, if it has one.

    >>> from tokenarium.lab.steps.step import Tile, TileRow
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
    shapes = {measure_table(step.table, base.phrase, measure_facts(step)) for step in seen}
    pictures = [*seen[:1], *nlargest(HEAVIEST, seen[1:], key=_weigh)]
    sides = SIDES if any(shape.width for shape in shapes) else (0,)
    best = max((_fill(replace(base, side=side), pictures, shapes) for side in sides), key=lambda one: one[0])[1]
    heights = [measure_narrow(step, best) for step in seen]
    picture, evidence = (_round_height(max((one[at] for one in heights), default=0)) for at in (0, 1))
    return replace(best, narrow=(picture, evidence), beside_code=_choose_beside_code(pictures, best))


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
    rows = max((measure_rows_above(step, chosen) for step in pictures if step.figure or step.lattice), default=0)
    drawn = min((measure_drawn_letters(step, chosen) for step in pictures), default=32) / 32
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
        return wrap(measure_stacks(step), STACK_ROOM * regions.room) if len(step.stacks) <= WHOLE else 1
    few = (row for row in step.rows if len(row.tiles) <= WHOLE)
    return max((count_lines(row, regions.room) for row in few), default=1)


def _weigh(step: Step) -> float:
    tiles = sum(sum(map(measure_tile, row.tiles)) for row in step.rows)
    return tiles + 12 * len(step.rows) + (40 if step.figure or step.lattice else 0)


def _has_room(sentence: Words, size: int) -> bool:
    return ceil(measure_cell(sentence) * 0.96 * size / WIDTH) * 1.4 * size <= BELOW[0]


def _has_height(pictures: Iterable[Step], regions: Regions) -> bool:
    return all(measure_height(step, regions) <= regions.height for step in pictures)


def measure_narrow(step: Step, regions: Regions) -> tuple[float, float]:
    """Return the heights in rem of the picture and of the evidence of a step on a phone.

    >>> from tokenarium.lab.steps.step import Tile, TileRow
    >>> row = TileRow(tuple(Tile("token", at) for at in range(9)))
    >>> [round(height, 1) for height in measure_narrow(Step((), (row,)), Regions())]
    [6.9, 0.0]
    """
    shown = place(step, regions)
    rows = measure_rows(shown, NARROW_ROW - 0.36 * regions.labels - 0.5 * (regions.labels > 0))
    rows += LINE * len(shown.rows) * bool(shown.stacks and len(split_stacks(shown, regions.room)) > 1)
    drawing = draw(shown, regions)
    drawn = NARROW_DRAWING * drawing.height / drawing.width + 0.8 if drawing else 0
    around = 2.5 if step.around else 0
    shape = measure_table(shown.table, regions.phrase, measure_facts(step))
    lines = shape.count_lines(NARROW_TABLE) if shape.width else 0
    return NARROW_LETTERS * rows + drawn + around + 0.6, NARROW_TABLE_LETTERS * CELL * lines


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

    >>> from tokenarium.lab.steps.step import Tile, TileRow
    >>> row = TileRow(tuple(Tile(letter, 0) for letter in "strawberry"))
    >>> choose_letters_beside_code(Step((), (row,)), Regions(beside_code=44))
    44
    """
    return regions.beside_code if _has_height([step], _place_beside_code(regions, regions.beside_code)) else 0


def _place_beside_code(regions: Regions, letters: int) -> Regions:
    """Return the regions that code leaves for a picture."""
    return replace(regions, side=CODE_SIDE, columns=1, letters=letters)


def measure_question(prompt: Words, choices: Sequence[Words], longest: int) -> int:
    """Return the height in units of a question with its choices, and with a verdict of so many characters below them.

    >>> measure_question(("Which pair is merged first?",), [("a",), ("b",)], 120)
    244
    """
    asked = ceil(measure_cell(prompt) * 0.92 * 44 / WIDTH) * 60
    offered = wrap([0.92 * measure_cell(one) + 1.6 for one in (*choices, ("Show the answer",))], WIDTH / 36) * 72
    return asked + offered + ceil(longest * 0.49 * 36 / WIDTH) * 50 + 12
