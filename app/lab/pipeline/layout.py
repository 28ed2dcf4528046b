"""The bands of a run as tables: a row for each stage, a column for each part of the input that some stage tells apart.

A cell stands below exactly what it came from, so lines between bands are short and never cross. A long text is cut into
several tables, one below the other like the systems of a score, at places that no piece of any band crosses.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from unicodedata import normalize

from ...scratch.compat.pipeline.bands import LONGEST, Band, runs
from .run import PipelineRun

MAX_SHOWN = 2_000
"""Characters of the input whose pieces the page shows."""
MARGIN = 200
"""Characters beyond them whose pieces are laid out, so that a place is found where all bands can be cut."""
WIDTH = 1_050
"""Tenths of a character of the widest row of a table, about what fits on a laptop."""
TITLES = {
    "input": "Input",
    "added_tokens": "Added tokens",
    "normalizer": "Normalizer",
    "pre_tokenizer": "Pre-tokenizer",
    "model": "Model",
    "truncation": "Truncation",
    "post_processor": "Post-processor",
    "padding": "Padding",
    "decoder": "Decoder",
    "text": "Decoded text",
}


@dataclass(frozen=True, slots=True)
class BandPiece:
    """One piece of a cell; `joined` to the one before, if a long piece goes on in another cell."""

    text: str
    kind: str
    id: int | None = None
    joined: bool = False


@dataclass(frozen=True, slots=True)
class BandCell:
    """Pieces that came from one part of the input, `start` to `end`; without pieces, a gap.

    `span` is its number of columns; `gone`: the band above still has this part of the input.
    """

    start: int
    end: int
    span: int
    pieces: tuple[BandPiece, ...] = ()
    gone: bool = False


@dataclass(frozen=True, slots=True)
class BandRow:
    """A band in a table; `stage` and `title` name it, `type` and `component` (the index in its stage) its component."""

    stage: str
    title: str
    type: str
    component: int | None
    cells: tuple[BandCell, ...]


@dataclass(slots=True)
class BandLayout:
    """A band on its way to be laid out: groups of pieces that overlap, and pieces that stand for no input."""

    stage: str
    title: str
    type: str
    component: int | None
    groups: list[tuple[int, int, list[BandPiece]]]
    inserted: dict[int, list[BandPiece]]

    def has(self, kind: str) -> bool:
        """True if a piece is of a kind."""
        return any(piece.kind == kind for _, _, pieces in self.groups for piece in pieces)


def tables(run: PipelineRun) -> tuple[list[list[BandRow]], bool]:
    """Return the tables of a run, and whether they have all of the text."""
    shift = len(run.question.text)
    end = shift + (len(run.question.pair) if run.question.pair is not None else 0)
    lines = [line for line in _lines(run, shift) if line.stage != "added_tokens" or line.has("added")]
    edges = sorted({0, end, *(place for line in lines for start, stop, _ in line.groups for place in (start, stop))})
    cuts = _cuts(lines, edges)
    whole = cuts[-1] <= MAX_SHOWN
    if not whole:
        cuts = [cut for cut in cuts if cut <= MAX_SHOWN] if cuts[1] <= MAX_SHOWN else cuts[:2]
    spans = [*pairwise(cuts)] or [(0, 0)]
    return [[*_rows(lines, edges, start, stop, stop == end)] for start, stop in spans], whole


def _lines(run: PipelineRun, shift: int) -> Iterator[BandLayout]:
    """Yield the bands of the text and of its pair side by side, then those of both."""
    pairs: list[Band | None] = [*run.pair_bands] or [None] * len(run.bands)
    composed: dict[int, int] = {}
    for band, other in zip(run.bands, pairs, strict=True):
        if band.stage == "normalizer":
            composed |= _find_composed(band, run.question.text, 0)
            composed |= _find_composed(other, run.question.pair or "", shift) if other else ()
        pieces = [*_pieces(band, 0, composed), *(_pieces(other, shift, composed) if other else ())]
        yield _line(run, band, pieces)
    for band, sequences in run.later:
        moved = [shift if number == 1 else 0 for number in sequences]
        yield _line(run, band, _pieces(band, moved, composed))
    for band in run.back:
        yield _line(run, band, _pieces(band, 0, composed))


Placed = tuple[int, int, BandPiece]


def _pieces(band: Band, shift: int | Sequence[int], composed: Mapping[int, int]) -> Iterator[Placed]:
    for i, (text, start, end, kind) in enumerate(band.pieces):
        by = shift if isinstance(shift, int) else shift[i]
        if start + by > MAX_SHOWN + MARGIN:
            continue
        if band.ids is not None:
            yield start + by, composed.get(end + by, end + by), BandPiece(text, kind, band.ids[i])
            continue
        for number, (part, first, last) in enumerate(_parts(text, start, end)):
            yield first + by, composed.get(last + by, last + by), BandPiece(part, kind, None, number > 0)


def _parts(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield a long piece in parts, if its characters are those of the input but for one in front, so that it can wrap.

    >>> [*_parts("▁" + "abcde fghij klmno pqrst uvwx", 0, 28)][:2]
    [('▁abcde', 0, 5), (' fghij', 5, 11)]
    """
    more = len(text) - (end - start)
    if len(text) <= LONGEST or more not in (0, 1):
        yield text, start, end
        return
    for first, last in runs(text.replace("▁", " "), more, len(text)):
        yield text[0 if first == more else first : last], start + first - more, start + last - more


