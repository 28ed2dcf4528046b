"""The lattice of a unigram model as a picture: an arc with its score for each token."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from .drawing import LETTER, PAD, Drawing, Label, Stroke
from .step import Arc, Lattice
from .tiles import visible

NODE = 76
"""Horizontal distance between the positions of a lattice."""
MAX_POSITIONS = 24
"""Characters of a lattice that are drawn."""
RISE = 40
LOW_RISE = 12
LONG = 6
"""Height of an arc per character of its token, up to `LONG` characters, and per character beyond."""
LATTICE_LETTER = 16
LABEL = 9
LABEL_HEIGHT = 36
SUM_WIDTH = 70
"""Size of the letters, width of a character in the label of an arc, height of its two lines, and width of a sum."""
ABOVE = 34
"""Height above the highest arc, which its label takes."""


def lattice(data: Lattice, *, width: float = 0, height: float = 0) -> Drawing:
    """Return the lattice of a word: its characters on a line, the best sums below them, and an arc for each token.

    Longer tokens have higher arcs, and an arc is raised further where its label would cover another one. With a `width`
    and a `height`, the lattice takes the whole of both; arcs without room are counted.
    """
    first, last = _visible_positions(data)
    arcs = [arc for arc in data.arcs if first <= arc.start and arc.end <= last]
    margin = PAD + 30
    node = min((width - 2 * margin) / max(1, last - first), 2 * NODE) if width else NODE
    lines = ceil(SUM_WIDTH / node)  # sums that are wider than their place stand on several lines
    below = 58 + LETTER * (lines - 1)
    if height:
        shown, rises = _fit(arcs, node, height - ABOVE - below)
    else:
        shown, rises = arcs, _rises(arcs)
    base = height - below if height else ABOVE + max(rises.values(), default=RISE)

    def x(position: int) -> float:
        return margin + (position - first) * node

    strokes = []
    labels = []
    # SVG paints in order: the arcs of the best path come last, so that they lie on top.
    for arc in sorted(shown, key=lambda arc: arc.best):
        left = x(arc.start)
        right = x(arc.end)
        rise = rises[arc.start, arc.end]
        # A cubic Bézier curve reaches three quarters of the height of its control points.
        control = base - 4 - rise / 0.75
        bend = f"M{left:g} {base:g}C{left:g} {control:g} {right:g} {control:g} {right:g} {base:g}"
        strokes.append(Stroke(bend, "best" if arc.best else "new" if arc.new else ""))
        labels += _arc_labels(arc, (left + right) / 2, base - 4 - rise)
    for position in range(first, last + 1):
        strokes.append(Stroke(f"M{x(position):g} {base - 4:g}v8"))
        labels.append(Label(x(position), base + 46 + LETTER * ((position - first) % lines), data.sums[position]))
        if position < last:
            labels.append(Label(x(position) + node / 2, base + 24, visible(data.characters[position]), bold=True))
    if len(shown) < len(arcs):
        labels.append(Label(width - PAD, LETTER, f"+{len(arcs) - len(shown):,} more", end=True, face="sans"))
    says = "Tokens in the lattice: " + ", ".join(f"{visible(arc.tile.text)} {arc.value}" for arc in arcs)
    sized = tuple(replace(label, size=LATTICE_LETTER) for label in labels)
    return Drawing(
        width=width or x(last) + margin, height=base + below, strokes=tuple(strokes), labels=sized, says=says
    )


def _fit(arcs: Sequence[Arc], node: float, room: float) -> tuple[Sequence[Arc], dict[tuple[int, int], float]]:
    """Return the arcs that have room, those of the best path, the newest and the longest first, and their heights.

    >>> from .step import Tile
    >>> arcs = [Arc(0, size, Tile("nation"[:size], size), "-9.1", best=size == 6) for size in range(1, 7)]
    >>> [arc.tile.text for arc in _fit(arcs, 20, 120)[0]]
    ['n', 'nati', 'natio', 'nation']
    """
    room -= LETTER  # for the count of those without room
    longest = max((arc.end - arc.start for arc in arcs), default=1)
    rise = (room - LOW_RISE * max(0, longest - LONG)) / min(longest, LONG)
    placed: list[tuple[float, float, float]] = []
    rises: dict[tuple[int, int], float] = {}
    for arc in sorted(arcs, key=lambda arc: (not arc.best, not arc.new, arc.start - arc.end)):
        middle, width = _place_label(arc, node)
        near = [other for at, wide, other in placed if 2 * abs(at - middle) < width + wide]
        natural = min(room, _natural_height(arc, max(LOW_RISE, min(64, rise))))
        tried = sorted(range(LOW_RISE, int(room), LOW_RISE // 2), key=lambda one: abs(one - natural))
        free = (one for one in (natural, *tried) if all(abs(one - other) >= LABEL_HEIGHT for other in near))
        if (high := next(free, None)) is not None:
            placed.append((middle, width, high))
            rises[arc.start, arc.end] = high
    return [arc for arc in arcs if (arc.start, arc.end) in rises], rises


def _place_label(arc: Arc, node: float) -> tuple[float, float]:
    """Return the middle and the width of the label of an arc."""
    return (arc.start + arc.end) * node / 2, LABEL * max(len(visible(arc.tile.text)), len(arc.value))


def _natural_height(arc: Arc, rise: float) -> float:
    size = arc.end - arc.start
    return rise * min(size, LONG) + LOW_RISE * max(0, size - LONG)


def _rises(arcs: Sequence[Arc]) -> dict[tuple[int, int], float]:
    """Return the heights of all arcs by where they begin and end, such that no label covers another one.

    >>> from .step import Tile
    >>> arcs = [Arc(0, 8, Tile("national", 1), "-9.1"), Arc(0, 7, Tile("nationa", 2), "-9.9")]
    >>> _rises(arcs)
    {(0, 7): 252, (0, 8): 288}
    """
    rises: dict[tuple[int, int], float] = {}
    placed: list[tuple[float, float, float]] = []
    for arc in sorted(arcs, key=lambda arc: (arc.end - arc.start, arc.start)):
        middle, width = _place_label(arc, NODE)
        high = _natural_height(arc, RISE)
        near = sorted(other for at, wide, other in placed if 2 * abs(at - middle) < width + wide)
        for other in near:
            if abs(high - other) < LABEL_HEIGHT:
                high = other + LABEL_HEIGHT
        placed.append((middle, width, high))
        rises[arc.start, arc.end] = high
    return rises


def _visible_positions(data: Lattice) -> tuple[int, int]:
    """Return the first and the last position to draw: all, or those around the newest arc."""
    size = len(data.characters)
    newest = max((arc.start for arc in data.arcs if arc.new), default=0)
    first = max(0, min(newest - MAX_POSITIONS // 2, size - MAX_POSITIONS))
    return first, min(size, first + MAX_POSITIONS)


def _arc_labels(arc: Arc, x: float, y: float) -> list[Label]:
    return [
        Label(x, y + 22, arc.value),
        Label(x, y + 1, visible(arc.tile.text), bold=arc.best or arc.new),  # the last, which stays on a narrow slide
    ]
