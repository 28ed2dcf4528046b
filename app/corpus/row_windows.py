"""Windows of files of rows: JSON Lines, which are cut as a text is, and the row groups of Parquet.

The text of a row of JSON Lines is where its bytes in the file are. What a Parquet file says of the sizes of its row
groups lets a few of very many stand for all.

A window that lies inside a string is taken for text, since to find the row around it takes far longer. Whether it is
text, the row tells, which is read for some of these windows, drawn at random; what differs there stands for those whose
row was not read, so that the sum is right on average, and the error is seen in how the windows vary.
"""

import re
from collections.abc import Iterator, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]

import numpy as np
import orjson

from ..errors import TokenariumError
from .arrow import parquet_sizes
from .columns import split_path
from .cuts import REACH, CutRule, skip_character
from .documents import UNREADABLE, batches, json_text
from .sources import parts
from .types import CorpusSource, ReadContext
from .windows import NEAR, WINDOW, LineReader, Pieces, RangeFile, RowReader, WindowReader

SURE = 64
"""Windows of which all rows are read at first."""
SHARE = 1 / 32
"""Share of the windows whose rows are read then, as long as few of them differ."""
DIFFER = 0.01
"""Share of windows that differ at which all rows are read."""
BETWEEN_CHARACTERS = re.compile(rb"(?:[\x80-\xbf]|\\u[0-9a-f]{4})(?=[\xc0-\xff]|\\u(?!d[c-f]))", re.IGNORECASE)
"""Where JSON may be cut without spaces: behind a character outside of ASCII, before another, not within a pair."""
LINES = re.compile(rb"[^\n]*\n|[^\n]+")
MARK = "\0a text"
"""Stands for the text of a row where it is asked which string is the text."""
LARGEST = 1 << 28
"""Bytes of text of a row group that is read at once, at most."""


class JsonReader(LineReader):
    """Reads windows of JSON Lines, of a row only what a window has of it."""

    def __init__(self, source: CorpusSource, reading: ReadContext, rule: CutRule, random: np.random.Generator) -> None:
        super().__init__(source, reading, rule)
        self._drops = rule.drop
        self._random = random
        self._key = re.compile(rb'%s\s*:\s*"' % re.escape(orjson.dumps(reading.column)))
        self._checked = 0
        self._wrong = 0
        self._row = (0, b"", 0)

    @property
    def _cuts(self) -> re.Pattern[bytes] | None:
        return self.rule.json if self.rule else None

    def read(self, numbers: Sequence[int]) -> Pieces:
        """Return the pieces of text in windows. A piece that turned out not to be text has a share below 0."""
        documents = list[bytes]()
        entries = list[tuple[int, int, float]]()
        sizes = np.zeros(len(numbers))
        rows = np.zeros(len(numbers))
        with self._open() as file:
            for place, (start, end) in enumerate(self._ranges(numbers)):
                begin, piece, is_inside = self._piece(file, start, end)
                sizes[place] = len(piece)
                for document, share, begun in self._read_piece(file, begin, piece, is_inside):
                    entries.append((place, len(documents), share))
                    documents.append(document)
                    rows[place] += begun
        places, indexes, shares = np.array(entries).reshape(-1, 3).T
        return Pieces(documents, sizes, rows, places.astype(int), indexes.astype(int), shares)

    def _read_piece(
        self, file: RangeFile, begin: int, piece: bytes, is_inside: bool
    ) -> Iterator[tuple[bytes, float, bool]]:
        """Yield the texts of a piece, the share that each has, and whether its row begins here."""
        likely = self._unescape(piece) if is_inside and b"\n" not in piece else None
        if likely is None:
            for text, begun in self._find_texts(file, begin, piece, is_inside):
                yield text, 1.0, begun
            return
        chance = 1.0 if self._checked < SURE or self._wrong > DIFFER * self._checked else SHARE
        if chance < 1 and self._random.random() >= chance:
            yield likely, 1.0, False
            return
        texts = [text for text, _ in self._find_texts(file, begin, piece, is_inside)]
        self._checked += 1
        if texts == [likely]:
            yield likely, 1.0, False
            return
        self._wrong += 1
        yield likely, 1 - 1 / chance, False
        for text in texts:
            yield text, 1 / chance, False

    def _find_texts(self, file: RangeFile, begin: int, piece: bytes, is_inside: bool) -> Iterator[tuple[bytes, bool]]:
        """Yield the text of each row as far as it is in a piece, and whether the row begins in it."""
        at = begin
        for line in LINES.findall(piece):
            inside = is_inside and at == begin
            if inside or not line.endswith(b"\n"):
                yield from self._cut_row(file, at, at + len(line), inside)
            elif text := json_text(line, self.reading, self.source.path, at):
                yield text.encode(errors="replace"), True
            at += len(line)

    def _cut_row(self, file: RangeFile, start: int, end: int, inside: bool) -> Iterator[tuple[bytes, bool]]:
        """Yield the part of one row's text between two bytes of the file, if there is any."""
        if not self._row[0] <= start < self._row[2]:
            self._row = self._find_row(file, start, 2 * (self._row[2] - self._row[0]), begins=not inside)
        at, row, after = self._row
        if value := find_text(row, self._key, self.reading.column):
            first, last = max(value[0], start - at), min(value[1], end - at)
            piece = row[first:last] if first < last else b""
            text = self._unescape(piece, within=first > value[0])
            text = piece if text is None else text  # which is cut inside an escape
            is_document = value[1] > value[0]
        else:
            whole = json_text(row, self.reading, self.source.path, at) if row else ""
            scale = len(whole) / max(1, after - at)
            text = whole[int((start - at) * scale) : int((end - at) * scale)].encode(errors="replace")
            is_document = bool(whole)
        if text or (is_document and not inside):
            yield text, is_document and not inside

    def _unescape(self, piece: bytes, *, within: bool = True) -> bytes | None:
        """Return the text of a part of a string as a tokenizer reads it, or None if it is no such part."""
        try:
            text: bytes = orjson.loads(b'"%s"' % piece).encode(errors="replace")
        except orjson.JSONDecodeError:
            return None
        return text.removeprefix(b" ") if within and self._drops else text

    def _cut_anywhere(self, data: bytes, at: int) -> int:
        found = BETWEEN_CHARACTERS.search(data, max(0, at - 1), at + NEAR)
        return found.end() if found else skip_character(data, at)


