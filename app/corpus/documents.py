"""Read the documents of a part: lines, paragraphs, whole files, and the rows of tables."""

import bz2
import codecs
import csv
import gzip
import lzma
import os
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any, TypeVar

import orjson

from ..errors import BadFile, Invalid
from .addresses import describe_error, extra, get_file_info, is_remote, open_file
from .beginnings import check_beginning
from .lines import LineDocuments
from .tables import csv_rows, json_rows, tar_rows, text_row
from .types import EMPTY, Batch, CorpusSource, Format, ReadContext, Row, SourcePart, is_utf8, utf8

Item = TypeVar("Item")
BATCH = 1 << 22
"""Bytes of documents that are held and tokenized at once, about."""
MAX_DOCUMENT = 1 << 26
"""Bytes of the longest document; a longer one is listed as a problem."""
UNREADABLE = (OSError, EOFError, lzma.LZMAError, zlib.error, csv.Error, tarfile.TarError, ValueError)


def batches(part: SourcePart, reading: ReadContext) -> Iterator[Batch]:
    """Yield the documents of a part in batches of about `BATCH` bytes; empty documents are left out.

    Raises `BadFile` if the file has changed, also while it was read, is truncated or cannot be read, `Invalid` for an
    unknown column.
    """
    read = _lines(part, reading) if part.source.format == "lines" else _batch_rows(_read_rows(part, reading), reading)
    yield from _check(part.source, filter(_has_documents, read))
    reading.check_found()


def chunks(part: SourcePart, reading: ReadContext) -> Iterator[bytes]:
    """Yield the lines that begin in a part, many at once as one piece of the file. Raises what `batches` raises."""
    _refuse_columns(part, reading)
    yield from _check(part.source, (chunk for _, chunk in _chunks(part, reading)))


def _read_rows(part: SourcePart, reading: ReadContext) -> Iterator[Row]:
    yield from READERS[part.source.format](part, reading)


def _check(source: CorpusSource, read: Iterator[Item]) -> Iterator[Item]:
    """Yield the items of a source. Raises `BadFile` if it changes meanwhile, and `Invalid`."""
    if not is_remote(source.path):
        _check_version(source)
    try:
        yield from read
    except (BadFile, *UNREADABLE) as error:
        _check_version(source)  # what was read of two versions may look damaged
        if isinstance(error, Invalid):
            raise
        raise BadFile(f"{source.path} cannot be read: {describe_error(error)}.") from error
    _check_version(source)


def version(path: str) -> str:
    """Return the version of a file, which differs once it has changed. Raises `BadFile` if there is none."""
    if is_remote(path):
        return get_file_info(path).version
    try:
        status = os.stat(path)
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {describe_error(error)}.") from error
    return f"{status.st_size}-{status.st_mtime_ns}"


def _check_version(source: CorpusSource) -> None:
    if source.version and version(source.path) != source.version:
        raise BadFile(f"{source.path} has changed since it was listed.")


def _has_documents(batch: Batch) -> bool:
    return bool(batch.documents)


def _batch_rows(rows: Iterable[Row], reading: ReadContext) -> Iterator[Batch]:
    documents: list[bytes] = []
    groups: list[str] = []
    kept: list[tuple[str | None, ...]] = []
    numbers: list[int] = []
    held = 0
    for data, group, values in rows:
        if data:
            documents.append(data)
            groups.append(group)
            numbers.append(reading.rows)
            if values:
                kept.append(values)
            held += len(data)
        reading.rows += 1
        if held >= BATCH:
            yield Batch(documents, groups, numbers=numbers.copy, kept=kept)
            documents = []
            groups = []
            kept = []
            numbers = []
            held = 0
    yield Batch(documents, groups, numbers=numbers.copy, kept=kept)


@contextmanager
def open_uncompressed(source: CorpusSource) -> Iterator[IO[bytes]]:
    """Open a source for reading its uncompressed bytes; what is split is requested in exact ranges."""
    exact = source.splittable or source.format in ("parquet", "arrow")
    buffer = 1 << 16 if exact else BATCH
    with open_file(source.path, ranges=source.ranges, size=source.bytes, buffer=buffer) as file:
        if not source.compression:
            yield file
            return
        with _OPENERS[source.compression](file) as inner:
            yield inner


