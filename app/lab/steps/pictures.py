"""Three pictures of a run: a step to take away, the tree of a symbol's merges, and the lattice of a unigram model."""

from collections.abc import Sequence

from app.lab.steps.drawing import (
    GAP,
    HEIGHT,
    PAD,
    Box,
    Drawing,
    Label,
    Stroke,
    box,
    line_of,
    width_of,
    wrapped,
)
from app.lab.steps.frames import Arc, Frame, Lattice, Node
from app.lab.steps.spelling import visible

LEVEL = 64
"""Between the levels of a tree."""
NODE = 76
"""Between the places of a lattice."""
LEAVES = 150
"""The most symbols that a tree is drawn for."""
PLACES = 24
"""The most characters of a lattice that are drawn."""


def spoken(frame: Frame) -> str:
    """The caption as one string.

    >>> spoken(Frame(1, "model", ("two letters", " join"), ()))
    'two letters join'
    """
    return "".join(part if isinstance(part, str) else visible(part.text) for part in frame.caption)


def step_picture(frame: Frame, title: str) -> Drawing:
    """A step with its title, its caption, its rows and its lattice, to put on a slide."""
    labels = [Label(PAD, 30, title, bold=True, middle=False)]
    y = 64.0
    for text in wrapped(spoken(frame), columns=80):
        labels.append(Label(PAD, y, text, middle=False))
        y += 26
    boxes: list[Box] = []
    widest = 640.0
    for row in frame.rows:
        label = Label(PAD, y + HEIGHT / 2 + 7, row.label, middle=False)
        more, end = line_of(row.tiles, PAD + (width_of(row.label) + 2 * GAP if row.label else 0), y)
        boxes += more
        labels += [label] if row.label else []
        widest, y = max(widest, end), y + HEIGHT + 2 * GAP
    under = lattice(frame.lattice) if frame.lattice else None
    width = max(widest + PAD, under.width if under else 0)
    return Drawing(width, y + PAD, tuple(boxes), (), tuple(labels), spoken(frame), under)


def tree(nodes: Sequence[Node]) -> Drawing | None:
    """Symbols over what they were made of, or None where there are too many, or none."""
    if not nodes or sum(map(_leaves, nodes)) > LEAVES:
        return None
    boxes: list[Box] = []
    strokes: list[Stroke] = []
    x, depth = float(PAD), max(map(_depth, nodes))

    def place(node: Node, left: float) -> tuple[Box, float]:
        """Put a node over its parts; tells its box and where the room to its right begins."""
        right, below = left, []
        for part in node.parts:
            placed, right = place(part, right)
            below.append(placed)
        own = box(node.tile, left, PAD + (depth - _depth(node)) * LEVEL, step=node.step)
        right = max(right, left + own.width + 2 * GAP)
        middle = (below[0].x + below[-1].x + below[-1].width) / 2 if below else left + own.width / 2
        own = Box(max(left, middle - own.width / 2), own.y, own.width, own.text, own.tone, False, node.step)
        strokes.extend(_joint(own, part) for part in below)
        boxes.append(own)
        return own, max(right, own.x + own.width + 2 * GAP)

    for node in nodes:
        _, x = place(node, x)
    says = ", ".join(_told(node) for node in nodes)
    return Drawing(x, 2 * PAD + depth * LEVEL - (LEVEL - HEIGHT), tuple(boxes), tuple(strokes), (), says)


def _leaves(node: Node) -> int:
    return sum(map(_leaves, node.parts)) or 1


def _depth(node: Node) -> int:
    return 1 + max(map(_depth, node.parts), default=0)


def _told(node: Node) -> str:
    own = visible(node.tile.text)
    return f"{own} of {' and '.join(map(_told, node.parts))}" if node.parts else own


def _joint(over: Box, under: Box) -> Stroke:
    x, y = over.x + over.width / 2, over.y + HEIGHT
    return Stroke(f"M{x:g} {y:g}L{under.x + under.width / 2:g} {under.y:g}")


def lattice(found: Lattice) -> Drawing:
    """Places on a line, an arc for each piece that fits, higher the longer it is, and the best sums under them."""
    first, last = _shown(found)
    arcs = [arc for arc in found.arcs if first <= arc.start and arc.end <= last]
    longest = max((arc.end - arc.start for arc in arcs), default=1)
    base = 34.0 + 40 * longest

    def x(place: int) -> float:
        return PAD + 30 + (place - first) * NODE

    strokes, labels = [], []
    for arc in sorted(arcs, key=lambda arc: arc.best):
        left, right, top = x(arc.start), x(arc.end), base - 4 - 40 * (arc.end - arc.start) / 0.75
        bend = f"M{left:g} {base:g}C{left:g} {top:g} {right:g} {top:g} {right:g} {base:g}"
        strokes.append(Stroke(bend, "best" if arc.best else "new" if arc.new else ""))
        labels += _arc_labels(arc, (x(arc.start) + x(arc.end)) / 2, base - 4 - 40 * (arc.end - arc.start))
    for place in range(first, last + 1):
        strokes.append(Stroke(f"M{x(place):g} {base - 4:g}v8"))
        labels.append(Label(x(place), base + 24, found.sums[place] if place < len(found.sums) else ""))
        if place < last:
            labels.append(Label(x(place) + NODE / 2, base + 24, visible(found.characters[place]), bold=True))
    says = "Pieces that fit: " + ", ".join(f"{visible(arc.tile.text)} {arc.value}" for arc in arcs)
    return Drawing(x(last) + PAD + 30, base + 36, (), tuple(strokes), tuple(labels), says)


def _shown(found: Lattice) -> tuple[int, int]:
    """The places that are drawn: all, or those about the newest arc."""
    size = len(found.characters)
    newest = max((arc.start for arc in found.arcs if arc.new), default=0)
    first = max(0, min(newest - PLACES // 2, size - PLACES))
    return first, min(size, first + PLACES)


def _arc_labels(arc: Arc, x: float, y: float) -> list[Label]:
    return [
        Label(x, y + 2, visible(arc.tile.text), bold=arc.best or arc.new),
        Label(x, y + 17, arc.value),
    ]