def find_text(row: bytes, key: re.Pattern[bytes], column: str) -> tuple[int, int] | None:
    """Return start and end of a column's text in a line of JSON; None if it is not plain to see.

    >>> find_text(b'{"of": {"a": "x"}, "a": "y z"}', re.compile(b'"a": "'), "a")
    (25, 28)
    """
    for found in key.finditer(row):
        try:
            _, after = scanstring(row.decode("latin-1"), found.end(), False)  # in which each byte is a character
            marked = orjson.loads(row[: found.end() - 1] + orjson.dumps(MARK) + row[after:])
        except ValueError:
            continue
        if isinstance(marked, dict) and marked.get(column) == MARK:
            return found.end(), after - 1
    return None


def make_reader(
    source: CorpusSource, reading: ReadContext, rule: CutRule | None, row: float, random: np.random.Generator
) -> WindowReader:
    """Return the fastest reader of windows of a source; `row` is the mean length of its rows in bytes."""
    if source.format == "lines" and rule:
        return LineReader(source, reading, rule)
    if rule and len(split_path(reading.column)) == 1:
        return JsonReader(source, reading, rule, random)
    return RowReader(source, reading, rule, max(WINDOW, int(min(row, REACH) / 2)))


class GroupReader:
    """Reads row groups of a Parquet file, which has some bytes of text in each before compression."""

    held = 1

    def __init__(self, source: CorpusSource, reading: ReadContext, sizes: Sequence[int]) -> None:
        self.read_bytes = 0
        self.windows = len(sizes)
        self.size = float(sum(sizes))
        self._parts = [*parts(source)]
        self._reading = reading
        self._sizes = sizes

    def read(self, numbers: Sequence[int]) -> Pieces:
        documents = list[bytes]()
        rows = list[int]()
        for number in numbers:
            before = len(documents)
            for batch in batches(self._parts[number], self._reading):
                documents += batch.documents
            rows.append(len(documents) - before)
            self.read_bytes += self._parts[number].bytes
        sizes = np.array([self._sizes[number] for number in numbers], float)
        places = np.repeat(np.arange(len(numbers)), rows)
        return Pieces(
            documents, sizes, np.array(rows, float), places, np.arange(len(documents)), np.ones(len(documents))
        )


def group_readers(
    sources: Sequence[CorpusSource], reading: ReadContext, fewest: int
) -> list[tuple[CorpusSource, WindowReader]]:
    """Return a reader of row groups for each source; none if groups are few or large, or a source has none."""
    if not all(one.format == "parquet" and one.ranges and not one.compression for one in sources):
        return []
    try:
        sizes = [parquet_sizes(source, reading.column) for source in sources]
        if sum(map(len, sizes)) < fewest or max(map(max, filter(None, sizes))) > LARGEST:
            return []
        return [(source, GroupReader(source, reading, some)) for source, some in zip(sources, sizes, strict=True)]
    except (TokenariumError, *UNREADABLE):  # reported when the file is read whole
        return []
