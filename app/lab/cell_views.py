"""How tokens are displayed: cells with their parts in the text, and rows of ids, bytes and spans in a table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import regex

from ..types import BYTE_FALLBACK, INSERTED, SPECIAL, UNKNOWN, Cell, Token
from .cells import Window, cells
from .display_runs import DisplayRun, label, runs, spoken_label
from .palette import tone, tones
from .tokenize import Tokenization

MAX_PARTS = 32
"""Number of tokens of one cell that are displayed."""
MAX_CACHED = 32
"""Characters of the longest cell whose runs are kept."""
MAX_LABEL = 64
"""Bytes, or characters, of a token that a label shows; the text itself is always shown completely."""

# Unicode's Joining_Type tells whether a cursive letter connects to its neighbour (Core Specification, 9.2).
JOINS_NEXT = regex.compile(r"[\p{jt=Dual_Joining}\p{jt=Left_Joining}\p{jt=Join_Causing}]\p{jt=Transparent}*\Z")
JOINS_PREVIOUS = regex.compile(r"\p{jt=Transparent}*[\p{jt=Dual_Joining}\p{jt=Right_Joining}\p{jt=Join_Causing}]")
CURSIVE = regex.compile(r"[\p{jt=Dual_Joining}\p{jt=Right_Joining}]")

STRONG = regex.compile(r"[\p{bc=L}\p{bc=R}\p{bc=AL}]")
RIGHT_TO_LEFT = regex.compile(r"[\p{bc=R}\p{bc=AL}]")

CellKind = Literal["token", "split", "inserted", "gap"]


@dataclass(frozen=True, slots=True)
class DisplayToken:
    """A token as it is displayed.

    `colour` is its index in the palette. `label` is shown if the token's own text cannot be, and `hex` are then its
    bytes; `spoken` is what a screen reader says for invisible text. `mark` tells it from a normal token; `changed`
    means that its bytes differ from the input that it covers.
    """

    index: int
    id: int
    colour: int
    label: str
    spoken: str
    hex: str
    mark: Literal["", "special", "unknown", "changed"]


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell as it is displayed: its text in runs and its tokens as parts.

    `left_out` is the number of tokens that are not displayed. `blank` is True for a gap of nothing but whitespace.
    A `split` cell is drawn apart from its line; `joins` names the sides, "before" or "after", on which Arabic letters
    connect to the neighbouring cell, so that they keep their connected forms. `direction` is that in which the parts
    of a split cell follow each other: the one of the text around it.
    """

    kind: CellKind
    runs: tuple[DisplayRun, ...]
    parts: tuple[DisplayToken, ...]
    left_out: int = 0
    blank: bool = False
    joins: tuple[str, ...] = ()
    direction: Literal["ltr", "rtl"] = "ltr"


@dataclass(frozen=True, slots=True)
class TokenTableRow:
    """A token in the table; `kind` is special, unknown, byte, inserted or normal."""

    part: DisplayToken
    piece: tuple[DisplayRun, ...]
    hex: str
    byte_start: int
    byte_end: int
    char_start: int
    char_end: int
    kind: str


def cell_views(tokenization: Tokenization, window: Window) -> Iterator[CellView]:
    """Yield the cells of a window as they are displayed; the texts of all runs join to the window's text."""
    colours = window_colours(tokenization, window)
    views = [_cell_view(cell, tokenization.data, colours) for cell in cells(tokenization, window)]
    direction: Literal["ltr", "rtl"] = "ltr"
    read = 0  # views whose direction is known
    # Only neighbours tell whether an edge separates connected letters.
    for index, (before, view, after) in enumerate(zip([None, *views], views, [*views[1:], None], strict=False)):
        if "split" not in (view.kind, before and before.kind, after and after.kind):
            yield view
            continue
        sides = {"before": _are_connected(before, view), "after": _are_connected(view, after)}
        joins = tuple(side for side, connected in sides.items() if connected)
        if strong := next(filter(None, map(_last_strong, reversed(views[read : index + 1]))), ""):
            direction = "rtl" if RIGHT_TO_LEFT.fullmatch(strong) else "ltr"
        read = index + 1
        split = view.kind == "split" and direction == "rtl"
        yield replace(view, joins=joins, direction=direction) if joins or split else view


def _last_strong(view: CellView) -> str:
    """Return the last character of a cell that has a direction, if any."""
    # The last run and eight characters are enough: a direction is that of the word before, and a run can be very long.
    strong = STRONG.findall(view.runs[-1].text[-8:]) if view.runs else []
    return strong[-1] if strong else ""


def _are_connected(left: CellView | None, right: CellView | None) -> bool:
    """Return whether the edge between two cells, one of them split, separates connected letters."""
    if left is None or right is None or "split" not in (left.kind, right.kind) or not (left.runs and right.runs):
        return False
    # Eight characters are enough to get past vowel signs, and a run can be very long.
    return bool(JOINS_NEXT.search(left.runs[-1].text[-8:]) and JOINS_PREVIOUS.match(right.runs[0].text[:8]))


def cursive(text: str) -> bool:
    """Return whether a text has letters that connect, as Arabic ones do; then nothing may separate its tokens.

    >>> cursive("abc"), cursive("\u0633\u0644\u0627\u0645")
    (False, True)
    """
    return CURSIVE.search(text) is not None


