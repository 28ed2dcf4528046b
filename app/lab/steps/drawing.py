"""Layout of pictures: a step to download, a merge tree, and the shapes of all.

A picture is a `Drawing` of plain shapes, which a template renders as SVG. Lengths are in pixels.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from unicodedata import combining, east_asian_width

from ..palette import COLOURS, tone
from ..typefaces import Face
from .step import Mark, MergeTreeNode, Tile
from .tiles import visible

GLYPH = 12
HEIGHT = 36
PAD = 8
GAP = 6
"""Width of a character, height of a box, padding beside its text, and space between boxes."""
LEVEL = 64
"""Vertical distance between the levels of a tree."""
MAX_LEAVES = 150
"""Leaves of the largest tree that is drawn."""
StrokeKind = Literal["", "new", "best", "chosen", "dot", "rule", "dashed", "strike", "bar", "first"]
"""What a line is for, which decides how it is drawn."""
MIN_WIDTH = 640
"""Width of the narrowest picture."""
LETTER = 20
SMALL_LETTER = 13
"""Sizes of the letters of a tile, and of a label on a line."""


@dataclass(frozen=True, slots=True)
class Box:
    """A tile at a position. `tone` is its index in the palette, `step` the step that made it.

    `size` is that of its letters; `seam` is the x coordinate at which the halves of a new tile meet, or 0; `share` says
    how strong its colour is.
    """

    x: float
    y: float
    width: float
    text: str
    tone: int
    new: bool = False
    step: int | None = None
    height: float = HEIGHT
    size: float = LETTER
    mark: Mark = ""
    seam: float = 0
    share: float = 1


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line; `d` is the path data of SVG."""

    d: str
    kind: StrokeKind = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A text, centred on `x`, or beginning at `x` if it is not `middle`, or ending there if it is at the `end`.

    What is `soft` is secondary. Typeface and size are by default those of a label on a line, or of a title.
    """

    x: float
    y: float
    text: str
    bold: bool = False
    middle: bool = True
    face: Face | None = None
    size: float = 0
    soft: bool = False
    end: bool = False


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text of a drawing as it is painted, at its baseline.

    `room` is the width that it may take, if there is a limit; `halo` is a rim of the colour of the paper.
    """

    x: float
    y: float
    text: str
    face: Face
    size: float
    anchor: Literal["start", "middle", "end"]
    bold: bool = False
    soft: bool = False
    halo: bool = False
    room: float = 0