def _find_composed(band: Band, text: str, shift: int) -> Iterator[tuple[int, int]]:
    """Yield where composed characters end, and where the marks end that the library counts to none of them."""
    for (new, _, end, kind), after in zip(band.pieces, [*band.starts, len(text)][1:], strict=True):
        marks = text[end:after]
        if kind == "changed" and marks and {*normalize("NFKD", marks)} <= {*normalize("NFKD", new)}:
            yield end + shift, after + shift


def _line(run: PipelineRun, band: Band, pieces: Iterable[Placed]) -> BandLayout:
    parts = run.parts.get(band.stage) or ()
    name = parts[band.component]["type"] if band.component is not None and band.component < len(parts) else ""
    if band.stage == "model":
        name = run.source.kind
    if band.stage == "added_tokens" and band.component:
        name = "in the normalized text"
    line = BandLayout(band.stage, TITLES[band.stage], name, band.component, [], {})
    last = 0
    for start, end, piece in pieces:
        if start == end or piece.kind in ("special", "padding"):
            line.inserted.setdefault(max(last, start if start == end and piece.kind == "inserted" else 0), []).append(
                piece
            )
        elif line.groups and start < line.groups[-1][1]:
            before, stop, group = line.groups[-1]
            line.groups[-1] = (min(before, start), max(stop, end), [*group, piece])
        else:
            line.groups.append((start, end, [piece]))
        last = max(last, end)
    _merge_backward(line)
    return line


def _merge_backward(line: BandLayout) -> None:
    """Join groups that overlap because a later one begins before an earlier one, as a repeated text does."""
    groups: list[tuple[int, int, list[BandPiece]]] = []
    for start, end, pieces in line.groups:
        while groups and start < groups[-1][1]:
            before, stop, others = groups.pop()
            start = min(start, before)
            end = max(end, stop)
            pieces = [*others, *pieces]
        groups.append((start, end, pieces))
    line.groups = groups


def _cuts(lines: Sequence[BandLayout], edges: Sequence[int]) -> list[int]:
    """Return where the tables begin, and the end: places inside no group, about `WIDTH` characters apart."""
    inside = {place for line in lines for start, end, _ in line.groups for place in _between(edges, start, end)}
    widths = [_widths(line) for line in lines]
    cuts = [edges[0]]
    sums = [0] * len(lines)
    candidate = edges[0]
    pending = [0] * len(lines)
    for place in edges[1:]:
        pending = [now + width.get(place, 0) for now, width in zip(pending, widths, strict=True)]
        if place in inside and place != edges[-1]:
            continue
        together = [one + other for one, other in zip(sums, pending, strict=True)]
        if max(together) > WIDTH and candidate > cuts[-1]:
            cuts.append(candidate)
            sums = pending
        else:
            sums = together
        candidate = place
        pending = [0] * len(lines)
    return [*cuts, edges[-1]] if edges[-1] > cuts[-1] else cuts


def _between(edges: Sequence[int], start: int, end: int) -> Iterable[int]:
    return edges[bisect_right(edges, start) : bisect_left(edges, end)]


def _widths(line: BandLayout) -> dict[int, int]:
    """Return the widths of the groups of a line by their end, in tenths of a character."""
    return {end: sum(map(_width, pieces)) for _, end, pieces in line.groups}


def _width(piece: BandPiece) -> int:
    """Return the width of a piece with its padding; an id below it is smaller."""
    return max(10 * len(piece.text), 0 if piece.id is None else 8 * len(str(piece.id))) + 12


def _rows(lines: Sequence[BandLayout], edges: Sequence[int], start: int, stop: int, last: bool) -> Iterator[BandRow]:
    """Yield the rows of one table, from `start` to `stop`."""
    own = [edge for edge in edges if start <= edge <= stop]
    slots = {place for line in lines for place in line.inserted if start <= place < stop or (last and place == stop)}
    first: dict[int, int] = {}  # by place, its column; an inserted piece has a column of its own before it
    column = 0
    for place in own:
        column += place in slots
        first[place] = column
        column += place != stop
    above: set[tuple[int, int]] = set()
    for line in lines:
        cells = [*_cells(line, own=own, slots=slots, first=first, start=start, stop=stop)]
        covered = {pair for cell in cells if cell.pieces and cell.start < cell.end for pair in _atoms(own, cell)}
        cells = [_mark_gap(cell, own, above, line.stage) for cell in cells]
        yield BandRow(line.stage, line.title, line.type, line.component, tuple(cells))
        above = covered


def _atoms(own: Sequence[int], cell: BandCell) -> Iterator[tuple[int, int]]:
    return (pair for pair in pairwise(own) if cell.start <= pair[0] and pair[1] <= cell.end)


def _mark_gap(cell: BandCell, own: Sequence[int], above: set[tuple[int, int]], stage: str) -> BandCell:
    if cell.pieces or cell.start == cell.end or not any(pair in above for pair in _atoms(own, cell)):
        return cell
    return BandCell(cell.start, cell.end, cell.span, (), stage != "input")


def _cells(
    line: BandLayout, own: Sequence[int], slots: set[int], first: dict[int, int], start: int, stop: int
) -> Iterator[BandCell]:
    """Yield the cells of a row: groups, inserted pieces, and gaps between them."""
    groups = {begin: (end, pieces) for begin, end, pieces in line.groups if start <= begin < stop}
    position = start
    while True:
        if position in slots and position in own:
            yield BandCell(position, position, 1, tuple(line.inserted.get(position, ())))
        if position >= stop:
            return
        if position in groups:
            end, pieces = groups[position]
            yield BandCell(position, end, first[end] - (end in slots) - first[position], tuple(pieces))
        else:
            end = own[own.index(position) + 1]
            yield BandCell(position, end, 1)
        position = end
