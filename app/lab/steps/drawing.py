"""Where the parts of a picture stand: plain shapes, which one template turns into SVG. Lengths are pixels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from unicodedata import combining, east_asian_width

from app.lab.steps.frames import Tile
from app.lab.steps.spelling import visible

TONES = 9
GLYPH, HEIGHT, PAD, GAP = 12, 36, 8, 6
"""The width of a character, the height of a box, the room beside its text, and between boxes."""


@dataclass(frozen=True, slots=True)
class Box:
    """A tile: where it stands, what it says, its place in the palette. `step` is the frame that made it."""

    x: float
    y: float
    width: float
    text: str
    tone: int
    new: bool = False
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line; `d` is the path in SVG's words."""

    d: str
    kind: Literal["", "new", "best"] = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A text around a middle, or from a left edge where it is no `middle`."""

    x: float
    y: float
    text: str
    bold: bool = False
    middle: bool = True


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture with its size; `says` is for those who cannot see it. Another may stand `under` it."""

    width: float
    height: float
    boxes: tuple[Box, ...] = ()
    strokes: tuple[Stroke, ...] = ()
    labels: tuple[Label, ...] = ()
    says: str = ""
    under: "Drawing | None" = None


def tone(key: int) -> int:
    """The place of a symbol in the palette: neighbours differ, and so do a byte and what is made of it, mostly.

    >>> tone(32), tone(104), tone(257)
    (8, 7, 6)
    """
    return (key + key // TONES) % TONES


def width_of(text: str) -> int:
    """The width of a text on a tile, about: wide characters count twice, combining marks not at all.

    >>> width_of("ab"), width_of("你"), width_of("é")
    (24, 24, 12)
    """
    return GLYPH * sum(0 if combining(char) else 1 + (east_asian_width(char) in "WF") for char in text)


def box(tile: Tile, x: float, y: float, *, step: int | None = None) -> Box:
    """A tile at a place.

    >>> box(Tile("th", 9), 0, 0)
    Box(x=0, y=0, width=40, text='th', tone=1, new=False, step=None)
    """
    text = visible(tile.text)
    return Box(x, y, width_of(text) + 2 * PAD, text, tone(tile.key), tile.mark == "new", step)


def line_of(tiles: Iterable[Tile], x: float, y: float) -> tuple[list[Box], float]:
    """Tiles beside each other, and where they end."""
    boxes = []
    for tile in tiles:
        boxes.append(box(tile, x, y))
        x += boxes[-1].width + GAP
    return boxes, x


def wrapped(text: str, *, columns: int) -> Sequence[str]:
    """A text in lines of at most so many characters, cut at spaces.

    >>> wrapped("a caption in words", columns=10)
    ['a caption', 'in words']
    """
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > columns:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines
