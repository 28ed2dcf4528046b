"""The rows of CSV, TSV, JSON arrays and tar archives of samples, from files that are read from their beginning."""

import csv
import io
import json
import tarfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from typing import IO, Any

import orjson

from ..errors import Invalid
from .columns import get_column, keep_columns
from .types import EMPTY, ReadContext, Row, utf8

SPACES = " \t\n\r,"
CHUNK = 1 << 22
"""Characters of JSON that are read at once."""


def csv_rows(file: IO[bytes], path: str, reading: ReadContext, limit: int, *, delimiter: str = ",") -> Iterator[Row]:
    """Yield the documents of CSV; `limit` is the length of the longest line and field.

    A row that cannot be read is left out alone: the lines behind its first one are read again as rows of their own.
    Raises `Invalid` for an unknown column.
    """
    errors = "replace" if reading.invalid == "replace" else "surrogateescape"
    with io.TextIOWrapper(file, "utf-8-sig", errors=errors, newline="") as text:
        csv.field_size_limit(limit)
        lines = _RowLines(text, limit)
        rows = csv.reader(lines, strict=True, delimiter=delimiter)
        names: list[str] | None = None
        while True:
            lines.begin()
            try:
                values = next(rows, None)
            except csv.Error as error:
                reading.unread.leave_out(f"{path}, line {lines.first:,}", str(error))
                lines.give_back()
                yield EMPTY
                continue
            if values is None:
                return
            if names is None:
                names = values or None
                _refuse_twins(values, reading, path)
                continue
            if not values:
                continue
            place = f"{path}, line {lines.first:,}"
            if any(values[len(names) :]):  # such as a text whose commas are not quoted
                reading.unread.leave_out(place, f"{len(values):,} fields, where the first line has {len(names):,}")
                yield EMPTY
                continue
            row: dict[str, Any] = dict(zip_longest(names, values[: len(names)]))
            raw = (get_column(row, reading.column, path) or "").encode(errors="surrogateescape")
            yield make_row(utf8(raw, reading, place), row, path, reading)


def _refuse_twins(names: Sequence[str], reading: ReadContext, path: str) -> None:
    """Raise `Invalid` for a column that is read, and of which there are several."""
    for name in (reading.column, reading.group, *reading.keep):
        if names.count(name) > 1:
            raise Invalid(f"{path} has {names.count(name):,} columns {name!r}; give each a name.", pointer="/column")


def make_row(data: bytes | None, record: Mapping[str, Any], path: str, reading: ReadContext) -> Row:
    """Return the row of a document, or an empty one if it has none."""
    if not data:
        return EMPTY
    group = str(get_column(record, reading.group, path)) if reading.group else ""
    return data, group, keep_columns(record, reading.keep, path) if reading.keep else ()


class _RowLines:
    """The lines of a text, of which those of the current row can be given back. `first` is the number of its first."""

    def __init__(self, text: IO[str], limit: int) -> None:
        self.text = text
        self.limit = limit
        self.first = 1
        self.taken: list[str] = []
        self.waiting: deque[str] = deque()

    def begin(self) -> None:
        """Begin a row."""
        self.first += len(self.taken)
        self.taken = []

    def give_back(self) -> None:
        """Give back the lines of the row but the first."""
        self.waiting.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        """Return a line. Raises `csv.Error` for one that is too long, which is passed over."""
        line = self.waiting.popleft() if self.waiting else self.text.readline(self.limit)
        if not line:
            raise StopIteration
        self.taken.append(line)
        if len(line) == self.limit and not line.endswith("\n"):
            self.taken[-1] = ""
            while (rest := self.text.readline(1 << 20)) and not rest.endswith("\n"):
                pass
            raise csv.Error(f"a line of more than {self.limit:,} characters")
        return line


def json_rows(file: IO[bytes], path: str, reading: ReadContext, limit: int) -> Iterator[Row]:
    """Yield the documents of a JSON array of objects. Raises `ValueError` with the record that is no JSON."""
    for number, record in enumerate(_json_records(file, reading, limit)):
        place = f"{path}, record {number:,}"
        if not isinstance(record, dict):
            reading.unread.leave_out(place, "no JSON object")
            yield EMPTY
            continue
        yield text_row(record, path, place, reading)


