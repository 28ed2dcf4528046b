"""Windows of files, and what is tokenized for each, so that a sample of them tells what is in all.

The border of a window is moved to where the text may be cut: the next line, or the next space between letters. Windows
and their pieces therefore tile the file, and each token is in one of them.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import BadFile
from .addresses import is_remote
from .beginnings import check_beginning
from .cuts import REACH, CutRule, skip_character, snap
from .documents import MAX_DOCUMENT, json_text, open_uncompressed, version
from .lines import LineDocuments
from .types import CorpusSource, ReadContext, is_utf8, utf8

WINDOW = 256
"""Bytes of a window: of fewer, to find it takes longer than to tokenize it."""
NEAR = 64
"""Bytes behind a window that are read at once: most lines and words end there."""
HELD = 1 << 14
"""Windows that are read and tokenized at once."""
AROUND = 512
"""Bytes around a place in which a row is looked for first."""
LINE_END = ord("\n")


@dataclass(slots=True)
class Pieces:
    """What is tokenized of some windows. Of a document, a window has a share.

    `sizes` are the bytes of the file that each window stands for, `rows` the documents that begin in it.
    """

    documents: Sequence[bytes]
    sizes: NDArray[np.float64]
    rows: NDArray[np.float64]
    places: NDArray[np.int64]
    indexes: NDArray[np.int64]
    shares: NDArray[np.float64]


class WindowReader(Protocol):
    """Reads windows of a source, `held` of them at once. `read_bytes` are those that were read of its file so far."""

    held: int
    read_bytes: int

    @property
    def size(self) -> float: ...
    @property
    def windows(self) -> int: ...
    def read(self, numbers: Sequence[int]) -> Pieces: ...


@dataclass
class RangeReader:
    """What readers of a file share that can be read in ranges."""

    source: CorpusSource
    reading: ReadContext
    rule: CutRule | None
    window: int = WINDOW
    held: int = HELD
    read_bytes: int = field(default=0, init=False)

    @property
    def size(self) -> float:
        return self.source.bytes

    @property
    def windows(self) -> int:
        return -(-self.source.bytes // self.window)

    def _ranges(self, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
        for number in numbers:
            yield number * self.window, min((number + 1) * self.window, self.source.bytes)

    def _find_row(self, file: "RangeFile", at: int, reach: int, *, begins: bool = False) -> tuple[int, bytes, int]:
        """Return the line at a byte, with where it begins and ends; one that is too long is noted, and is empty.

        It is looked for within `reach` bytes first; with `begins`, it begins at the byte.
        """
        size = self.source.bytes
        reach = min(max(AROUND, reach), 1 << 16)
        while True:
            first = at if begins else max(0, at - reach)
            data = file.read(first, min(size, at + reach))
            begin = data.rfind(b"\n", 0, at - first) + 1
            end = data.find(b"\n", at - first) + 1 or (len(data) if at + reach >= size else 0)
            if (begin or not first or begins) and end:
                return first + begin, data[begin:end], first + end
            if reach > MAX_DOCUMENT:
                why = f"a line of more than {MAX_DOCUMENT:,} bytes"
                self.reading.unread.leave_out(f"{self.source.path}, byte {at:,}", why)
                return at, b"", min(size, at + reach)
            reach *= 8

    @contextmanager
    def _open(self) -> Iterator["RangeFile"]:
        """Open the file. Raises `BadFile` if it has changed since it was listed."""
        if self.source.version and version(self.source.path) != self.source.version:
            raise BadFile(f"{self.source.path} has changed since it was listed.")
        with open_uncompressed(self.source) as file:
            here = not is_remote(self.source.path)
            if here:
                check_beginning(file)
            opened = RangeFile(file, here)
            yield opened
            self.read_bytes += opened.read_bytes


class RangeFile:
    """Reads ranges of a file, of a local one without a buffer."""

    def __init__(self, file: IO[bytes], is_local: bool) -> None:
        self.read_bytes = 0
        self._file = file
        self._number = file.fileno() if is_local else None

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes of a range."""
        if self._number is not None:
            data = os.pread(self._number, end - start, start)
        else:
            self._file.seek(start)
            data = self._file.read(end - start)
        self.read_bytes += len(data)
        return data


