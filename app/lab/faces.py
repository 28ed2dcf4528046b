"""Faces: a window of tokens as a reader sees it, in text, in ids, in bytes and in a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import regex

from app.lab.cells import cells
from app.lab.marks import Run, label, runs, spoken
from app.lab.tokenize import Tokenization
from app.lab.windows import Window
from app.types import BYTE_FALLBACK, INSERTED, SPECIAL, UNKNOWN, Cell, Token

COLOURS = 9
MOST_PARTS = 32
LONGEST = 64
"""Bytes, or characters, of one token that its label shows; the text itself is always shown whole."""

JOINS_NEXT = regex.compile(r"[\p{jt=Dual_Joining}\p{jt=Left_Joining}\p{jt=Join_Causing}]\p{jt=Transparent}*\Z")
JOINS_PREVIOUS = regex.compile(r"\p{jt=Transparent}*[\p{jt=Dual_Joining}\p{jt=Right_Joining}\p{jt=Join_Causing}]")
CURSIVE = regex.compile(r"[\p{jt=Dual_Joining}\p{jt=Right_Joining}]")

FaceKind = Literal["token", "split", "inserted", "gap"]


@dataclass(frozen=True, slots=True)
class Part:
    """A token as it is shown.

    `colour` is its place in the palette, `spoken` is said where there is nothing to read, and `mark` tells it from an
    ordinary one: `changed` stands for other bytes than the input has.
    """

    index: int
    id: int
    colour: int
    label: str
    spoken: str
    mark: Literal["", "special", "unknown", "changed"]


@dataclass(frozen=True, slots=True)
class Face:
    """A cell as it is shown: its text in runs, its tokens as parts, and how many of these are left out.

    A split cell stands apart from its line; where Arabic letters would join across its edge, `joins` says on which
    sides, "before" or "after", to keep their joined forms.
    """

    kind: FaceKind
    runs: tuple[Run, ...]
    parts: tuple[Part, ...]
    left_out: int = 0
    blank: bool = False
    joins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A token in the table."""

    part: Part
    piece: tuple[Run, ...]
    hex: str
    byte_start: int
    byte_end: int
    char_start: int
    char_end: int
    kind: str


def faces(done: Tokenization, window: Window) -> Iterator[Face]:
    """What to show of a window's text, in order; the texts of all runs join to it."""
    found = [_face(cell, done.data) for cell in cells(done, window)]
    for before, face, after in zip([None, *found], found, [*found[1:], None], strict=False):
        sides = {"before": _joined(before, face), "after": _joined(face, after)}
        joins = tuple(side for side, joined in sides.items() if joined)
        yield replace(face, joins=joins) if joins else face


def _joined(left: Face | None, right: Face | None) -> bool:
    """Whether the edge between two faces cuts letters that join."""
    if left is None or right is None or "split" not in (left.kind, right.kind) or not (left.runs and right.runs):
        return False
    return bool(JOINS_NEXT.search(left.runs[-1].text[-8:]) and JOINS_PREVIOUS.match(right.runs[0].text[:8]))


def cursive(text: str) -> bool:
    """Whether letters of a text join, as Arabic ones do, so that nothing may stand between its tokens.

    >>> cursive("abc"), cursive("\u0633\u0644\u0627\u0645")
    (False, True)
    """
    return CURSIVE.search(text) is not None


def _face(cell: Cell, data: bytes) -> Face:
    found = tuple(runs(cell.text))
    if not cell.tokens:
        return Face("gap", found, (), blank=cell.text.isspace())
    if not cell.text:
        return Face("inserted", (), tuple(part(token, data, label(token.entry.piece)) for token in cell.tokens))
    if len(cell.tokens) == 1:
        return Face("token", found, (part(cell.tokens[0], data, "", spoken(found)),))
    shown = cell.tokens[:MOST_PARTS]
    return Face(
        "split",
        found,
        tuple(part(token, data, part_label(token, data)) for token in shown),
        len(cell.tokens) - len(shown),
    )


def part(token: Token, data: bytes, shown: str = "", said: str = "") -> Part:
    """A token as it is shown."""
    return Part(token.index, token.entry.id, token.index % COLOURS, shown, said, _mark(token, data))


def _mark(token: Token, data: bytes) -> Literal["", "special", "unknown", "changed"]:
    if token.entry.kind in ("special", "unknown"):
        return token.entry.kind
    same = token.inserted or token.entry.raw == data[token.byte_start : token.byte_end]
    return "" if same else "changed"


def part_label(token: Token, data: bytes) -> str:
    """What names a token in a split cell: its text, or its bytes where it holds no whole characters, or its spelling.

    >>> from app.types import VocabEntry
    >>> part_label(Token(0, VocabEntry(235, "<0x8D>", b"\\x8d"), 3, 4, 0, 1), "🌍".encode())
    '8D'
    """
    covered = data[token.byte_start : token.byte_end]
    try:
        text = covered.decode()
    except UnicodeDecodeError:
        return hex_bytes(covered)
    if token.entry.raw != covered:
        return label(token.entry.piece)[:LONGEST]
    return label(text)[:LONGEST]


def hex_bytes(raw: bytes, *, longest: int = LONGEST) -> str:
    r"""Bytes in hex, the tail of a long run counted.

    >>> hex_bytes(b"\xf0\x9f"), hex_bytes(b"abc", longest=2)
    ('F0 9F', '61 62 … 1 more')
    """
    shown = raw[:longest].hex(" ").upper()
    return shown if len(raw) <= longest else f"{shown} … {len(raw) - longest:,} more"


def rows(done: Tokenization, window: Window) -> Iterator[Row]:
    """A window's tokens for ids, bytes and table."""
    flags = done.encoding.flags[window.start : window.stop].tolist()
    for token, bits in zip(done.tokens(window.start, window.stop), flags, strict=True):
        yield Row(
            part(token, done.data),
            tuple(runs(clipped(token.entry.piece))),
            hex_bytes(token.entry.raw),
            token.byte_start,
            token.byte_end,
            token.char_start,
            token.char_end,
            kind(bits),
        )


def clipped(text: str, longest: int = LONGEST) -> str:
    """A text, or its beginning and an ellipsis.

    >>> clipped("abcdef", 3)
    'abc…'
    """
    return text if len(text) <= longest else f"{text[:longest]}…"


def kind(flags: int) -> str:
    """The kind of a token in a word or two.

    >>> kind(SPECIAL | INSERTED)
    'special, inserted'
    """
    words = ((SPECIAL, "special"), (UNKNOWN, "unknown"), (BYTE_FALLBACK, "byte"), (INSERTED, "inserted"))
    return ", ".join(word for bit, word in words if flags & bit) or "ordinary"


def joined(found: Sequence[Run]) -> str:
    """The text that runs show."""
    return "".join(run.text for run in found)
