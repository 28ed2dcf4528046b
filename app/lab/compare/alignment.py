"""Places where segmentations differ, as tables: a row for each tokenizer, the same characters below each other.

The columns of such a table are the shortest spans that no token boundary divides; a token covers one or more of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from ..cell_views import DisplayToken, clip_text, hex_bytes, part
from ..display_runs import DisplayRun, runs
from .comparison import Comparison, MeasuredTokenization
from .differences import Numbers, Spans

PAGE_SIZE = 40
"""Number of places on a page."""
MAX_WIDTH = 40
"""Number of table columns of a place that are shown."""
CONTEXT = 24
"""Characters of the text shown on each side of a place."""
RIGHT_TO_LEFT = regex.compile(r"[\p{bc=R}\p{bc=AL}]")


@dataclass(frozen=True, slots=True)
class AlignedToken:
    """A cell of the table: a token, several with the same or overlapping spans, or a gap without any.

    `width` is the number of columns it covers and `part` its first token, None for a gap. Bytes that are not whole
    characters have a `label` instead of `runs`. `start` and `end` are in characters.
    """

    width: int
    runs: tuple[DisplayRun, ...]
    label: str
    part: DisplayToken | None = None
    tokens: int = 0
    differing: bool = False
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class DifferencePlace:
    """A place where segmentations differ, the text around it, and the tokens of each segmentation in it.

    `left_out` is the number of bytes at its end that are not shown.
    """

    number: int
    char_start: int
    char_end: int
    before: tuple[DisplayRun, ...]
    text: tuple[DisplayRun, ...]
    after: tuple[DisplayRun, ...]
    rows: tuple[tuple[MeasuredTokenization, tuple[AlignedToken, ...]], ...]
    left_out: int
    right_to_left: bool = False


def places(comparison: Comparison, first: int = 0) -> list[DifferencePlace]:
    """Return one page of places, from the number `first` on."""
    last = min(first + PAGE_SIZE, len(comparison.differences))
    return [_place(comparison, number) for number in range(first, last)]


def _place(comparison: Comparison, number: int) -> DifferencePlace:
    differences = comparison.differences
    data = comparison.index.data
    start = int(differences.starts[number])
    end = int(differences.ends[number])
    tokens = [spans.between(start, end)[: MAX_WIDTH + 1] for spans in differences.columns]
    edges = {start, end}
    for spans, indexes in zip(differences.columns, tokens, strict=True):
        edges.update(spans.starts[indexes].tolist(), spans.ends[indexes].tolist())
    shown = sorted(edges)[: MAX_WIDTH + 1]
    rows = (
        (column, tuple(_row(column, spans, indexes, shown)))
        for column, spans, indexes in zip(comparison.tokenizations, differences.columns, tokens, strict=True)
    )
    text = data[start:end].decode()
    # A character has at most four bytes; `ignore` drops one that the slice cuts.
    before = data[max(0, start - 4 * CONTEXT) : start].decode(errors="ignore")
    after = data[end : end + 4 * CONTEXT].decode(errors="ignore")
    char_start = len(data[:start].decode())
    return DifferencePlace(
        number=number,
        char_start=char_start,
        char_end=char_start + len(text),
        before=tuple(runs(before[-CONTEXT:])),
        text=tuple(runs(clip_text(text))),
        after=tuple(runs(after[:CONTEXT])),
        rows=tuple(rows),
        left_out=end - shown[-1],
        right_to_left=RIGHT_TO_LEFT.search(text) is not None,
    )


def _row(column: MeasuredTokenization, spans: Spans, indexes: Numbers, edges: list[int]) -> Iterator[AlignedToken]:
    """Yield the cells of a row between the shown edges; tokens that overlap share a cell."""
    number = {edge: i for i, edge in enumerate(edges)}
    position = edges[0]
    last = edges[-1]
    for start, end, group in _group_overlapping(spans, indexes):
        if start >= last:  # beyond the part of the place that is shown
            break
        if position < start:
            yield _gap(column, position, start, number[start] - number[position])
        position = min(end, last)
        yield _token(column, spans, group, (start, position), number[position] - number[start])
    if position < last:
        yield _gap(column, position, last, number[last] - number[position])


def _group_overlapping(spans: Spans, indexes: Numbers) -> Iterator[tuple[int, int, list[int]]]:
    """Yield groups of overlapping tokens, in order, with the span that they cover together."""
    group: list[int] = []
    start = end = -1
    for index in indexes.tolist():
        if spans.starts[index] >= end:
            if group:
                yield start, end, group
            start = int(spans.starts[index])
            group = []
        end = max(end, int(spans.ends[index]))
        group.append(index)
    if group:
        yield start, end, group


def _display_bytes(covered: bytes) -> tuple[tuple[DisplayRun, ...], str]:
    """Return bytes as display runs, or as a label if they are not whole characters."""
    try:
        return tuple(runs(covered.decode())), ""
    except UnicodeDecodeError:
        return (), hex_bytes(covered)


def _gap(column: MeasuredTokenization, start: int, end: int, width: int) -> AlignedToken:
    return AlignedToken(width, *_display_bytes(column.tokenization.data[start:end]))


def _token(
    column: MeasuredTokenization, spans: Spans, group: list[int], span: tuple[int, int], width: int
) -> AlignedToken:
    tokenization = column.tokenization
    first = group[0]
    last = group[-1]
    (token,) = tokenization.tokens(first, first + 1)
    return AlignedToken(
        width,
        *_display_bytes(tokenization.data[slice(*span)]),
        part=part(token, tokenization.data),
        tokens=len(group),
        differing=bool(spans.differing[group].any()),
        start=int(tokenization.encoding.char_starts[first]),
        end=int(tokenization.encoding.char_ends[last]),
    )