class LineReader(RangeReader):
    """Reads windows of a text of which each line is a document; of a line, only what a window has of it."""

    @property
    def _cuts(self) -> re.Pattern[bytes] | None:
        """Behind what a line may be cut."""
        return self.rule.lines if self.rule else None

    def read(self, numbers: Sequence[int]) -> Pieces:
        with self._open() as file:
            found = [self._piece(file, start, end) for start, end in self._ranges(numbers)]
        _, pieces, inside = zip(*found, strict=True)
        sizes = [len(piece) for piece in pieces]
        lines, places, rows = split_lines(pieces, inside, self.rule, self.reading, self.source.path)
        return Pieces(lines, np.array(sizes, float), rows, places, np.arange(len(lines)), np.ones(len(lines)))

    def _piece(self, file: RangeFile, start: int, end: int) -> tuple[int, bytes, bool]:
        """Return the byte at which a window begins, what it has, and whether it begins inside a line."""
        first = max(0, start - 1)
        data = file.read(first, min(end + NEAR, self.source.bytes))
        begin = self._find_border(data, first, start)
        stop = self._find_border(data, first, end)
        if begin is None or stop is None:
            data = file.read(first, min(end + REACH + NEAR, self.source.bytes))
            begin = self._find_border(data, first, start, last=True) or 0
            stop = self._find_border(data, first, end, last=True) or 0
        piece = data[begin:stop]
        return begin + first, piece, bool(piece) and begin + first > 0 and data[begin - 1] != LINE_END

    def _find_border(self, data: bytes, first: int, at: int, *, last: bool = False) -> int | None:
        """Return the offset in `data`, which begin at byte `first`, of a border; None if they may be too short."""
        if at in (0, self.source.bytes):
            return at - first
        if self._cuts and (found := self._cuts.search(data, at - first - 1, at - first + REACH)):
            return found.end()
        return self._cut_anywhere(data, min(-(-at // REACH) * REACH, self.source.bytes) - first) if last else None

    def _cut_anywhere(self, data: bytes, at: int) -> int:
        """Return the first place behind a byte where any text may be cut."""
        return skip_character(data, at)


def split_lines(
    pieces: Sequence[bytes], inside: Sequence[bool], rule: CutRule | None, reading: ReadContext, path: str
) -> tuple[LineDocuments, NDArray[np.int64], NDArray[np.float64]]:
    """Return the lines of pieces of a file, the piece of each, and how many begin in each piece.

    What of a piece is `inside` a line at first has begun before it.
    """
    cleaned = [_clean(piece, within, rule) for piece, within in zip(pieces, inside, strict=True)]
    lines = LineDocuments(_join(cleaned, reading, f"{path}, a line of the sample"))
    begins = np.cumsum([0, *(len(piece) + 1 for piece in cleaned[:-1])])
    places = np.searchsorted(begins, lines.starts, "right") - 1
    return lines, places, np.bincount(places, minlength=len(cleaned)) - np.array(inside, float)


def _clean(piece: bytes, inside: bool, rule: CutRule | None) -> bytes:
    r"""Return a piece as a tokenizer reads it, with `\n` alone at the ends of lines."""
    if rule and rule.drop and inside:
        piece = piece.removeprefix(b" ")
    return piece.replace(b"\r\n", b"\n").removesuffix(b"\r") if b"\r" in piece else piece


def _join(pieces: list[bytes], reading: ReadContext, place: str) -> bytes:
    """Return pieces as one text, each with the end of a line; those that are not UTF-8 are treated as others."""
    text = b"\n".join(pieces)
    if is_utf8(text):
        return text
    pieces[:] = [utf8(piece, reading, place) or b"" for piece in pieces]
    return b"\n".join(pieces)


@dataclass(slots=True)
class FileRow:
    """The text of a row, and the bytes of the file that it is read from; no text where it has none."""

    at: int
    after: int
    text: str

    @property
    def scale(self) -> float:
        """The characters of the text for each byte of the file."""
        return len(self.text) / (self.after - self.at)


class RowReader(RangeReader):
    """Reads windows of JSON Lines, or of lines that are not cut: each byte of a row stands for as much of its text."""

    def read(self, numbers: Sequence[int]) -> Pieces:
        documents = list[bytes]()
        entries = list[tuple[int, int, float]]()
        sizes = np.zeros(len(numbers))
        rows = np.zeros(len(numbers))
        row = last = FileRow(0, 0, "")
        with self._open() as file:
            for place, (start, end) in enumerate(self._ranges(numbers)):
                while start < end:
                    if start >= row.after:
                        row = self._read_row(file, start, row)
                    stop = min(end, row.after)
                    rows[place] += row.at == start and bool(row.text)
                    begin, ending, share = self._borders(row, start, stop)
                    sizes[place] += (ending - begin) * share / row.scale if row.text else stop - start
                    if ending > begin:
                        if row is not last or share == 1:
                            documents.append(self._encode(row.text, begin, ending))
                        last = row
                        entries.append((place, len(documents) - 1, share))
                    start = stop
        places, indexes, shares = np.array(entries).reshape(-1, 3).T
        return Pieces(documents, sizes, rows, places.astype(int), indexes.astype(int), shares)

    def read_texts(self, numbers: Sequence[int], most: int) -> Iterator[str]:
        """Yield the beginning of what is read at some windows, to see how it may be cut."""
        with self._open() as file:
            for start, _ in self._ranges(numbers):
                if self.source.format == "jsonl":
                    yield self._read_row(file, start, FileRow(0, 0, "")).text[:most]
                else:
                    lines = file.read(start, min(start + most, self.source.bytes)).splitlines()
                    yield from (line.decode(errors="ignore") for line in lines)

    def _borders(self, row: FileRow, start: int, stop: int) -> tuple[int, int, float]:
        """Return the range of characters that is tokenized for a range of bytes, and the share of it that counts."""
        if self.rule is None:
            return 0, len(row.text), (stop - start) / (row.after - row.at)
        begin = snap(self.rule, row.text, int((start - row.at) * row.scale))
        ending = snap(self.rule, row.text, int((stop - row.at) * row.scale)) if stop < row.after else len(row.text)
        return begin, ending, 1.0

    def _encode(self, text: str, begin: int, end: int) -> bytes:
        if self.rule and self.rule.drop and begin and text[begin] == " ":
            begin += 1
        return text[begin:end].encode(errors="replace")

    def _read_row(self, file: RangeFile, at: int, last: FileRow) -> FileRow:
        """Return the row at a byte, of which the last read before it ends at that byte or earlier."""
        begin, row, end = self._find_row(file, at, 2 * (last.after - last.at), begins=at == last.after)
        return FileRow(begin, end, self._text(row, begin) if row else "")

    def _text(self, line: bytes, at: int) -> str:
        if self.source.format == "jsonl":
            return json_text(line, self.reading, self.source.path, at)
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        return (utf8(line, self.reading, f"{self.source.path}, byte {at:,}") or b"").decode()
