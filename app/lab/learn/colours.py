"""Colours and columns of a trace: neighbours share no colour, and a token stands below its letters, its id below it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise

from ..palette import COLOURS, tone
from ..steps.step import Row, Step, Table, Tile, TileRow, Words
from .scene import AnswerChoice, Question, Trace

Colours = Mapping[int, int]
"""The colour of each key."""
BESIDE = 100
"""How much worse two neighbours of one colour are than two tokens of one step."""


def distinguish(trace: Trace) -> Trace:
    """Return a trace whose tokens keep one colour each, chosen so that those shown together differ.

    A palette has `COLOURS` colours, and a trace may have more tokens: those that never meet share one.

    >>> row = TileRow((Tile("a", 0), Tile("b", 9 * 8)))
    >>> [tone(tile.key) for tile in row.tiles]
    [0, 8]
    >>> clash = TileRow((Tile("a", 0), Tile("b", 17)))
    >>> [tile.shade for tile in distinguish(Trace((Step((), (clash,)),))).steps[0].rows[0].tiles]
    [0, 1]
    """
    questions = [one for one in (trace.question, *trace.further) if one]
    steps = [*trace.steps, *(one.given for one in questions if one.given)]
    colours = _choose(steps)
    return replace(
        trace,
        steps=tuple(_colour_step(step, colours) for step in trace.steps),
        question=_colour_question(trace.question, colours) if trace.question else None,
        further=tuple(_colour_question(one, colours) for one in trace.further),
    )


def _choose(steps: Iterable[Step]) -> Colours:
    """Return a colour for each key, in the order in which they come: its own one unless another clashes less."""
    clashes: dict[int, Counter[int]] = {}
    for step in steps:
        keys = dict.fromkeys(tile.key for tile in _tiles(step))
        for key in keys:
            clashes.setdefault(key, Counter()).update(other for other in keys if other != key)
        for row in step.rows:
            for one, other in pairwise(row.tiles):
                if one.key != other.key:
                    clashes[one.key][other.key] += BESIDE
                    clashes[other.key][one.key] += BESIDE
    colours: dict[int, int] = {}
    for key, others in clashes.items():
        cost = Counter[int]()
        for rival, weight in others.items():
            if rival in colours:
                cost[colours[rival]] += weight
        own = tone(key)
        colours[key] = min(range(COLOURS), key=lambda one: (cost[one], (one - own) % COLOURS))
    return colours


def _tiles(step: Step) -> Iterator[Tile]:
    tables = chain.from_iterable(row.cells for row in step.table.rows) if step.table else ()
    words = [step.sentence, *(cell for cell in tables if not isinstance(cell, str))]
    yield from chain.from_iterable(row.tiles for row in step.rows)
    yield from (part for part in chain.from_iterable(words) if isinstance(part, Tile))


def _colour(tile: Tile, colours: Colours) -> Tile:
    return replace(tile, shade=(colours.get(tile.key, tone(tile.key)) - tone(tile.key)) % COLOURS)


def _colour_words(words: Words, colours: Colours) -> Words:
    return tuple(_colour(part, colours) if isinstance(part, Tile) else part for part in words)


def _colour_row(row: TileRow, colours: Colours) -> TileRow:
    return replace(row, tiles=tuple(_colour(tile, colours) for tile in row.tiles))


def _colour_table(table: Table, colours: Colours) -> Table:
    def colour(row: Row) -> Row:
        cells = (cell if isinstance(cell, str) else _colour_words(cell, colours) for cell in row.cells)
        return replace(row, cells=tuple(cells))

    return replace(table, rows=tuple(map(colour, table.rows)))


def _colour_step(step: Step, colours: Colours) -> Step:
    return replace(
        step,
        sentence=_colour_words(step.sentence, colours),
        rows=tuple(_colour_row(row, colours) for row in step.rows),
        table=_colour_table(step.table, colours) if step.table else None,
    )


def _colour_question(question: Question, colours: Colours) -> Question:
    def colour(choice: AnswerChoice) -> AnswerChoice:
        return replace(choice, label=_colour_words(choice.label, colours))

    given = _colour_step(question.given, colours) if question.given else None
    return replace(question, choices=tuple(map(colour, question.choices)), given=given)


def share_columns(*ends: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return how many tiles of each row stand in each column; a column ends where a tile of every row ends.

    `ends` are where the tiles of each row end in the text, in order. Rows that do not end together share no columns.

    >>> share_columns((1, 2, 3), (2, 3))
    ((2, 1), (1, 1))
    >>> share_columns((1, 2, 3), (2,))
    ()
    """
    if len({row[-1:] for row in map(tuple, ends)}) != 1:
        return ()
    borders = pairwise((0, *sorted(set(ends[0]).intersection(*ends[1:]))))
    spans = [*borders]
    return tuple(tuple(bisect_right(row, end) - bisect_right(row, start) for start, end in spans) for row in ends)
