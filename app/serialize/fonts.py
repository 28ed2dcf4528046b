"""Fonts of the letters that a picture uses, in one weight, and the signs that the bundled fonts lack."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from io import BytesIO
from itertools import pairwise
from math import cos, hypot, pi, sin

from fontTools import subset
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

from ..lab.typefaces import BOLD, FAMILIES, FOLDER, SIGNS_PART, WEIGHTS, Face

Point = tuple[float, float]
Line = Sequence[Point]
STROKE = 56
HEAD: Line = ((390, 430), (520, 300), (390, 170))
TAIL: Line = ((210, 430), (80, 300), (210, 170))
LINES: Mapping[str, Sequence[Line]] = {
    "␣": (((90, 110), (90, -40), (510, -40), (510, 110)),),
    "↵": (((510, 560), (510, 300), (80, 300)), TAIL),
    "⇥": (((60, 300), (450, 300)), ((320, 430), (450, 300), (320, 170)), ((540, 460), (540, 140))),
    "␍": (
        ((280, 620), (120, 620), (120, 320), (280, 320)),
        ((330, -20), (330, 280), (490, 280), (490, 130), (330, 130), (490, -20)),
    ),
    "→": (((80, 300), (520, 300)), HEAD),
    "←": (((80, 300), (520, 300)), TAIL),
    "⟨": (((390, 760), (230, 310), (390, -140)),),
    "⟩": (((210, 760), (370, 310), (210, -140)),),
    "≤": (((500, 560), (100, 370), (500, 180)), ((100, 60), (500, 60))),
    "≥": (((100, 560), (500, 370), (100, 180)), ((100, 60), (500, 60))),
    "◌": tuple(
        ((x - 1, y), (x + 1, y))
        for x, y in ((300 + 230 * cos(n * pi / 4), 280 + 230 * sin(n * pi / 4)) for n in range(8))
    ),
}
"""The signs as lines, in thousandths of an em."""


@cache
def _read_part(part: str) -> bytes:
    """Return a font, unpacked, without its rules for ligatures and kerning, as letters stand alone in a picture."""
    if part == SIGNS_PART:
        return _save(_draw_signs())
    font = TTFont(FOLDER / part)
    for table in ("GSUB", "GPOS", "GDEF", "STAT"):
        if table in font:
            del font[table]
    font.flavor = None
    return _save(font)


@lru_cache(64)
def make_font(part: str, face: Face, characters: str, *, bold: bool = False, compressed: bool = False) -> bytes:
    """Return the font of some characters in one weight, as TrueType or compressed as WOFF2."""
    font = TTFont(BytesIO(_read_part(part)))
    options = subset.Options(layout_features=[], hinting=False, notdef_outline=True)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=characters)
    subsetter.subset(font)
    if "fvar" in font:
        font = instantiateVariableFont(font, {"wght": BOLD if bold else WEIGHTS[face]}, inplace=True)
    _rename(font, FAMILIES[face], bold)
    font.flavor = "woff2" if compressed else None
    return _save(font)


def _save(font: TTFont) -> bytes:
    written = BytesIO()
    font.save(written)
    return written.getvalue()


def _rename(font: TTFont, family: str, bold: bool) -> None:
    """Name a font, which without its other weights no longer is what its names say."""
    style = "Bold" if bold else "Regular"
    names = {1: family, 2: style, 4: f"{family} {style}", 6: f"{family} {style}".replace(" ", "-")}
    font["name"].names = []
    for number, name in names.items():
        font["name"].setName(name, number, 3, 1, 0x409)
    font["OS/2"].usWeightClass = BOLD if bold else 400
    font["OS/2"].fsSelection = 0x20 if bold else 0x40
    font["head"].macStyle = int(bold)


def _draw_signs() -> TTFont:
    """Return a font of the signs."""
    builder = FontBuilder(1000, isTTF=True)
    names = {sign: f"u{ord(sign):04X}" for sign in LINES}
    builder.setupGlyphOrder([".notdef", *names.values()])
    builder.setupCharacterMap({ord(sign): name for sign, name in names.items()})
    glyphs = {".notdef": TTGlyphPen(None).glyph()}
    for sign, name in names.items():
        pen = TTGlyphPen(None)
        for start, end in (pair for line in LINES[sign] for pair in pairwise(line)):
            _draw_stroke(pen, start, end)
        glyphs[name] = pen.glyph()
    builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics(dict.fromkeys(glyphs, (600, 0)))
    builder.setupHorizontalHeader(ascent=984, descent=-273)
    builder.setupOS2(sTypoAscender=984, sTypoDescender=-273, usWinAscent=984, usWinDescent=273)
    builder.setupNameTable({"familyName": "Signs", "styleName": "Regular"})
    builder.setupPost()
    return builder.font


def _draw_stroke(pen: TTGlyphPen, start: Point, end: Point) -> None:
    """Draw a line with square ends, so that lines that meet leave no notch."""
    (x, y), (to_x, to_y) = start, end
    length = hypot(to_x - x, to_y - y)
    along = (to_x - x) * STROKE / 2 / length, (to_y - y) * STROKE / 2 / length
    across = -along[1], along[0]
    corners = ((x, y, -1, -1), (x, y, -1, 1), (to_x, to_y, 1, 1), (to_x, to_y, 1, -1))
    for number, (at_x, at_y, forth, side) in enumerate(corners):
        corner = round(at_x + forth * along[0] + side * across[0]), round(at_y + forth * along[1] + side * across[1])
        (pen.lineTo if number else pen.moveTo)(corner)
    pen.closePath()
