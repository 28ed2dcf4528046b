"""Tiles of an encoding: what the symbols and tokens of a word look like, and which of many are shown."""

from collections.abc import Sequence

from app.lab.steps.frames import Mark, Row, Tile
from app.lab.steps.spelling import spelled
from app.types import CutWord, Trace

MOST = 60
"""Tiles in a row, about; the others are counted."""
OUTSIDE = 1 << 24
"""Keys of symbols that are no tokens begin here."""


def part(
    trace: Trace, symbols: bytes | str, start: int, end: int, *, mark: Mark = "", halves: tuple[Tile, ...] = ()
) -> Tile:
    """A part of a word on its way: the token it is, or a symbol that the vocabulary lacks."""
    inside = symbols[start:end]
    key = trace.ids.get(inside)
    if key is None:
        key = OUTSIDE + (ord(inside) if isinstance(inside, str) and len(inside) == 1 else len(inside))
    return Tile(spelled(inside), key, start, mark, halves)


def token(trace: Trace, cut: CutWord, index: int, *, at: int | None = None) -> Tile:
    """A finished token of a word."""
    id, start, end = cut.tokens[index]
    place = start if at is None else at
    text, mark = spelled(cut.symbols[start:end]), _mark(trace, cut, id)
    if mark == "byte":
        first = index
        while first and cut.tokens[first - 1][1:] == (start, end):
            first -= 1
        text = f"{str(cut.symbols[start:end]).encode()[index - first]:02x}"
    elif mark == "unknown" and trace.method == "attempts":
        text = "[UNK]"
    elif start and trace.prefix:
        text = trace.prefix + text
    return Tile(text, id, place, mark)


def _mark(trace: Trace, cut: CutWord, id: int) -> Mark:
    if cut.special:
        return "special"
    return "unknown" if id == trace.unknown else "byte" if id in trace.byte_ids else ""


def word(cut: CutWord, *, at: int = 0, mark: Mark = "") -> Tile:
    """A whole word as one tile, in the colour of its first token."""
    return Tile(spelled(cut.symbols), cut.tokens[0][0] if cut.tokens else OUTSIDE, at, mark)


def characters(text: str, label: str = "") -> Row:
    """The first characters of a text, a tile each.

    >>> [tile.text for tile in characters("é!").tiles]
    ['é', '!']
    """
    tiles = tuple(Tile(char, OUTSIDE + ord(char), at) for at, char in enumerate(text[:MOST]))
    return Row(tiles, label, left_out_after=max(0, len(text) - MOST))


def window(size: int, place: int, *, most: int = MOST) -> range:
    """Which of many to show about a place.

    >>> window(100, 50, most=10), window(5, 4), window(100, 99, most=10)
    (range(45, 55), range(0, 5), range(90, 100))
    """
    start = max(0, min(place - most // 2, size - most))
    return range(start, min(size, start + most))


def quoted(tiles: Sequence[Tile]) -> tuple[str | Tile, ...]:
    """Tiles in a sentence, with commas between.

    >>> quoted([Tile("a", 1), Tile("b", 2)])[1]
    ', '
    """
    listed: list[str | Tile] = []
    for tile in tiles:
        listed += [", ", tile] if listed else [tile]
    return tuple(listed)
