"""A pipeline applied segment by segment, so that what a text repeats is tokenized once.

A segment begins at a space that follows a letter, digit or sign, and ends before the next. Where no component reaches
across such a place, the tokens of a text are those of its segments; the code that builds a `SegmentedPipeline` checks
that. A language has few different segments, and a text of a megabyte repeats most of them.
"""

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import regex

from ..aligned import AlignedText
from .component import Normalizer
from .encode import Pipeline, Row
from .normalizers import SPACES

IN_ASCII = re.compile(r"(?<=[!-~])(?= )")
IN_ANY = regex.compile(r"(?<=[!-~\p{L}\p{N}])(?<!\p{Grapheme_Cluster_Break=Prepend})(?= )", regex.V1)
MEMORY = 200_000
"""The maximum number of segments in a cache, which is cleared when it is full."""


class TokenColumns(NamedTuple):
    """The tokens of a text or segment: ids, and starts and ends in code points, as the bytes of arrays of 32 bits."""

    ids: bytes
    starts: bytes
    ends: bytes


class NotSeparable(Exception):
    """A normalizer has moved or removed the space at which a segment begins."""


@dataclass(eq=False)
class SegmentedPipeline:
    """A pipeline with caches of its segments.

    - `first`: the pipeline of the first segment after the beginning or an added token, `later`: that of the others.
      They differ if a normalizer puts something in front of a text.
    - `no_split_characters`: characters after which a text is not divided, since a token may begin with them and go on.
    - `spaces`: with which a segment begins once it is normalized.
    - `plain`: a faster way to the ids of a segment whose tokens are exactly its bytes; None for a segment that needs
      the pipeline.
    """

    first: Pipeline
    later: Pipeline
    no_split_characters: frozenset[str] = frozenset()
    spaces: frozenset[str] = frozenset(" ")
    plain: Callable[[str], bytes | None] = field(default=lambda segment: None)
    _ids: dict[str, bytes | None] = field(default_factory=dict)
    _rows: dict[tuple[str, bool, bool], TokenColumns] = field(default_factory=dict)

    def ids(self, text: str, *, specials: bool) -> "array[int] | None":
        """Return the ids of a text whose tokens are exactly its bytes; None for any other."""
        parts = []
        for part, token in self.first.added.raw_parts(AlignedText.of(text), specials=specials):
            if token:
                if token.content != part.text:
                    return None  # it took in the white space beside it
                parts.append(array("I", [token.id]).tobytes())
                continue
            for segment in segments(part.text, self.no_split_characters):
                ids = self._ids[segment] if segment in self._ids else self._plain(segment)
                if ids is None:
                    return None
                parts.append(ids)
        return array("I", b"".join(parts))

    def _plain(self, segment: str) -> bytes | None:
        if len(self._ids) >= MEMORY:
            self._ids.clear()
        ids = self._ids[segment] = self.plain(segment)
        return ids

    def rows(self, text: str, *, specials: bool) -> tuple[TokenColumns, Sequence[int], Sequence[int]] | None:
        """Return the columns of all segments, joined, with the number of tokens of each segment and its start.

        Starts and ends count from the beginning of the segment. None if a normalizer moves the spaces at which segments
        begin.
        """
        segment_columns: list[TokenColumns] = []
        offsets: list[int] = []
        try:
            for columns, offset in self._each(text, specials):
                segment_columns.append(columns)
                offsets.append(offset)
        except NotSeparable:
            return None
        joined = (
            TokenColumns(*(b"".join(column) for column in zip(*segment_columns, strict=True)))
            if segment_columns
            else TokenColumns(b"", b"", b"")
        )
        return joined, [len(columns.ids) // 4 for columns in segment_columns], offsets

    def _each(self, text: str, specials: bool) -> Iterator[tuple[TokenColumns, int]]:
        begun = False
        for part, token in self.first.added.raw_parts(AlignedText.of(text), specials=specials):
            offset = part.at
            if token:
                yield _columns(self.first.encode_added(token, part.text, begun=begun), int(begun)), offset
                begun = True
                continue
            for number, segment in enumerate(segments(part.text, self.no_split_characters)):
                columns = self._segment(segment, specials, later=number > 0, begun=begun)
                begun = begun or bool(columns.ids)
                yield columns, offset
                offset += len(segment)

    def _segment(self, segment: str, specials: bool, *, later: bool, begun: bool) -> TokenColumns:
        if not begun:
            # In front of the first token, spaces are treated in a way of their own.
            return _columns(self._compute_rows(segment, specials, at=int(later), later=later, begun=False), int(later))
        key = segment, specials, later
        if key not in self._rows:
            if len(self._rows) >= MEMORY:
                self._rows.clear()
            self._rows[key] = _columns(self._compute_rows(segment, specials, at=1, later=later, begun=True), 1)
        return self._rows[key]

    def _compute_rows(self, segment: str, specials: bool, *, at: int, later: bool, begun: bool) -> list[Row]:
        pipeline = self.later if later else self.first
        part = pipeline.added.normalizer(AlignedText.of(segment, at))
        begins = part.text[:1] in self.spaces or not later
        ends = _may_end(part.text, self.no_split_characters) or not _may_end(
            segment, self.no_split_characters
        )  # the latter at the end of a part
        if not begins or not ends:
            raise NotSeparable
        return pipeline.encode_part(part, specials=specials, begun=begun)


def watch_ends(normalizer: Normalizer) -> Normalizer:
    """Return a normalizer that raises `NotSeparable` where it puts a space at the end of a segment, or moves the end.

    The next one might treat it as a space at the end of a text, or not see that it joins that of the next segment. The
    end is moved, and all places behind it, where `Precompiled` removes what begins a text.
    """

    def normalize(text: AlignedText) -> AlignedText:
        changed = normalizer(text)
        if _may_end(text.text, frozenset()) and not (
            _may_end(changed.text, frozenset()) and changed.ends[-1] == text.ends[-1]
        ):
            raise NotSeparable
        return changed

    return normalize


def _may_end(text: str, no_split_characters: frozenset[str]) -> bool:
    """True if a text that ends like this one may be divided there."""
    last = text[-1:]
    return bool(last) and last not in no_split_characters and last not in SPACES and not last.isspace()


def segments(text: str, no_split_characters: frozenset[str] = frozenset()) -> list[str]:
    """Return the segments of a text.

    >>> segments("to be,  or\\n not"), segments("a> b c", frozenset(">"))
    (['to', ' be,', '  or\\n not'], ['a> b', ' c'])
    """
    parts = IN_ASCII.split(text) if text.isascii() else IN_ANY.split(text)
    if not no_split_characters:
        return parts
    joined: list[str] = []
    for part in parts:
        if joined and joined[-1][-1:] in no_split_characters:
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def _columns(rows: Sequence[Row], at: int) -> TokenColumns:
    ids, starts, ends = zip(*rows, strict=True) if rows else ((), (), ())
    shifted = [array("i", [place - at for place in places]).tobytes() for places in (starts, ends)]
    return TokenColumns(array("I", ids).tobytes(), *shifted)
