"""The bundled fonts for exported pictures: which has a letter, how wide it is, and what stands together on a line.

The fonts are those of the pages, in `static/vendor`, in several parts by script, and one of signs. A letter that no
part has is foreign: the program that shows the picture chooses a font for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal
from unicodedata import bidirectional, combining, east_asian_width

from ..settings import ROOT
from .steps.step import Tile
from .steps.tiles import visible

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont


Face = Literal["mono", "serif", "sans"]
FOLDER = ROOT / "static" / "vendor"
FAMILIES: Mapping[Face, str] = {"mono": "Source Code Pro", "serif": "Source Serif 4", "sans": "IBM Plex Sans"}
FILES: Mapping[Face, tuple[str, ...]] = {
    "mono": ("source-code-pro-*.latin", "source-code-pro-*", "fira-code-*"),
    "serif": ("source-serif-4-*.latin", "source-serif-4-*", "fira-code-*"),
    "sans": ("ibm-plex-sans-*.latin", "ibm-plex-sans-*", "fira-code-*"),
}
SIGNS_PART = "signs"
SIGNS = "␣↵⇥␍→←⟨⟩≤≥◌"
"""Signs that the files lack; `serialize.fonts` draws them, each as wide as a letter of the monospace."""
WEIGHTS: Mapping[Face, int] = {"mono": 500, "serif": 400, "sans": 400}
BOLD = 700
NARROW = 0.6
WIDE = 1.25
"""Advances of foreign letters, in ems."""
Words = tuple[str | Tile, ...]
PARTS = re.compile(r"\s+|\S+")


@cache
def list_parts(face: Face) -> tuple[str, ...]:
    """Return the names of the files of a typeface, that of Latin first, and of the signs."""
    found = (path.name for pattern in FILES[face] for path in sorted(FOLDER.glob(f"{pattern}.woff2")))
    return (*dict.fromkeys(found), SIGNS_PART)


@cache
def _load_part(part: str) -> TTFont:
    from fontTools.ttLib import TTFont

    return TTFont(FOLDER / part)


@cache
def _map_letters(part: str) -> Mapping[int, str]:
    """Return the names of the glyphs of a part by code point."""
    return dict.fromkeys(map(ord, SIGNS), "sign") if part == SIGNS_PART else dict(_load_part(part).getBestCmap())


@cache
def _glyphs(part: str, weight: int) -> tuple[Mapping[str, Any], int]:
    """Return the glyphs of a part in a weight, and the units of an em."""
    font = _load_part(part)
    return font.getGlyphSet(location={"wght": weight} if "fvar" in font else None), font["head"].unitsPerEm


@lru_cache(10_000)
def find_part(char: str, face: Face) -> str:
    """Return the part of a typeface that has a character, or an empty string.

    >>> find_part("a", "mono"), find_part("␣", "serif"), find_part("你", "sans")
    ('source-code-pro-5.3.0.latin.woff2', 'signs', '')
    """
    return next((part for part in list_parts(face) if ord(char) in _map_letters(part)), "")


def is_foreign(text: str, face: Face) -> bool:
    """True if a text has a character that the typeface lacks, or must be shaped as combining marks are.

    >>> is_foreign("é", "mono"), is_foreign("e\N{COMBINING ACUTE ACCENT}", "mono"), is_foreign("你", "mono")
    (False, True, True)
    """
    return not text.isascii() and any(combining(char) or not find_part(char, face) for char in text)


def split_parts(text: str, face: Face) -> list[tuple[str, str]]:
    """Return a text in runs of characters from one part each, as (part, run).

    >>> split_parts("a␣b", "mono")[1]
    ('signs', '␣')
    """
    return [(part, "".join(run)) for part, run in groupby(text, lambda char: find_part(char, face))]


@lru_cache(20_000)
def measure_advance(char: str, face: Face, bold: bool = False) -> float:
    """Return the advance of a character in ems."""
    part = find_part(char, face)
    if not part:
        return 0 if combining(char) else WIDE if east_asian_width(char) in "WF" else NARROW
    if part == SIGNS_PART:
        return NARROW
    glyphs, units = _glyphs(part, BOLD if bold else WEIGHTS[face])
    return float(glyphs[_map_letters(part)[ord(char)]].width) / units


def measure(text: str, face: Face, size: float, *, bold: bool = False) -> float:
    """Return the width of a text; that of foreign letters is estimated.

    >>> measure("ab", "mono", 20), round(measure("Hello", "serif", 20), 1), measure("你", "mono", 20)
    (24.0, 51.7, 25.0)
    """
    return size * sum(measure_advance(char, face, bold) for char in text)


def is_rtl(texts: Iterable[str]) -> bool:
    """True if the first letter that has a direction is read from right to left.

    >>> is_rtl(["1", "שלום", "a"]), is_rtl(["×5", "a"])
    (True, False)
    """
    strong = (one for text in texts for char in text if (one := bidirectional(char)) in ("L", "R", "AL"))
    return next(strong, "L") != "L"


def separate(tiles: Iterable[Tile]) -> Words:
    """Return tiles with spaces between them.

    >>> len(separate([Tile("a", 0), Tile("b", 1)]))
    3
    """
    return tuple(part for tile in tiles for part in (tile, " "))[:-1]


def split_units(words: Words) -> Iterator[list[str | Tile]]:
    """Yield the runs of text and tiles between spaces, and each space.

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


def tile_letters(face: Face, size: float) -> float:
    """Return the size of the letters of a small tile: in a table that of its words, in a sentence a little less."""
    return 0.92 * size if face == "serif" else size


def measure_part(part: str | Tile, face: Face, size: float, bold: bool = False) -> float:
    """Return the width of a text, or of a small tile in a text."""
    if isinstance(part, Tile):
        letters = tile_letters(face, size)
        return measure(visible(part.text), "mono", letters) + 0.56 * letters
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
