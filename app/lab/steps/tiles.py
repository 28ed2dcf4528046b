"""Symbols as tiles and as text, and the format of numbers in captions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import floor, log10

from ...types import EncodingTrace, Segmentation
from ..display_runs import DisplayRun, runs
from .step import Mark, Tile, TileRow

SPACE_SIGNS = {"space": "␣", "tab": "⇥", "newline": "↵", "return": "␍"}
AMBIGUOUS = frozenset(SPACE_SIGNS.values())
MAX_LENGTH = 64
"""Characters on a tile, approximately; longer texts lose their middle."""
MAX_TILES = 60
"""Tiles per row, approximately; the others are only counted."""
NO_ID = 1 << 24
"""Keys from here on belong to symbols that have no token id; real ids are smaller."""


@lru_cache(maxsize=20_000)
def visible(text: str) -> str:
    r"""Return a text with every character visible.

    White space becomes signs, invisible characters their names, and a combining mark without a base stands on a
    dotted circle. A white-space sign that is part of the text appears by its code point, so that it is unambiguous.

    >>> visible(" the"), visible("\n\n"), visible("a\u200b"), visible("\u0301"), visible("␣")
    ('␣the', '↵↵', 'a⟨ZWSP⟩', '◌́', '⟨U+2423⟩')
    """
    if text.isalnum() and text.isascii():
        return text
    return "".join(map(_visible_run, runs(text)))


def _visible_run(run: DisplayRun) -> str:
    if run.kind in SPACE_SIGNS:
        return SPACE_SIGNS[run.kind] * len(run.text)
    if run.kind == "chip":
        return f"⟨{run.label}⟩"
    text = "".join(f"⟨U+{ord(char):04X}⟩" if char in AMBIGUOUS else char for char in run.text)
    return f"◌{text}" if run.kind == "mark" else text


def spell(symbols: bytes | str) -> str:
    r"""Return symbols as text, shortened if long; bytes that are not valid UTF-8 in hex.

    >>> spell(b" the"), spell(b"\xf0\x9f")
    (' the', 'f0·9f')
    """
    if isinstance(symbols, str):
        return shorten(symbols)
    try:
        return shorten(symbols.decode())
    except UnicodeDecodeError:
        return shorten(symbols.hex(" ").replace(" ", "·"))


def shorten(text: str, most: int = MAX_LENGTH) -> str:
    """Return a text without its middle if it has more than `most` characters.

    >>> len(shorten("a" * 1000)), shorten("abc"), shorten("abcdefgh", 4)
    (65, 'abc', 'ab…gh')
    """
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 :]}"


def symbol_tile(
    trace: EncodingTrace, symbols: bytes | str, start: int, end: int, *, mark: Mark = "", halves: tuple[Tile, ...] = ()
) -> Tile:
    """Return the tile of an intermediate symbol: `symbols[start:end]`, with its token id as key if it has one."""
    symbol = symbols[start:end]
    key = trace.id(symbols, start, end)
    if key is None:
        # Any stable number will do: it only has to give the same symbol the same colour.
        key = NO_ID + (ord(symbol) if isinstance(symbol, str) and len(symbol) == 1 else len(symbol))
    return Tile(_spell_part(trace, symbols, start, end), key, start, mark, halves)


def _spell_part(trace: EncodingTrace, symbols: bytes | str, start: int, end: int) -> str:
    """Return a part of a word, with the mark of what ends a word."""
    return spell(symbols[start:end]) + (trace.suffix if end == len(symbols) else "")


def token_tile(trace: EncodingTrace, word: Segmentation, index: int, *, at: int | None = None) -> Tile:
    """Return the tile of a word's token, at its offset in the word or `at` another one."""
    id, start, end = word.tokens[index]
    mark = _token_mark(trace, word, id)
    text = spell(word.symbols[start:end]) if word.special else _spell_part(trace, word.symbols, start, end)
    if mark == "byte":
        # The byte tokens of one character share its span: the position among them tells which byte this is.
        first = index
        while first and word.tokens[first - 1][1:] == (start, end):
            first -= 1
        text = f"{str(word.symbols[start:end]).encode()[index - first]:02x}"
    elif mark == "unknown" and trace.method == "attempts":
        text = "[UNK]"
    elif start and trace.prefix:
        text = trace.prefix + text
    return Tile(text, id, start if at is None else at, mark)


def _token_mark(trace: EncodingTrace, word: Segmentation, id: int) -> Mark:
    if word.special:
        return "special"
    return "unknown" if id == trace.unknown else "byte" if id in trace.byte_ids else ""


