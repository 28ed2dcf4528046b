"""Divide a text into chunks, each of which alone has at most some tokens; shorten a text to such a part.

The tokens of a chunk are those that a model gets: with `[CLS]` and `[SEP]`, unless they are not to be counted.

A part of a text does not always become the tokens that it has within the text: a merge across its edge is missing. So
the encoding of the whole text only says where to try; each chunk is then tokenized alone, and shortened until it fits.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field

from ...errors import Invalid, OverLimit, join_names
from ...files.spans import byte_offsets
from ...registry import Registry
from ...types import Encoding
from ..beyond.concepts import LANGUAGES
from ..option_schema import Options, declare, validate
from ..tokenize import Tokenization, tokenize
from .boundaries import FINER, At, BoundaryKind, TextBoundaries, find_graphemes

KeptEnd = Literal["start", "end"]
KEPT_ENDS: tuple[KeptEnd, ...] = get_args(KeptEnd)
MAX_SIZE = 10_000_000
MAX_CHUNKS = 10_000
"""Chunks of a text that a server divides."""
SLACK = 8
"""Tokens by which the tokens of a part alone may be fewer than those within the text, for a longer part to be tried."""
LABELS: dict[str, str] = {
    "token": "Tokens",
    "sentence": "Sentences",
    "paragraph": "Paragraphs",
    "heading": "Markdown headings",
    "code": "Definitions in code",
}


@dataclass(frozen=True, slots=True)
class FittedText:
    """A part of a text, its tokens when it is tokenized alone, and those of the whole text."""

    text: str
    count: int
    whole: int


class ChunkOptions(Options):
    """A text, and how it is divided: the most tokens of a chunk and of its overlap, and where."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "tokenizer": "o200k_base",
                "text": "Tokens are counted. Sentences are kept.",
                "size": 6,
                "at": "sentence",
            }
        }
    )

    tokenizer: str = Field(description="An id from /api/tokenizers, or the name of a model.")
    text: str
    size: int = declare("Tokens at most", 512, ge=1, le=MAX_SIZE)
    overlap: int = declare("Overlap, tokens", 0, ge=0, le=MAX_SIZE)
    add_special_tokens: bool = declare(
        "Count special tokens",
        True,
        help="those that the tokenizer adds around each chunk, such as [CLS] and [SEP], take room in it",
    )
    at: At = declare("Divide at", "token", choices=LABELS)
    language: str = declare(
        "Language of the sentences", "en", choices=dict(LANGUAGES), used_by=({"at": tuple(LABELS)[1:4]},)
    )