@dataclass(frozen=True, slots=True)
class Pixmap:
    """A PNG in a data URL, and the rectangle that it fills."""

    address: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture and its size. `says` is its text alternative; `parts` are other drawings that it holds.

    The pixels, if there are any, lie below all lines.
    """

    width: float
    height: float
    boxes: tuple[Box, ...] = ()
    strokes: tuple[Stroke, ...] = ()
    labels: tuple[Label, ...] = ()
    says: str = ""
    parts: tuple["PlacedDrawing", ...] = ()
    pixels: Pixmap | None = None

    @property
    def texts(self) -> Iterator[PlacedText]:
        """The texts of boxes and labels, without those of its parts."""
        for box in filter(lambda box: box.text, self.boxes):
            middle, baseline = box.x + box.width / 2, box.y + box.height / 2 + 0.35 * box.size
            yield PlacedText(
                middle,
                baseline,
                box.text,
                "mono",
                box.size,
                "middle",
                bold=box.mark == "special",
                soft=box.mark == "rest",
                room=box.width - 4,
            )
        for label in self.labels:
            yield PlacedText(
                label.x,
                label.y,
                label.text,
                label.face or ("sans" if label.middle else "serif"),
                label.size or (SMALL_LETTER if label.middle else LETTER),
                "end" if label.end else "middle" if label.middle else "start",
                bold=label.bold,
                soft=label.soft,
                halo=label.middle and not label.face,
            )

    @property
    def all_texts(self) -> Iterator[PlacedText]:
        """The texts of the drawing and of all its parts, each with the places in its own drawing."""
        yield from self.texts
        for part in self.parts:
            yield from part.drawing.all_texts


@dataclass(frozen=True, slots=True)
class PlacedDrawing:
    """A drawing within another one: the place of its upper left corner, and its scale."""

    x: float
    y: float
    drawing: Drawing
    scale: float = 1


def tile_tone(tile: Tile) -> int:
    """Return the palette index of a tile.

    >>> tile_tone(Tile("a", 0)), tile_tone(Tile("a", 0, shade=2))
    (0, 2)
    """
    return (tone(tile.key) + tile.shade) % COLOURS


def distinct(tiles: Iterable[Tile]) -> tuple[Tile, ...]:
    """Return tiles of which no two neighbours have the same colour.

    >>> [tile_tone(tile) for tile in distinct([Tile("a", 0), Tile("a", 0), Tile("b", 9), Tile("c", 3)])]
    [0, 1, 2, 3]
    """
    row: list[Tile] = []
    for tile in tiles:
        clash = bool(row) and tile_tone(row[-1]) == tile_tone(tile)
        row.append(replace(tile, shade=1) if clash else tile)
    return tuple(row)


def measure_text(text: str) -> int:
    """Return the approximate width of a text: East Asian wide characters count twice, combining marks not at all.

    >>> measure_text("ab"), measure_text("你"), measure_text("é")
    (24, 24, 12)
    """
    return GLYPH * sum(0 if combining(char) else 1 + (east_asian_width(char) in "WF") for char in text)


def box(tile: Tile, x: float, y: float, *, step: int | None = None) -> Box:
    """Return the box of a tile at a position.

    >>> box(Tile("th", 9), 0, 0) == Box(0, 0, 40, "th", 1)
    True
    """
    text = visible(tile.text)
    return Box(
        x=x, y=y, width=measure_text(text) + 2 * PAD, text=text, tone=tile_tone(tile), new=tile.mark == "new", step=step
    )


def tree(nodes: Sequence[MergeTreeNode], *, step: int | None = None) -> Drawing | None:
    """Return merge trees, each symbol above its parts; None if nothing has parts, or for over `MAX_LEAVES` leaves.

    With a `step`, symbols that a later step makes are left out, and their places are kept; None if it made none yet.
    """
    # A tree of thousands of boxes would be slow to render and impossible to read.
    if not any(node.parts for node in nodes) or sum(map(_leaves, nodes)) > MAX_LEAVES:
        return None
    boxes: list[Box] = []
    strokes: list[Stroke] = []
    x = float(PAD)
    height = max(map(_height, nodes))

    def place(node: MergeTreeNode, left: float) -> tuple[Box, float]:
        """Draw a node centred above its parts; return its box and the x coordinate where the next node can begin."""
        right = left
        children = []
        for part in node.parts:
            child, right = place(part, right)
            children.append(child)
        own = box(node.tile, left, PAD + (height - _height(node)) * LEVEL, step=node.step)
        right = max(right, left + own.width + 2 * GAP)
        if children:
            middle = (children[0].x + children[-1].x + children[-1].width) / 2
            own = replace(own, x=max(left, middle - own.width / 2))
        if _is_made(node, step):
            strokes.extend(_edge(own, child) for child in children)
            boxes.append(own)
        return own, max(right, own.x + own.width + 2 * GAP)

    for node in nodes:
        _, x = place(node, x)
    if not boxes:
        return None
    says = ", ".join(_description(made) for node in nodes for made in _made(node, step))
    return Drawing(
        width=x,
        height=2 * PAD + height * LEVEL - (LEVEL - HEIGHT),
        boxes=tuple(boxes),
        strokes=tuple(strokes),
        labels=(),
        says=says,
    )


def _is_made(node: MergeTreeNode, step: int | None) -> bool:
    return step is None or node.step is None or node.step <= step


def _made(node: MergeTreeNode, step: int | None) -> Iterator[MergeTreeNode]:
    """Yield a symbol, or what of its parts is made at a step."""
    if _is_made(node, step):
        yield node
    else:
        for part in node.parts:
            yield from _made(part, step)


def _leaves(node: MergeTreeNode) -> int:
    return sum(map(_leaves, node.parts)) or 1


def _height(node: MergeTreeNode) -> int:
    return 1 + max(map(_height, node.parts), default=0)


def _description(node: MergeTreeNode) -> str:
    text = visible(node.tile.text)
    return f"{text} from {' and '.join(map(_description, node.parts))}" if node.parts else text


def _edge(parent: Box, child: Box) -> Stroke:
    x = parent.x + parent.width / 2
    y = parent.y + HEIGHT
    return Stroke(f"M{x:g} {y:g}L{child.x + child.width / 2:g} {child.y:g}")