def _open_zstandard(file: IO[bytes]) -> Any:
    return extra("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd").open(file)


_OPENERS: Mapping[str, Callable[[Any], Any]] = {
    ".tgz": gzip.open,
    ".gz": gzip.open,
    ".xz": lzma.open,
    ".bz2": bz2.open,
    ".zst": _open_zstandard,
}


def _chunks(part: SourcePart, reading: ReadContext) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that begin in a part, many at once as one piece of the file, and the byte at which it begins."""
    with open_uncompressed(part.source) as file:
        at = part.start
        end = part.end if part.source.splittable else sys.maxsize
        if not at or not is_remote(part.source.path):
            check_beginning(file)
        if at:
            file.seek(at - 1)
            at += _skip_line(file, end - at + 1) - 1  # the rest of a line that begins before, or only its end
        while at < end and (chunk := file.read(min(BATCH, end - at))):
            size = len(chunk)
            lost = 0
            if not chunk.endswith(b"\n"):
                rest = file.readline(MAX_DOCUMENT)
                size += len(rest)
                if len(rest) == MAX_DOCUMENT and not rest.endswith(b"\n"):
                    chunk = chunk[: chunk.rfind(b"\n") + 1]
                    place = f"{part.source.path}, byte {at + len(chunk):,}"
                    reading.unread.leave_out(place, f"a line of more than {MAX_DOCUMENT:,} bytes")
                    size += _skip_line(file, end - at - size)
                    lost = 1
                else:
                    chunk += rest
            yield at, chunk
            reading.rows += lost  # behind those of the chunk
            at += size


def _skip_line(file: IO[bytes], most: int) -> int:
    """Read to the end of a line, or `most` bytes of it, and return their number."""
    read = 0
    while read < most and (piece := file.readline(min(most - read, 1 << 20))):
        read += len(piece)
        if piece.endswith(b"\n"):
            break
    return read


def _lines(part: SourcePart, reading: ReadContext) -> Iterator[Batch]:
    _refuse_columns(part, reading)
    for at, chunk in _chunks(part, reading):
        first = reading.rows
        if is_utf8(chunk):
            documents = LineDocuments(chunk)
            reading.rows += documents.lines
            yield Batch(documents, first=first, numbers=documents.numbers)
        else:
            lines = _number_lines(at, chunk.removesuffix(b"\n"))
            checked = [utf8(line, reading, f"{part.source.path}, byte {byte:,}") for byte, line in lines]
            reading.rows += len(checked)
            numbers = [number for number, line in enumerate(checked) if line]
            yield Batch([line for line in checked if line], first=first, numbers=numbers.copy)


def _refuse_columns(part: SourcePart, reading: ReadContext) -> None:
    """Raise `Invalid` if columns are to be kept of a text."""
    if reading.keep:
        raise Invalid(f"{part.source.path} is text and has no columns to keep.", pointer="/keep")


def _number_lines(at: int, chunk: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a chunk without their ends, each with the byte at which it begins."""
    for line in chunk.split(b"\n"):
        yield at, line.removesuffix(b"\r")
        at += len(line) + 1


