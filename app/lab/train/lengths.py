"""The pieces of a vocabulary as people read them, and how long they are."""

from collections.abc import Iterable, Sequence
from functools import cache

from app.adapters.pieces import spelled
from app.scratch.merges import END
from app.scratch.words import byte_alphabet
from app.types import Unit

LONGEST = 16
"""Pieces of this length and longer are counted together."""


@cache
def _bytes() -> dict[str, int]:
    return {char: byte for byte, char in enumerate(byte_alphabet())}


def readable(piece: str, unit: Unit) -> str:
    """A piece as it is shown: one of bytes as the text it stands for, where it is one.

    >>> readable("Ġthe", "bytes"), readable("âĤ", "bytes"), readable("##ing", "characters")
    (' the', '<0xE2><0x82>', '##ing')
    """
    if unit != "bytes" or not all(char in _bytes() for char in piece):
        return piece
    return spelled(bytes(map(_bytes().__getitem__, piece)))


def length(piece: str, unit: Unit) -> int:
    """Symbols of a piece: bytes, or characters; the marks of where it stands in a word are none.

    >>> length("Ġthe", "bytes"), length("##ing", "characters"), length("low</w>", "marked")
    (4, 3, 3)
    """
    if unit == "bytes":
        return len(piece)
    bare = piece.removesuffix(END) if unit == "marked" else piece.removeprefix("##").removeprefix("▁")
    return len(bare or piece)


def distribution(pieces: Iterable[str], unit: Unit) -> list[int]:
    """How many pieces have each length, from 1 on, those of `LONGEST` and more together.

    >>> distribution(["a", "b", "ab"], "characters")[:3]
    [2, 1, 0]
    """
    found = [0] * LONGEST
    for piece in pieces:
        found[min(length(piece, unit), LONGEST) - 1] += 1
    return found


def longest(pieces: Sequence[str], unit: Unit, *, most: int = 24) -> list[str]:
    """The longest pieces, the first learned of equals first.

    >>> longest(["a", "abc", "ab"], "characters", most=2)
    ['abc', 'ab']
    """
    return [readable(piece, unit) for piece in sorted(pieces, key=lambda piece: -length(piece, unit))[:most]]
