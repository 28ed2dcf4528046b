"""How a token of a vocabulary is shown: its text in display runs, and bytes that are no whole characters as labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import regex
from numpy.typing import NDArray

from ...types import VocabEntry
from ..cell_views import COLOURS, clip_text, hex_bytes
from ..display_runs import DisplayRun, runs, spoken_label
from .analysis import CLASSES
from .columns import KINDS, SCRIPTS, VocabularyColumns
from .search import Rows

MAX_SHOWN = 64
"""Characters of a token, and bytes, that a row shows."""
FRAGMENT = regex.compile("[\udc80-\udcff]+")


@dataclass(frozen=True, slots=True)
class TokenPart:
    """A part of a token: text, or bytes that are no whole characters, in hex."""

    runs: tuple[DisplayRun, ...] = ()
    hex: str = ""


@dataclass(frozen=True, slots=True)
class TokenView:
    """A token as a row or a link shows it. `spoken` is what a screen reader says for invisible text."""

    id: int
    parts: tuple[TokenPart, ...]
    colour: int
    spoken: str
    special: bool


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A row of the browser; `place` is its position among the tokens found, from 0.

    `token_class` is that of the analysis, "" before it has been computed.
    """

    place: int
    token: TokenView
    hex: str
    length: int
    characters: int
    kind: str
    script: str
    token_class: str


def token_view(entry: VocabEntry, *, max_length: int = MAX_SHOWN) -> TokenView:
    """Return a token to be shown, shortened to a number of characters.

    A token of bytes is shown by its text, one of another vocabulary by its spelling (`##ing`, `▁the`).
    """
    parts = tuple(token_parts(entry, max_length))
    every = [run for part in parts for run in part.runs]
    spoken = "" if any(part.hex for part in parts) else spoken_label(every)
    return TokenView(entry.id, parts, entry.id % COLOURS, spoken, entry.kind == "special")


def token_parts(entry: VocabEntry, max_length: int = MAX_SHOWN) -> Iterator[TokenPart]:
    r"""Yield the parts of a token.

    >>> [(part.hex or part.runs[0].text) for part in token_parts(VocabEntry(0, "?", b" \xf0\x9f"))]
    [' ', 'F0 9F']
    """
    try:
        entry.raw.decode()
    except UnicodeDecodeError:
        # Each byte that belongs to no character becomes a surrogate of its own.
        text = entry.raw[: 4 * max_length].decode(errors="surrogateescape")
        last = 0
        for match in FRAGMENT.finditer(text):
            if last < match.start():
                yield TokenPart(tuple(runs(text[last : match.start()])))
            yield TokenPart(hex=hex_bytes(match.group().encode(errors="surrogateescape"), max_length=max_length))
            last = match.end()
        if last < len(text):
            yield TokenPart(tuple(runs(clip_text(text[last:], max_length))))
        return
    yield TokenPart(tuple(runs(clip_text(entry.piece, max_length))))


def token_rows(
    columns: VocabularyColumns, rows: Rows, first: int, classes: NDArray[np.uint8] | None = None
) -> list[TokenRow]:
    """Return some rows of a search; `first` is the position of the first of them among all that were found."""
    return [
        TokenRow(
            place=place,
            token=token_view(columns.entry(row)),
            hex=hex_bytes(columns.raws[row], max_length=24),
            length=int(columns.lengths[row]),
            characters=int(columns.characters[row]),
            kind=KINDS[columns.kinds[row]],
            script=SCRIPTS[columns.scripts[row]],
            token_class="" if classes is None else CLASSES[classes[row]],
        )
        for place, row in enumerate(rows.tolist(), first)
    ]