def token_row(trace: EncodingTrace, word: Segmentation) -> TileRow:
    """Return the first `MAX_TILES` tokens of a word as a row."""
    tiles = tuple(token_tile(trace, word, index, at=index) for index in range(min(MAX_TILES, len(word.tokens))))
    return TileRow(tiles, left_out_after=len(word.tokens) - len(tiles))


def word_tile(word: Segmentation, *, at: int = 0, mark: Mark = "") -> Tile:
    """Return a whole word as one tile, in the colour of its first token."""
    return Tile(spell(word.symbols), word.tokens[0][0] if word.tokens else NO_ID, at, mark)


def make_row(tiles: Iterable[Tile], label: str = "", *, limit: int = MAX_TILES) -> TileRow:
    """Return tiles as a row, numbered from 0; those beyond the limit are only counted.

    >>> row = make_row((Tile(letter, 0) for letter in "abc"), "text", limit=2)
    >>> [(tile.text, tile.at) for tile in row.tiles], row.left_out_after
    ([('a', 0), ('b', 1)], 1)
    """
    every = [*tiles]
    shown = tuple(replace(tile, at=at) for at, tile in enumerate(every[:limit]))
    return TileRow(shown, label, left_out_after=len(every) - len(shown))


def character_row(text: str, label: str = "", *, limit: int = MAX_TILES) -> TileRow:
    """Return the first characters of a text as a row.

    >>> [tile.text for tile in character_row("é!").tiles]
    ['é', '!']
    """
    tiles = tuple(Tile(char, NO_ID + ord(char), at) for at, char in enumerate(text[:limit]))
    return TileRow(tiles, label, left_out_after=max(0, len(text) - limit))


def window(size: int, position: int, *, width: int = MAX_TILES) -> range:
    """Return the indices to show of `size` items: at most `width`, centred on a position where possible.

    >>> window(100, 50, width=10), window(5, 4), window(100, 99, width=10)
    (range(45, 55), range(0, 5), range(90, 100))
    """
    start = max(0, min(position - width // 2, size - width))
    return range(start, min(size, start + width))


def enumeration(tiles: Sequence[Tile]) -> tuple[str | Tile, ...]:
    """Return tiles as parts of a caption, separated by commas.

    >>> enumeration([Tile("a", 1), Tile("b", 2)])[1]
    ', '
    """
    parts: list[str | Tile] = []
    for tile in tiles:
        parts += [", ", tile] if parts else [tile]
    return tuple(parts)


def merge_priority(trace: EncodingTrace, symbols: bytes | str, rank: float) -> str:
    """Return the priority of a merge: its rank, or its score in models of SentencePiece, which merge characters.

    A trace stores a score as a rank with the opposite sign.

    >>> [merge_priority(EncodingTrace("merges", ()), *merge) for merge in ((b"the", 290), ("the", 44.0), ("the", 0.0))]
    ['rank 290', 'score −44', 'score 0']
    """
    if trace.pairs or isinstance(symbols, bytes):
        return f"rank {rank:,}"
    score = f"{-rank:,.3f}".rstrip("0").rstrip(".").replace("-", "−")
    return f"score {'0' if score == '−0' else score}"


def log_score(value: float) -> str:
    """Return a log-probability with three decimals.

    >>> log_score(-3.91202), log_score(0.0)
    ('−3.912', '0')
    """
    return f"{value:,.3f}".replace("-", "−") if value else "0"


def two_decimals(value: float, *, sign: str = "") -> str:
    """Return a number with two decimals.

    >>> two_decimals(-1234.5), two_decimals(0.25, sign="+"), two_decimals(-0.0001)
    ('−1,234.50', '+0.25', '0.00')
    """
    rounded = round(value, 2) + 0.0  # adding 0.0 turns -0.0 into 0.0
    return f"{rounded:{sign},.2f}".replace("-", "−")


def significant(value: float) -> str:
    """Return a positive number with three significant digits.

    >>> significant(0.05), significant(1 / 36), significant(0.000012345), significant(1)
    ('0.05', '0.0278', '0.0000123', '1')
    """
    return f"{value:.{max(0, 2 - floor(log10(value)))}f}".rstrip("0").removesuffix(".")


def percent(share: float) -> str:
    """Return a probability in percent.

    >>> percent(0.8333), percent(0.00004)
    ('83.3 %', '< 0.1 %')
    """
    return f"{100 * share:.1f} %" if share >= 0.001 else "< 0.1 %"


def format_change(change: int) -> str:
    """Return a change with its sign.

    >>> format_change(1), format_change(0), format_change(-1200)
    ('+1', '±0', '−1,200')
    """
    return f"{change:+,}".replace("-", "−") if change else "±0"
