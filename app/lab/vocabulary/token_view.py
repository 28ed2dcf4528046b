"""How tokens of a vocabulary are shown: text in display runs, bytes that are no whole characters, and a list as bands.

The bands of a list have the share of each script, and the mean length.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import regex
from numpy.typing import NDArray

from ...types import VocabEntry
from ..cell_views import clip_text, hex_bytes
from ..display_runs import DisplayRun, runs, spoken_label
from ..palette import tone
from .analysis import CLASSES
from .columns import KINDS, SCRIPTS, VocabularyColumns
from .search import Rows

MAX_SHOWN = 64
"""Characters of a token, and bytes, that a row shows."""
FRAGMENT = regex.compile("[\udc80-\udcff]+")
BANDS = 120
"""Bands of a long list; a shorter one has a band for each token."""
LEGEND = 6
"""Scripts that have a colour of their own."""
LONGEST = 16.0
"""Mean length, in bytes, of the widest band."""


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


@dataclass(frozen=True, slots=True)
class MinimapBand:
    """`count` tokens from the place `start` on: their mean length, and the share of each script with a colour.

    The last share is that of all other scripts.
    """

    start: int
    count: int
    length: float
    shares: tuple[float, ...]

    @property
    def parts(self) -> list[tuple[int, float, float]]:
        """The scripts that occur, as (colour, place, width); a band of the greatest length has the width 1."""
        width = 0.1 + 0.9 * min(1.0, self.length / LONGEST)
        starts = [sum(self.shares[:tone]) for tone in range(len(self.shares))]
        every = enumerate(zip(starts, self.shares, strict=True))
        return [(tone, width * start, width * share) for tone, (start, share) in every if share]


@dataclass(frozen=True, slots=True)
class Minimap:
    """The bands of a list, and the scripts that have a colour, the most frequent first."""

    bands: tuple[MinimapBand, ...]
    scripts: tuple[str, ...]


def token_view(entry: VocabEntry, *, max_length: int = MAX_SHOWN) -> TokenView:
    """Return a token to be shown, shortened to a number of characters.

    A token of bytes is shown by its text, one of another vocabulary by its spelling (`##ing`, `▁the`).
    """
    parts = tuple(token_parts(entry, max_length))
    every = [run for part in parts for run in part.runs]
    spoken = "" if any(part.hex for part in parts) else spoken_label(every)
    return TokenView(entry.id, parts, tone(entry.id), spoken, entry.kind == "special")


def token_parts(entry: VocabEntry, max_length: int = MAX_SHOWN) -> Iterator[TokenPart]:
    r"""Yield the parts of a token.

    >>> [(part.hex or part.runs[0].text) for part in token_parts(VocabEntry(0, "?", b" \xf0\x9f"))]
    [' ', 'F0 9F']
    """
    if entry.text is not None:
        yield TokenPart(tuple(runs(clip_text(entry.piece, max_length))))
        return
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


def draw_minimap(columns: VocabularyColumns, rows: Rows, start: int, stop: int, scripts: Sequence[str]) -> Minimap:
    """Return the rows from `start` to `stop` in bands; `scripts` are all scripts by frequency."""
    coloured = tuple(scripts[:LEGEND])
    edges = np.linspace(start, stop, min(BANDS, stop - start) + 1).astype(np.int64)
    sizes = np.diff(edges)
    band = np.repeat(np.arange(len(sizes)), sizes)
    tones = np.full(len(SCRIPTS), len(coloured))
    tones[[SCRIPTS.index(name) for name in coloured]] = np.arange(len(coloured))
    shown = rows[start:stop]
    width = len(coloured) + 1
    counts = np.bincount(band * width + tones[columns.scripts[shown]], minlength=len(sizes) * width)
    shares = counts.reshape(len(sizes), width) / sizes[:, None]
    lengths = np.bincount(band, columns.lengths[shown], len(sizes)) / sizes
    every = zip(edges.tolist(), sizes.tolist(), lengths.tolist(), shares.tolist(), strict=False)
    return Minimap(
        tuple(MinimapBand(first, size, length, tuple(some)) for first, size, length, some in every), coloured
    )
