"""Details: everything about one token, and every other place it occurs in the text."""

from dataclasses import dataclass

import numpy as np

from app.errors import Invalid
from app.lab.faces import Part, clipped, hex_bytes, kind, part
from app.lab.marks import Run, runs
from app.lab.tokenize import Tokenization
from app.types import BYTE_FALLBACK, INSERTED, SPECIAL, UNKNOWN, Token

MOST_PLACES = 100
AROUND = 14
"""Code points shown on each side of another place."""

LONGEST = 256

MEANINGS = (
    (INSERTED, "It stands for nothing in the input; the tokenizer puts it in."),
    (SPECIAL, "A special token: a mark with a meaning of its own, not a piece of language."),
    (UNKNOWN, "The vocabulary cannot spell what stood here."),
    (BYTE_FALLBACK, "One byte of a character that the vocabulary lacks."),
)


@dataclass(frozen=True, slots=True)
class Place:
    """Another occurrence of a token, with a little of the text around it."""

    index: int
    before: tuple[Run, ...]
    text: tuple[Run, ...]
    after: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Details:
    """One token: `covered` is what the input has where it stands, `others` counts its other places."""

    token: Token
    part: Part
    piece: tuple[Run, ...]
    hex: str
    covered: tuple[Run, ...]
    covered_hex: str
    code_points: str
    kind: str
    meanings: tuple[str, ...]
    others: int
    places: tuple[Place, ...]


def details(done: Tokenization, index: int) -> Details:
    """Look closely at one token of a text. Raises `Invalid` where there is no such token."""
    if not 0 <= index < len(done.encoding):
        raise Invalid(f"There is no token {index}; the text has {len(done.encoding):,}.", pointer="/token")
    (token,) = done.tokens(index, index + 1)
    covered = done.data[token.byte_start : token.byte_end]
    characters = done.text[token.char_start : token.char_end]
    flags = int(done.encoding.flags[index])
    elsewhere = np.flatnonzero(done.encoding.ids == token.entry.id)
    elsewhere = elsewhere[elsewhere != index]
    return Details(
        token=token,
        part=part(token, done.data),
        piece=tuple(runs(clipped(token.entry.piece, LONGEST))),
        hex=hex_bytes(token.entry.raw, longest=LONGEST),
        covered=tuple(runs(clipped(characters, LONGEST))),
        covered_hex=hex_bytes(covered, longest=LONGEST),
        code_points=code_points(characters),
        kind=kind(flags),
        meanings=tuple(meaning for bit, meaning in MEANINGS if flags & bit),
        others=len(elsewhere),
        places=tuple(_place(done, at) for at in elsewhere[:MOST_PLACES].tolist()),
    )


def code_points(text: str, *, most: int = 16) -> str:
    """The code points of a text, the tail of a long one counted.

    >>> code_points("a🌍")
    'U+0061 U+1F30D'
    """
    shown = " ".join(f"U+{ord(char):04X}" for char in text[:most])
    return shown if len(text) <= most else f"{shown} … {len(text) - most:,} more"


def _place(done: Tokenization, index: int) -> Place:
    start, end = int(done.encoding.char_starts[index]), int(done.encoding.char_ends[index])
    before, after = done.text[max(0, start - AROUND) : start], done.text[end : end + AROUND]
    return Place(index, tuple(runs(before)), tuple(runs(clipped(done.text[start:end]))), tuple(runs(after)))
