"""Colours and columns of a trace: neighbours share no colour, and a token stands below its letters, its id below it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import chain, pairwise
from typing import Any, TypeVar

from ..palette import COLOURS, tone
from ..steps.step import Row, Step, Table, Tile, TileRow
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
    questions = (trace.question, *trace.further)
    colours = _choose([*trace.steps, *(one.given for one in questions if one and one.given)])
    question, *further = _colour(questions, colours)
    steps = tuple(_colour(step, colours) for step in trace.steps)
    return replace(trace, steps=steps, question=question, further=tuple(one for one in further if one))


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


Coloured = TypeVar("Coloured")


def _colour(value: Coloured, colours: Colours) -> Coloured:
    """Return a value with the colours of all tiles in it: a question, a step, a table, a row, or a tile."""
    changed: Any = value
    if isinstance(value, Tile):
        changed = replace(value, shade=(colours.get(value.key, tone(value.key)) - tone(value.key)) % COLOURS)
    elif isinstance(value, tuple):
        changed = tuple(_colour(part, colours) for part in value)
    elif isinstance(value, Step | Table | Row | TileRow | Question | AnswerChoice):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        changed = replace(value, **{name: _colour(part, colours) for name, part in parts.items()})
    return changed  # type: ignore[no-any-return]


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