@dataclass(frozen=True, slots=True)
class DifferingToken:
    """A token of a chunk alone that the text does not have there: its index among those, and its span in the text."""

    index: int
    id: int
    piece: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A part of a text, from code point `start` to `end`.

    - `tokens`: its tokens, when it is tokenized alone, with those that are added around it if they are counted;
      `within`: those that lie in it, also in part, within the text.
    - `overlap`: the tokens of its beginning that it shares with the chunk before.
    - `boundary`: the kind of boundary at which it ends.
    - `differing`: its tokens alone that the text does not have at that place.
    """

    text: str
    start: int
    end: int
    tokens: int
    within: int
    overlap: int
    boundary: BoundaryKind
    differing: tuple[DifferingToken, ...] = ()


def fit(
    registry: Registry,
    text: str,
    *,
    tokenizer: str,
    size: int,
    keep: KeptEnd = "start",
    add_special_tokens: bool = True,
) -> FittedText:
    """Return as much of the start or the end of a text as has at most `size` tokens when it is tokenized alone.

    Those that the tokenizer adds around a text count, unless `add_special_tokens` is false. The tokens of a part may
    differ from those within the text, so the part is tokenized again, and shortened until it fits.

    Raises `Invalid` for a size below 0, or without room for what is added, and what `tokenize` raises.

    >>> from tokenarium.settings import Settings
    >>> fit(Registry(Settings()), "naïve", tokenizer="bytes", size=3)
    FittedText(text='na', count=2, whole=6)
    >>> fit(Registry(Settings()), "Hello, world", tokenizer="bert-base-uncased", size=4)
    FittedText(text='Hello, ', count=4, whole=5)
    >>> fit(Registry(Settings()), "naïve", tokenizer="bytes", size=3, keep="end").text
    've'
    """
    if size < 0:
        raise Invalid(f"The size is at least 0, not {size}.", pointer="/size")
    if keep not in KEPT_ENDS:
        raise Invalid(f"keep is start or end, not {keep[:40]!r}.", pointer="/keep")
    added = _list_added(registry, tokenizer) if add_special_tokens else ()
    if (room := size - len(added)) < 0:
        detail = f"The size is at least {len(added)}: {join_names(added)} are added to the text."
        raise Invalid(detail, pointer="/size")
    encoding = tokenize(registry, text, tokenizer=tokenizer).encoding
    whole = len(encoding)
    tokens = min(room, whole)
    ends = np.flatnonzero(find_graphemes(text))
    while True:
        if keep == "start":
            limit = int(encoding.char_starts[tokens]) if tokens < whole else len(text)
            part = text[: ends[np.searchsorted(ends, limit, side="right") - 1]]
        else:
            limit = int(encoding.char_ends[whole - tokens - 1]) if tokens < whole else 0
            part = text[ends[np.searchsorted(ends, limit)] :]
        count = len(tokenize(registry, part, tokenizer=tokenizer).encoding)
        if count <= room or not tokens:
            kept, count = (part, count) if count <= room else ("", 0)
            return FittedText(kept, count + len(added), whole + len(added))
        tokens = max(0, tokens - (count - room))


def _list_added(registry: Registry, tokenizer: str) -> tuple[str, ...]:
    """Return the special tokens that a tokenizer adds around a text."""
    info = registry.info(tokenizer)
    return (*info.prefix, *info.suffix)


def chunk(registry: Registry, options: ChunkOptions, *, limit: int | None = None) -> Iterator[TextChunk]:
    """Yield the chunks of a text, which cover it; without overlap their texts join to it.

    A chunk ends at the last boundary of the chosen kind within `options.size` tokens, or at a finer one if none is. It
    begins with the last tokens of the one before, at most `options.overlap` and as many as leave room for something new
    up to such a boundary.

    >>> from tokenarium.settings import Settings
    >>> options = ChunkOptions(text="One. Two. Three.", tokenizer="bytes", size=10, at="sentence")
    >>> [part.text for part in chunk(Registry(Settings()), options)]
    ['One. Two. ', 'Three.']

    Raises `Invalid` for options out of bounds and for a grapheme cluster that has more tokens alone than a chunk may
    have, `OverLimit` for more than `limit` chunks, and what `tokenize` raises.
    """
    check_options(options)
    division = _Division(registry, options)
    start = end = 0
    number = 0
    while end < len(options.text):
        if limit is not None and number >= limit:
            raise OverLimit(f"The text has more than {limit:,} chunks; make them larger.", pointer="/size", limit=limit)
        start, stop, kind = division.find_next(start, end)
        yield division.make_chunk(start, stop, end, kind)
        end = stop
        number += 1


def check_options(options: ChunkOptions) -> None:
    """Raise `Invalid` for options out of bounds."""
    validate(options)
    if options.overlap > options.size // 2:  # so that most of each chunk is new
        limit = options.size // 2
        raise Invalid(f"overlap must be at most half of size: {limit:,}.", pointer="/overlap", limit=limit)


class _Division:
    """A text with its encoding as a whole, and the search for parts of it that fit."""

    def __init__(self, registry: Registry, options: ChunkOptions) -> None:
        self._registry = registry
        self._options = options
        added = _list_added(registry, options.tokenizer) if options.add_special_tokens else ()
        self._added = len(added)
        self._room = options.size - len(added)
        if self._room < 1:
            detail = f"size must be more than {len(added)}: {join_names(added)} are added to each chunk."
            raise Invalid(detail, pointer="/size")
        self.whole = self._tokenize(options.text)
        self.boundaries = TextBoundaries(options.text, self.whole.encoding, options.language)
        self._part = lru_cache(maxsize=8)(self._tokenize_part)
        # Of 64 bits, as the numbers that are looked for: for another type, each search would copy the column.
        self._starts = np.maximum.accumulate(self.whole.encoding.char_starts, dtype=np.int64)
        self._ends = np.maximum.accumulate(self.whole.encoding.char_ends, dtype=np.int64)

    def _tokenize(self, text: str) -> Tokenization:
        return tokenize(self._registry, text, tokenizer=self._options.tokenizer)

    def _tokenize_part(self, start: int, end: int) -> Tokenization:
        return self._tokenize(self.whole.text[start:end])

    def _count(self, start: int, end: int) -> int:
        return len(self._part(start, end).encoding)

    def _row(self, position: int) -> int:
        """Return the number of tokens of the text that begin before a position."""
        return int(np.searchsorted(self._starts, position))

    def _position(self, row: int) -> int:
        """Return where a token of the text begins, the end of the text after the last one."""
        return int(self._starts[row]) if row < len(self._starts) else len(self.whole.text)

    def find_next(self, start: int, end: int) -> tuple[int, int, BoundaryKind]:
        """Return where the chunk after `start:end` begins and ends, and at which kind of boundary. Raises `Invalid`."""
        first = end
        if self._options.overlap and end:
            first = self.find_start(end, self._options.overlap, start + 1, end, "token") or end
        for kind in FINER[self._options.at]:
            stop = self.find_end(first, end, kind)
            if stop is not None:
                return first, stop, kind
            if first < end and (begin := self._shorten_overlap(first, end, kind)) is not None:
                return (*begin, kind)
        clusters = self.boundaries.positions("grapheme")
        tokens = self._count(end, int(clusters[np.searchsorted(clusters, end, side="right")]))
        raise Invalid(
            f"The grapheme cluster at code point {end:,} alone has {tokens + self._added:,} tokens; a chunk may have "
            f"{self._options.size:,}.",
            pointer="/size",
        )

    def _shorten_overlap(self, first: int, end: int, kind: BoundaryKind) -> tuple[int, int] | None:
        """Return the longest chunk up to the first boundary after `end` that begins between `first` and `end`."""
        places = self.boundaries.positions(kind)
        stop = int(places[np.searchsorted(places, end, side="right")])
        begin = self.find_start(stop, self._room, first, end, "token")
        return None if begin is None else (begin, stop)

    def find_end(self, start: int, after: int, kind: BoundaryKind) -> int | None:
        """Return the last boundary of a kind behind `after` up to which the text from `start` fits, None for none."""
        size = self._room
        places = self.boundaries.positions(kind)
        first = int(np.searchsorted(places, after, side="right"))
        begin = self._row(start)
        at = self._last(places, begin + size)
        if at < first:
            if kind != "grapheme" and self._row(int(places[first])) - begin > size + SLACK:
                return None
            at = first
        while (tokens := self._count(start, int(places[at]))) > size:
            if at == first:
                return None
            at = max(first, min(at - 1, self._last(places, self._row(int(places[at])) - (tokens - size))))
        while at + 1 < len(places) and self._row(int(places[at + 1])) - self._row(int(places[at])) + tokens <= size:
            longer = self._count(start, int(places[at + 1]))
            if longer > size:
                break
            at += 1
            tokens = longer
        return int(places[at])

    def _last(self, places: NDArray[np.int64], row: int) -> int:
        """Return the index of the last place that is not behind the beginning of a token."""
        return int(np.searchsorted(places, self._position(max(0, row)), side="right")) - 1

    def find_start(self, end: int, size: int, least: int, most: int, kind: BoundaryKind) -> int | None:
        """Return the first boundary from `least` to `most`, or `most`, from which the text up to `end` fits."""
        places = self.boundaries.positions(kind)
        position = max(least, self._position(max(0, self._row(end) - size)))
        while (at := int(np.searchsorted(places, position))) < len(places) and places[at] < most:
            excess = self._count(int(places[at]), end) - size
            if excess <= 0:
                return int(places[at])
            position = max(int(places[at]) + 1, self._position(self._row(int(places[at])) + excess))
        return most if self._count(most, end) <= size else None

    def make_chunk(self, start: int, end: int, before: int, kind: BoundaryKind) -> TextChunk:
        """Return the chunk from `start` to `end`, of which the part up to `before` is shared."""
        alone = self._part(start, end)
        rows = slice(int(np.searchsorted(self._ends, start, side="right")), self._row(end))
        ours, theirs = self._keys(alone.encoding, start), self._whole_keys[rows]
        same = np.array_equal(ours, theirs)  # most are, and to look for each token takes longer
        differing = [] if same else np.flatnonzero(~np.isin(ours, theirs)).tolist()
        return TextChunk(
            text=self.whole.text[start:end],
            start=start,
            end=end,
            tokens=len(alone.encoding) + self._added,
            within=max(0, rows.stop - rows.start),
            overlap=self._count(start, before) if start < before else 0,
            boundary="end" if end == len(self.whole.text) else kind,
            differing=tuple(self._describe(alone, start, row) for row in differing),
        )

    @staticmethod
    def _describe(part: Tokenization, start: int, row: int) -> DifferingToken:
        (token,) = part.tokens(row, row + 1)
        entry = token.entry
        return DifferingToken(row, entry.id, entry.piece, start + token.char_start, start + token.char_end)

    @cached_property
    def _offsets(self) -> NDArray[np.int32]:
        return byte_offsets(self.whole.data)

    @cached_property
    def _whole_keys(self) -> NDArray[np.int64]:
        return self._keys(self.whole.encoding, 0)

    def _keys(self, encoding: Encoding, start: int) -> NDArray[np.int64]:
        """Return, by token of the text or of a part that begins at `start`, a number for its id and its place."""
        offset = int(self._offsets[start])
        # The ids of a vocabulary that grows with each text say nothing: there a token is what it covers.
        ids = encoding.byte_ends + offset if encoding.grown else encoding.ids
        return (encoding.byte_starts.astype(np.int64) + offset << 32) + ids
