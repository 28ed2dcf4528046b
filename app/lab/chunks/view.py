"""What the page shows of the chunks of a text: the text with their lines, their sizes, and the tokens that differ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

import numpy as np

from ..cell_views import clip_text, cursive
from ..display_runs import DisplayRun, runs
from ..palette import COLOURS
from ..tokenize import Tokenization
from .boundaries import BoundaryKind
from .chunking import TextChunk

MAX_SHOWN = 200
"""Chunks that the page shows."""
MAX_CHARACTERS = 60_000
"""Characters of the text that it shows, beyond those of the first chunk."""
MAX_DIFFERENCES = 40
"""Chunks whose differing tokens the page lists."""
MAX_PIECES = 8
"""Tokens of a chunk that this list has."""
BOUNDARIES: dict[BoundaryKind, str] = {
    "block": "Markdown block",
    "grapheme": "grapheme cluster",
    "end": "end of the text",
}
"""The boundaries whose words are not their kind itself."""


@dataclass(frozen=True, slots=True)
class ChunkSegment:
    """A part of the text that the chunks from number `first` to `last` cover; `begins` is True where `last` begins."""

    runs: tuple[DisplayRun, ...]
    first: int
    last: int
    tone: int
    begins: bool


@dataclass(frozen=True, slots=True)
class ChunkDifference:
    """The tokens of a chunk alone that the text does not have there, and those that it has in their place."""

    number: int
    alone: tuple[tuple[DisplayRun, ...], ...]
    within: tuple[tuple[DisplayRun, ...], ...]


@dataclass(frozen=True)
class ChunksView:
    """The chunks of a text on the page, of which there is at least one."""

    whole: Tokenization
    chunks: Sequence[TextChunk]
    size: int

    @cached_property
    def shown(self) -> Sequence[TextChunk]:
        """The chunks that are shown: the first ones."""
        first = self.chunks[:MAX_SHOWN]
        return first[: max(1, sum(one.end <= MAX_CHARACTERS for one in first))]

    @property
    def cursive(self) -> bool:
        return cursive(self.whole.text[: self.shown[-1].end])

    @property
    def largest(self) -> int:
        return max(one.tokens for one in self.chunks)

    @property
    def sum(self) -> int:
        """The tokens of all chunks, those that are repeated counted again."""
        return sum(one.tokens for one in self.chunks)

    @property
    def differing(self) -> int:
        """The number of chunks whose tokens alone are not those within the text."""
        return sum(bool(one.differing) for one in self.chunks)

    def share(self, one: TextChunk) -> str:
        """Return the length of the bar of a chunk, in percent of the size."""
        return f"{100 * one.tokens / self.size:.2f}"

    def boundary(self, one: TextChunk) -> str:
        return BOUNDARIES.get(one.boundary, one.boundary)

    def segments(self) -> Iterator[ChunkSegment]:
        """Yield the parts of the text between the ends of chunks; their texts join to what the chunks cover."""
        places = sorted({place for one in self.shown for place in (one.start, one.end)})
        first = last = 0
        for start, end in pairwise(places):
            while self.shown[first].end <= start:
                first += 1
            while last + 1 < len(self.shown) and self.shown[last + 1].start <= start:
                last += 1
            text = tuple(runs(self.whole.text[start:end]))
            yield ChunkSegment(text, first, last, last % COLOURS, self.shown[last].start == start)

    def differences(self) -> Iterator[ChunkDifference]:
        """Yield what differs in the first chunks that do."""
        encoding = self.whole.encoding
        some = ((number, one) for number, one in enumerate(self.chunks) if one.differing)
        for number, one in islice(some, MAX_DIFFERENCES):
            start, end = one.differing[0].start, one.differing[-1].end
            rows = np.flatnonzero((encoding.char_ends > start) & (encoding.char_starts < end))[: MAX_PIECES + 1]
            within = [token.entry.piece for row in rows.tolist() for token in self.whole.tokens(row, row + 1)]
            yield ChunkDifference(number, _pieces([token.piece for token in one.differing]), _pieces(within))


def _pieces(pieces: Sequence[str]) -> tuple[tuple[DisplayRun, ...], ...]:
    more = ["…"] if len(pieces) > MAX_PIECES else []
    return tuple(tuple(runs(clip_text(piece))) for piece in [*pieces[:MAX_PIECES], *more])