def is_bidirectional(text: str) -> bool:
    """Return whether a text has letters that are written from right to left.

    >>> is_bidirectional("abc"), is_bidirectional("abc \u05e9")
    (False, True)
    """
    return RIGHT_TO_LEFT.search(text) is not None


def window_colours(tokenization: Tokenization, window: Window) -> dict[int, int]:
    """Return the colour of each token of a window, by its index."""
    ids = tokenization.encoding.ids[window.start : window.stop].tolist()
    return dict(enumerate(tones(ids), window.start))


def _cell_view(cell: Cell, data: bytes, colours: Mapping[int, int]) -> CellView:
    def show(token: Token, label: str, spoken: str = "") -> DisplayToken:
        return part(token, data, label, spoken, colours[token.index])

    text, spoken = (_cached_display if len(cell.text) <= MAX_CACHED else _display)(cell.text)
    if not cell.tokens:
        return CellView("gap", text, (), blank=cell.text.isspace())
    if not cell.text:
        return CellView("inserted", (), tuple(show(token, label(token.entry.piece)) for token in cell.tokens))
    if len(cell.tokens) == 1:
        return CellView("token", text, (show(cell.tokens[0], "", spoken),))
    displayed = cell.tokens[:MAX_PARTS]  # a letter with hundreds of accents is one cell
    parts = tuple(show(token, part_label(token, data)) for token in displayed)
    return CellView("split", text, parts, len(cell.tokens) - len(displayed))


def _display(text: str) -> tuple[tuple[DisplayRun, ...], str]:
    """Return the runs of a cell, and what a screen reader says for it."""
    display_runs = tuple(runs(text))
    return display_runs, spoken_label(display_runs)


_cached_display = lru_cache(maxsize=4096)(_display)  # with each key come mostly the same tokens


def part(token: Token, data: bytes, shown: str = "", spoken: str = "", colour: int | None = None) -> DisplayToken:
    """Return a token of the input `data` as it is displayed, in its own colour unless its neighbours need another.

    `shown` is its label where its text is not shown.
    """
    mark = _mark(token, data)
    if mark == "changed" and not shown:
        shown = label(token.entry.piece)
    return DisplayToken(
        index=token.index,
        id=token.entry.id,
        colour=tone(token.entry.id) if colour is None else colour,
        label=shown,
        spoken=spoken,
        hex=hex_bytes(token.entry.raw) if shown else "",
        mark=mark,
    )


def _mark(token: Token, data: bytes) -> Literal["", "special", "unknown", "changed"]:
    if token.entry.kind in ("special", "unknown"):
        return token.entry.kind
    # BERT lowercases and sentencepiece normalizes: then a token is not what the text says.
    same = token.inserted or token.entry.raw == data[token.byte_start : token.byte_end]
    return "" if same else "changed"


def part_label(token: Token, data: bytes) -> str:
    """Return the label of a token in a split cell: its text, or its bytes in hex if they are not whole characters.

    >>> from tokenarium.types import VocabEntry
    >>> part_label(Token(0, VocabEntry(235, "<0x8D>", b"\\x8d"), 3, 4, 0, 1), "🌍".encode())
    '8D'
    """
    covered = data[token.byte_start : token.byte_end]
    try:
        text = covered.decode()
    except UnicodeDecodeError:
        return hex_bytes(covered)
    # A token whose bytes differ from the input is named by its piece: the input is on the page already.
    return label(text if token.entry.raw == covered else token.entry.piece)[:MAX_LABEL]


def hex_bytes(raw: bytes, *, max_length: int = MAX_LABEL) -> str:
    r"""Return bytes in hex, with the number of those that are not shown.

    >>> hex_bytes(b"\xf0\x9f"), hex_bytes(b"abc", max_length=2)
    ('F0 9F', '61 62 … 1 more')
    """
    shown = raw[:max_length].hex(" ").upper()
    return shown if len(raw) <= max_length else f"{shown} … {len(raw) - max_length:,} more"


def rows(tokenization: Tokenization, window: Window) -> Iterator[TokenTableRow]:
    """Yield the tokens of a window for the views of ids and bytes and for the table."""
    flags = tokenization.encoding.flags[window.start : window.stop].tolist()
    colours = window_colours(tokenization, window)
    for token, bits in zip(tokenization.tokens(window.start, window.stop), flags, strict=True):
        shown = part(token, tokenization.data, label(clip_text(token.entry.piece)), colour=colours[token.index])
        yield TokenTableRow(
            part=shown,
            piece=tuple(runs(clip_text(token.entry.piece))),
            hex=shown.hex,
            byte_start=token.byte_start,
            byte_end=token.byte_end,
            char_start=token.char_start,
            char_end=token.char_end,
            kind=token_type(bits),
        )


def clip_text(text: str, max_length: int = MAX_LABEL) -> str:
    """Return a text, or its first characters and an ellipsis.

    >>> clip_text("abcdef", 3)
    'abc…'
    """
    return text if len(text) <= max_length else f"{text[:max_length]}…"


def token_type(flags: int) -> str:
    """Return the type of a token in words.

    >>> token_type(SPECIAL | INSERTED), token_type(0)
    ('special, inserted', 'normal')
    """
    words = ((SPECIAL, "special"), (UNKNOWN, "unknown"), (BYTE_FALLBACK, "byte"), (INSERTED, "inserted"))
    return ", ".join(word for bit, word in words if flags & bit) or "normal"
