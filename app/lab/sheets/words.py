"""The sentences of a sheet: what stands together on a line, and how wide it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..steps.frames import Tile
from ..steps.tiles import visible
from ..typefaces import Face, measure

Words = tuple[str | Tile, ...]
PARTS = re.compile(r"\s+|\S+")


def separate(tiles: Iterable[Tile]) -> Words:
    """Return tiles with spaces between them.

    >>> len(separate([Tile("a", 0), Tile("b", 1)]))
    3
    """
    return tuple(part for tile in tiles for part in (tile, " "))[:-1]


def split_units(words: Words) -> Iterator[list[str | Tile]]:
    """Yield what stands together between spaces, and each space.

    >>> [*split_units(("the pair ", Tile("a", 0), ", too"))][2:5]
    [['pair'], [' '], [Tile(text='a', key=0, at=0, mark='', halves=(), shade=0), ',']]
    """
    unit: list[str | Tile] = []
    for part in words:
        for piece in [part] if isinstance(part, Tile) else PARTS.findall(part):
            if isinstance(piece, str) and piece.isspace():
                if unit:
                    yield unit
                unit = []
                yield [" "]
            else:
                unit.append(piece)
    if unit:
        yield unit


def measure_part(part: str | Tile, face: Face, size: float, bold: bool = False) -> float:
    """Return the width of a text, or of a small tile in a text."""
    if isinstance(part, Tile):
        return measure(visible(part.text), "mono", 0.92 * size) + 0.56 * 0.92 * size
    return measure(part, face, size, bold=bold)


def break_part(
    part: str | Tile, face: Face, size: float, bold: bool, room: float
) -> Iterator[tuple[str | Tile, float]]:
    """Yield a part of a sentence with its width, one that is wider than a line in pieces.

    >>> [piece for piece, _ in break_part("abcdef", "mono", 10, False, 20)]
    ['abc', 'def']
    """
    width = measure_part(part, face, size, bold)
    if width <= room:
        yield part, width
        return
    text = part.text if isinstance(part, Tile) else part
    count = max(1, int(len(text) * room / width) - isinstance(part, Tile))
    for start in range(0, len(text), count):
        piece = text[start : start + count]
        cut = replace(part, text=piece) if isinstance(part, Tile) else piece
        yield cut, measure_part(cut, face, size, bold)