def _json_records(file: IO[bytes], reading: ReadContext, limit: int) -> Iterator[Any]:
    """Yield the items of an array; what is held is one of them and `CHUNK` characters."""
    errors = "replace" if reading.invalid == "replace" else "surrogateescape"
    decoder = json.JSONDecoder()
    number = 0
    with io.TextIOWrapper(file, "utf-8-sig", errors=errors) as text:
        while (buffer := text.read(CHUNK)) and not buffer.strip():
            pass
        buffer = buffer.lstrip()
        if not buffer.startswith("["):
            raise ValueError("it is no JSON array")
        at = 1
        ended = False
        while True:
            while at < len(buffer) and buffer[at] in SPACES:
                at += 1
            if buffer.startswith("]", at):
                if buffer[at + 1 :].strip() or text.read(CHUNK).strip():
                    raise ValueError(f"something follows the end of its array, behind record {number:,}")
                return
            try:
                value, at = decoder.raw_decode(buffer, at)
            except json.JSONDecodeError:
                if ended or len(buffer) - at > limit:
                    raise ValueError(f"record {number:,} is no JSON, or longer than {limit:,} characters") from None
                chunk = text.read(CHUNK)
                ended = not chunk
                buffer = buffer[at:] + chunk
                at = 0
                continue
            yield value
            number += 1


def text_row(record: Mapping[str, Any], path: str, place: str, reading: ReadContext) -> Row:
    """Return the row of a record, an empty one if it has no text. Raises `Invalid` where no record has the column."""
    row = EMPTY
    try:
        text = get_column(record, reading.column, path)
        if isinstance(text, str):
            row = make_row(utf8(encode_text(text), reading, place), record, path, reading)
    except Invalid as error:
        reading.note_lacking(place, error)
        return row
    if text is not None and not reading.found:
        reading.note_found()
    if text is not None and not isinstance(text, str):
        reading.unread.leave_out(place, f"{reading.column} is no text")
    return row


def encode_text(text: str) -> bytes:
    """Return the bytes of a text, in which undecodable ones may be escaped; half a surrogate pair becomes "?"."""
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return text.encode(errors="replace")


def tar_rows(file: IO[bytes], path: str, reading: ReadContext, limit: int) -> Iterator[Row]:
    """Yield the documents of an archive of samples, as WebDataset has them: files that differ in their endings alone.

    The text of a sample is the file that ends as the column is called (for `text` also `.txt`), or else this column of
    its `.json`. Other files, such as images, are not read; a sample without a text is left out and noted.
    """
    with tarfile.open(fileobj=file, mode="r|") as archive:
        members = (member for member in archive if not member.isdir())
        for key, group in groupby(members, _sample):
            place = f"{path}, {key}"
            sample: dict[str, bytes] = {}
            for member in group:
                ending = _ending(member)
                if ending not in (reading.column, reading.group, *reading.keep, "txt", "text", "json"):
                    continue
                if not member.isfile():
                    reading.unread.leave_out(place, f".{ending} is a link")
                    yield EMPTY
                    break
                if member.size > limit:
                    reading.unread.leave_out(place, f".{ending} has more than {limit:,} bytes")
                    yield EMPTY
                    break
                opened = archive.extractfile(member)
                sample[ending] = opened.read() if opened else b""
            else:
                yield _sample_row(sample, path, place, reading)
        if any(iter(lambda: file.read(CHUNK).strip(b"\0"), b"")):
            raise ValueError("another archive, or something else, follows its end")


def _sample(member: tarfile.TarInfo) -> str:
    folder, slash, name = member.name.rpartition("/")
    return folder + slash + name.partition(".")[0]


def _ending(member: tarfile.TarInfo) -> str:
    return member.name.rpartition("/")[2].partition(".")[2].lower()


def _sample_row(sample: Mapping[str, bytes], path: str, place: str, reading: ReadContext) -> Row:
    """Return the row of a sample, an empty one if it has no text."""
    record: dict[str, Any] = {ending: data.decode(errors="surrogateescape") for ending, data in sample.items()}
    if reading.column == "text" and "text" not in record and "txt" in record:
        record["text"] = record["txt"]
    if "json" in sample:
        try:
            more = orjson.loads(sample["json"])
        except orjson.JSONDecodeError as error:
            reading.unread.leave_out(place, f"no JSON: {error.msg}")
            return EMPTY
        record = {**more, **record} if isinstance(more, dict) else record
    if reading.column in record or "json" in sample:
        return text_row(record, path, place, reading)
    reading.unread.leave_out(place, f"no file .{reading.column}, and none .json")
    return EMPTY