def line_bytes(part: SourcePart, reading: ReadContext) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that begin in a part without their ends, each with the byte at which it begins."""
    for at, chunk in _chunks(part, reading):
        yield from _number_lines(at, chunk.removesuffix(b"\n"))


def _paragraphs(part: SourcePart, reading: ReadContext) -> Iterator[Row]:
    lines: list[bytes] = []
    begun = 0
    held = 0
    _refuse_columns(part, reading)
    for at, line in line_bytes(part, reading):
        if line.strip():
            begun = begun if lines else at
            held += len(line) + 1
            if held <= MAX_DOCUMENT:
                lines.append(line)
            continue
        yield from _paragraph(lines, held, f"{part.source.path}, byte {begun:,}", reading)
        lines = []
        held = 0
    yield from _paragraph(lines, held, f"{part.source.path}, byte {begun:,}", reading)


def _paragraph(lines: Sequence[bytes], held: int, place: str, reading: ReadContext) -> Iterator[Row]:
    if held > MAX_DOCUMENT:
        reading.unread.leave_out(place, f"a paragraph of more than {MAX_DOCUMENT:,} bytes")
        yield EMPTY
    elif lines:
        yield utf8(b"\n".join(lines), reading, place) or b"", "", ()


def _read_whole(part: SourcePart, reading: ReadContext) -> Iterator[Row]:
    _refuse_columns(part, reading)
    with open_uncompressed(part.source) as file:
        data = check_beginning(file).read(MAX_DOCUMENT + 1)
    if len(data) > MAX_DOCUMENT:
        reading.unread.leave_out(part.source.path, f"a file of more than {MAX_DOCUMENT:,} bytes; read it by lines")
    else:
        yield utf8(data, reading, part.source.path) or b"", "", ()


def _json_lines(part: SourcePart, reading: ReadContext) -> Iterator[Row]:
    for at, line in line_bytes(part, reading):
        yield json_row(line, reading, part.source.path, at) or EMPTY


def json_row(line: bytes, reading: ReadContext, path: str, at: int) -> Row | None:
    """Return the document of a line of JSON Lines at a byte of a file, or None if it has none. Raises `Invalid`."""
    if not at:
        line = line.removeprefix(codecs.BOM_UTF8)
    if not line.strip():
        return None
    place = f"{path}, byte {at:,}"
    checked = line if is_utf8(line) else utf8(line, reading, place)
    if checked is None:
        return None
    try:
        row = orjson.loads(checked)
    except orjson.JSONDecodeError as error:
        reading.unread.leave_out(place, f"no JSON: {error.msg}")
        return None
    if not isinstance(row, dict):
        reading.unread.leave_out(place, "no JSON object")
        return None
    return text_row(row, path, place, reading)


def json_text(line: bytes, reading: ReadContext, path: str, at: int) -> str:
    """Return the text of a line of JSON Lines, "" if it has none. What is no JSON is noted. Raises `Invalid`."""
    try:
        row = orjson.loads(line)
        text = row[reading.column]
        if isinstance(text, str):
            return text
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError):
        pass
    found = json_row(line, reading, path, at)
    return found[0].decode() if found else ""


def _csv_rows(part: SourcePart, reading: ReadContext) -> Iterator[Row]:
    delimiter = "\t" if part.source.format == "tsv" else ","
    with open_uncompressed(part.source) as file:
        yield from csv_rows(check_beginning(file), part.source.path, reading, MAX_DOCUMENT, delimiter=delimiter)


def _json_array(part: SourcePart, reading: ReadContext) -> Iterator[Row]:
    with open_uncompressed(part.source) as file:
        yield from json_rows(check_beginning(file), part.source.path, reading, MAX_DOCUMENT)


def _tar_samples(part: SourcePart, reading: ReadContext) -> Iterator[Row]:
    with open_uncompressed(part.source) as file:
        yield from tar_rows(file, part.source.path, reading, MAX_DOCUMENT)


def _row_groups(part: SourcePart, reading: ReadContext) -> Iterator[Row]:
    from .arrow import parquet_rows

    return parquet_rows(part, reading, BATCH)


def _record_batches(part: SourcePart, reading: ReadContext) -> Iterator[Row]:
    from .arrow import arrow_rows

    return arrow_rows(part, reading)


READERS: Mapping[Format, Callable[[SourcePart, ReadContext], Iterator[Row]]] = {
    "paragraphs": _paragraphs,
    "text": _read_whole,
    "jsonl": _json_lines,
    "json": _json_array,
    "csv": _csv_rows,
    "tsv": _csv_rows,
    "tar": _tar_samples,
    "parquet": _row_groups,
    "arrow": _record_batches,
}
