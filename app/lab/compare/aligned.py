"""Aligned places: a place where columns part as a table, a row a column, the same characters beneath each other.

The table's columns are the shortest stretches that no boundary divides; a token spans as many as it covers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from app.lab.compare.comparison import Comparison, Cut
from app.lab.compare.differences import Numbers, Spans
from app.lab.faces import Part, clipped, hex_bytes, part
from app.lab.marks import Run, runs

PAGE = 40
"""Places shown at once."""

WIDEST = 40
"""Stretches of a place that are shown."""

LEFTWARD = regex.compile(r"[\p{bc=R}\p{bc=AL}]")
AROUND = 24
"""Characters of the text shown before and behind a place."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What covers some stretches: a token, several that share their span, or none, in a gap. `part` is the first.

    Bytes that are no whole characters are named by a label instead of runs. `start` and `end` count characters.
    """

    width: int
    runs: tuple[Run, ...]
    label: str
    part: Part | None = None
    tokens: int = 0
    alone: bool = False
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the text, the text around it, and what each column makes of it.

    `left_out` are the bytes at its end that are not shown; `leftward` says that it reads from right to left.
    """

    number: int
    char_start: int
    char_end: int
    before: tuple[Run, ...]
    text: tuple[Run, ...]
    behind: tuple[Run, ...]
    rows: tuple[tuple[Cut, tuple[Piece, ...]], ...]
    left_out: int
    leftward: bool = False


def places(comparison: Comparison, first: int = 0) -> list[Place]:
    """The places from one on, as many as are shown at once."""
    last = min(first + PAGE, len(comparison.differences))
    return [_place(comparison, number) for number in range(first, last)]


def _place(comparison: Comparison, number: int) -> Place:
    found, data = comparison.differences, comparison.passage.data
    start, whole = int(found.starts[number]), int(found.ends[number])
    tokens = [spans.between(start, whole)[: WIDEST + 1] for spans in found.columns]
    edges = {start, whole}
    for spans, held in zip(found.columns, tokens, strict=True):
        edges.update(spans.starts[held].tolist(), spans.ends[held].tolist())
    shown = sorted(edges)[: WIDEST + 1]
    rows = (
        (cut, tuple(_pieces(cut, spans, held, shown)))
        for cut, spans, held in zip(comparison.cuts, found.columns, tokens, strict=True)
    )
    text = data[start:whole].decode()
    before = data[max(0, start - 4 * AROUND) : start].decode(errors="ignore")
    at = len(data[:start].decode())
    return Place(
        number,
        at,
        at + len(text),
        tuple(runs(before[-AROUND:])),
        tuple(runs(clipped(text))),
        tuple(runs(data[whole : whole + 4 * AROUND].decode(errors="ignore")[:AROUND])),
        tuple(rows),
        whole - shown[-1],
        LEFTWARD.search(text) is not None,
    )


def _pieces(cut: Cut, spans: Spans, held: Numbers, edges: list[int]) -> Iterator[Piece]:
    """A row: tokens that share a span, or overlap, as one piece."""
    at = {edge: i for i, edge in enumerate(edges)}
    here, last = edges[0], edges[-1]
    for start, end, group in _grouped(spans, held):
        if start >= last:
            break
        if here < start:
            yield _gap(cut, here, start, at[start] - at[here])
        here = min(end, last)
        yield _token(cut, spans, group, (start, here), at[here] - at[start])
    if here < last:
        yield _gap(cut, here, last, at[last] - at[here])


def _grouped(spans: Spans, held: Numbers) -> Iterator[tuple[int, int, list[int]]]:
    """Tokens by what they cover together, in order."""
    group: list[int] = []
    start = end = -1
    for index in held.tolist():
        if spans.starts[index] >= end:
            if group:
                yield start, end, group
            start, group = int(spans.starts[index]), []
        end = max(end, int(spans.ends[index]))
        group.append(index)
    if group:
        yield start, end, group


def _shown(covered: bytes) -> tuple[tuple[Run, ...], str]:
    """Bytes as runs of text, or by a label where they are no whole characters."""
    try:
        return tuple(runs(covered.decode())), ""
    except UnicodeDecodeError:
        return (), hex_bytes(covered)


def _gap(cut: Cut, start: int, end: int, width: int) -> Piece:
    return Piece(width, *_shown(cut.done.data[start:end]))


def _token(cut: Cut, spans: Spans, group: list[int], span: tuple[int, int], width: int) -> Piece:
    done, (first, last) = cut.done, (group[0], group[-1])
    (token,) = done.tokens(first, first + 1)
    return Piece(
        width,
        *_shown(done.data[slice(*span)]),
        part=part(token, done.data),
        tokens=len(group),
        alone=bool(spans.alone[group].any()),
        start=int(done.encoding.char_starts[first]),
        end=int(done.encoding.char_ends[last]),
    )
