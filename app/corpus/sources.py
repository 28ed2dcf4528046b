"""What a corpus consists of: files, the parts that are counted on their own, and the documents of a part.

A text file is cut at line ends, a Parquet file at its row groups; a compressed file and a CSV, whose rows may contain
line ends, are one part each. Parts are independent of each other, so they can be counted anywhere and in any order.
"""

import bz2
import csv
import glob
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Literal, get_args

import orjson

from ..errors import BadFile, Invalid, listed
from .lines import Lines

Format = Literal["lines", "paragraphs", "text", "jsonl", "csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
"""`lines`: each line is a document · `paragraphs`: empty lines separate documents · `text`: a file is a document."""
ENDINGS: Mapping[str, Format] = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet"}
COMPRESSED = (".gz", ".xz", ".bz2", ".zst")
PART = 1 << 24
"""Bytes of a part, about."""
BATCH = 1 << 22
"""Bytes of documents that are held and tokenized at once, about."""
MAX_DOCUMENT = 1 << 28
"""Bytes of the longest document; a longer one is listed as a problem."""
MAX_PROBLEMS = 100
"""Problems of a part that are described; all are counted."""
Policy = Literal["refuse", "skip", "replace"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
"""Documents that are not UTF-8: an error of the run · left out and counted · read with U+FFFD in place of bad bytes."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file: its path, format, size in bytes, and what tells whether it has changed."""

    path: str
    format: Format
    bytes: int
    version: str

    @property
    def compression(self) -> str:
        """The ending that says how it is compressed, or "".

        >>> Source("a.txt.gz", "lines", 1, "").compression
        '.gz'
        """
        return next((ending for ending in COMPRESSED if self.path.endswith(ending)), "")

    @property
    def splittable(self) -> bool:
        """True if a part of its bytes can be read without what stands before it."""
        return not self.compression and self.format in ("lines", "jsonl")


@dataclass(frozen=True, slots=True)
class Part:
    """A range of a source: bytes, or row groups of Parquet; a source that cannot be split is one part."""

    source: Source
    start: int
    end: int

    @property
    def bytes(self) -> int:
        """The bytes of the file that it stands for, for progress."""
        return self.end - self.start if self.source.splittable else self.source.bytes


@dataclass(slots=True)
class Unread:
    """What was not read as it is: the number of `documents` left out, and of those with `replaced` bytes.

    `problems` describes the first that were left out; `failed` names parts that could not be read, with the cause.
    """

    documents: int = 0
    replaced: int = 0
    problems: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    @classmethod
    def of_part(cls, part: Part, error: Exception) -> "Unread":
        """Return what is unread where a part cannot be read because of an error."""
        return cls(failed=[f"{part.source.path}: {getattr(error, 'detail', '') or error}"])

    def leave_out(self, place: str, why: str) -> None:
        """Note a document that is left out."""
        self.documents += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(f"{place}: {why}")

    def __iadd__(self, other: "Unread") -> "Unread":
        self.documents += other.documents
        self.replaced += other.replaced
        self.problems += [one for one in other.problems if one not in self.problems]
        self.failed += [one for one in other.failed if one not in self.failed]
        return self


@dataclass(slots=True)
class Reading:
    """How documents are read, and what could not be read.

    `column` has the text of a document in JSON Lines, CSV and Parquet, `group` the value by which documents are
    grouped.
    """

    column: str = "text"
    group: str = ""
    invalid: Policy = "refuse"
    unread: Unread = field(default_factory=Unread)


@dataclass(slots=True)
class Batch:
    """Documents as UTF-8, none of them empty, and the value of the group of each if they are grouped by a column."""

    documents: Sequence[bytes]
    groups: Sequence[str] = ()


def sources(paths: Iterable[str], *, format: Format | None = None) -> Iterator[Source]:
    """Yield the files of paths, folders and patterns with `*`, each once, in order.

    A format is that of the ending unless it is given; files whose name begins with a dot are left out of folders.
    Raises `Invalid` for a path that names nothing.
    """
    listed_already: set[str] = set()
    for path in paths:
        files = [*_files(path)]
        if not files:
            raise Invalid(f"There is no file at {path[:200]!r}.", pointer="/paths")
        for file in files:
            if file not in listed_already:
                listed_already.add(file)
                yield source(file, format=format)


def _files(path: str) -> Iterator[str]:
    if os.path.isdir(path):
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (os.path.join(folder, name) for name in sorted(names) if not name.startswith("."))
    elif os.path.exists(path):
        yield path
    else:
        yield from (file for file in sorted(glob.glob(path, recursive=True)) if os.path.isfile(file))


def source(path: str, *, format: Format | None = None) -> Source:
    """Return a file as a source. Raises `Invalid` if it is no regular file."""
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise Invalid(f"{path[:200]!r} is no regular file.", pointer="/paths")
    name = path
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    guessed = ENDINGS.get(Path(name).suffix.lower(), "lines")
    return Source(path, format or guessed, found.st_size, f"{found.st_size}-{found.st_mtime_ns}")


def parts(source: Source, *, size: int = PART) -> Iterator[Part]:
    """Yield the parts of a source.

    >>> [(part.start, part.end) for part in parts(Source("a.txt", "lines", 25, ""), size=10)]
    [(0, 10), (10, 20), (20, 25)]
    """
    if source.format == "parquet":
        file = _parquet(source)
        yield from (Part(source, group, group + 1) for group in range(file.num_row_groups))
    elif source.splittable:
        yield from (Part(source, at, min(at + size, source.bytes)) for at in range(0, source.bytes, size))
    else:
        yield Part(source, 0, source.bytes)


def batches(part: Part, reading: Reading) -> Iterator[Batch]:
    """Yield the documents of a part in batches of about `BATCH` bytes; empty documents are left out.

    Raises `BadFile` if the file has changed, is truncated or cannot be read, `Invalid` for an unknown column.
    """
    source = part.source
    if source.version and _version(source.path) != source.version:
        raise BadFile(f"{source.path} has changed since it was listed.")
    try:
        if source.format == "lines":
            yield from filter(_has_documents, _lines(part, reading))
        else:
            yield from filter(_has_documents, _batched(READERS[source.format](part, reading)))
    except (OSError, EOFError, lzma.LZMAError, zlib.error, csv.Error, ValueError) as error:
        cause = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadFile(f"{source.path} cannot be read: {cause}.") from error


def _has_documents(batch: Batch) -> bool:
    return bool(batch.documents)


def _batched(rows: Iterable[tuple[bytes, str]]) -> Iterator[Batch]:
    """Yield (document, group) in batches."""
    documents, groups, held = list[bytes](), list[str](), 0
    for data, group in rows:
        if data:
            documents.append(data)
            groups.append(group)
            held += len(data)
        if held >= BATCH:
            yield Batch(documents, groups)
            documents, groups, held = [], [], 0
    yield Batch(documents, groups)


def _version(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}.") from error
    return f"{found.st_size}-{found.st_mtime_ns}"


def _open(source: Source) -> IO[bytes]:
    """Open a source for reading its uncompressed bytes."""
    openers: dict[str, Callable[[str], Any]] = {"": lambda path: open(path, "rb"), ".gz": gzip.open}  # noqa: SIM115
    openers |= {".xz": lzma.open, ".bz2": bz2.open, ".zst": _open_zstandard}
    file: IO[bytes] = openers[source.compression](source.path)
    return file


def _open_zstandard(path: str) -> IO[bytes]:
    standard = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return _extra(standard).open(path)  # type: ignore[no-any-return]


def _parquet(source: Source) -> Any:
    try:
        return _extra("pyarrow.parquet").ParquetFile(source.path)
    except (OSError, ValueError) as error:
        cause = " ".join(str(error).split())[:200]
        raise BadFile(f"{source.path} is no readable Parquet file: {cause}.") from error


def _extra(name: str) -> Any:
    """Return a module that `pip install tokenarium[corpus]` brings. Raises `BadFile` where it is missing."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        package = name if name == "backports.zstd" else name.partition(".")[0]
        raise BadFile(f"{package} is needed to read this; pip install tokenarium[corpus] brings it.") from None


def _chunks(part: Part, reading: Reading) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that begin in a part, many at once as one piece of the file, and the byte at which it begins."""
    with _open(part.source) as file:
        at, end = part.start, part.end if part.source.splittable else sys.maxsize
        if at:
            file.seek(at - 1)
            at += _skip_line(file) - 1  # the rest of a line that begins before, or only its end
        while at < end and (chunk := file.read(min(BATCH, end - at))):
            size = len(chunk)
            if not chunk.endswith(b"\n"):
                rest = file.readline(MAX_DOCUMENT)
                size += len(rest)
                if len(rest) == MAX_DOCUMENT and not rest.endswith(b"\n"):
                    chunk = chunk[: chunk.rfind(b"\n") + 1]
                    place = f"{part.source.path}, byte {at + len(chunk):,}"
                    reading.unread.leave_out(place, f"a line of more than {MAX_DOCUMENT:,} bytes")
                    size += _skip_line(file)
                else:
                    chunk += rest
            yield at, chunk
            at += size


def _skip_line(file: IO[bytes]) -> int:
    """Read to the end of a line, and return the number of bytes."""
    read = 0
    while piece := file.readline(1 << 20):
        read += len(piece)
        if piece.endswith(b"\n"):
            break
    return read


def _lines(part: Part, reading: Reading) -> Iterator[Batch]:
    for at, chunk in _chunks(part, reading):
        if _is_utf8(chunk):
            yield Batch(Lines(chunk))
        else:
            lines = _numbered(at, chunk)
            checked = (utf8(line, reading, f"{part.source.path}, byte {byte:,}") for byte, line in lines)
            yield Batch([line for line in checked if line])


def _numbered(at: int, chunk: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a chunk without their ends, each with the byte at which it begins."""
    for line in chunk.split(b"\n"):
        yield at, line.removesuffix(b"\r")
        at += len(line) + 1


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _line_bytes(part: Part, reading: Reading) -> Iterator[tuple[int, bytes]]:
    for at, chunk in _chunks(part, reading):
        yield from _numbered(at, chunk.removesuffix(b"\n"))


def _paragraphs(part: Part, reading: Reading) -> Iterator[tuple[bytes, str]]:
    lines: list[bytes] = []
    begun, held = 0, 0
    for at, line in _line_bytes(part, reading):
        if line.strip():
            begun = begun if lines else at
            held += len(line) + 1
            if held <= MAX_DOCUMENT:
                lines.append(line)
            continue
        yield from _paragraph(lines, held, f"{part.source.path}, byte {begun:,}", reading)
        lines, held = [], 0
    yield from _paragraph(lines, held, f"{part.source.path}, byte {begun:,}", reading)


def _paragraph(lines: Sequence[bytes], held: int, place: str, reading: Reading) -> Iterator[tuple[bytes, str]]:
    if held > MAX_DOCUMENT:
        reading.unread.leave_out(place, f"a paragraph of more than {MAX_DOCUMENT:,} bytes")
    elif (data := utf8(b"\n".join(lines), reading, place)) is not None:
        yield data, ""


def _whole(part: Part, reading: Reading) -> Iterator[tuple[bytes, str]]:
    with _open(part.source) as file:
        data = file.read(MAX_DOCUMENT + 1)
    if len(data) > MAX_DOCUMENT:
        reading.unread.leave_out(part.source.path, f"a file of more than {MAX_DOCUMENT:,} bytes; read it by lines")
    elif (checked := utf8(data, reading, part.source.path)) is not None:
        yield checked, ""


def _json_lines(part: Part, reading: Reading) -> Iterator[tuple[bytes, str]]:
    for at, line in _line_bytes(part, reading):
        if not line.strip():
            continue
        place = f"{part.source.path}, byte {at:,}"
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            reading.unread.leave_out(place, f"no JSON: {error.msg}")
            continue
        if not isinstance(row, dict):
            reading.unread.leave_out(place, "no JSON object")
            continue
        text = _field(row, reading.column, part.source.path)
        if isinstance(text, str):
            yield text.encode(errors="replace"), str(_field(row, reading.group, part.source.path, missing=""))
        elif text is not None:
            reading.unread.leave_out(place, f"{reading.column} is no text")


def _rows(part: Part, reading: Reading) -> Iterator[tuple[bytes, str]]:
    errors = "replace" if reading.invalid == "replace" else "surrogateescape"
    with _open(part.source) as file, io.TextIOWrapper(file, "utf-8-sig", errors=errors, newline="") as text:
        csv.field_size_limit(MAX_DOCUMENT)
        rows = csv.DictReader(text, strict=True)
        for row in rows:
            value = _field(row, reading.column, part.source.path)
            raw = (value or "").encode(errors="surrogateescape")
            data = utf8(raw, reading, f"{part.source.path}, line {rows.line_num:,}")
            if data is not None:
                yield data, str(_field(row, reading.group, part.source.path, missing=""))


def _row_group(part: Part, reading: Reading) -> Iterator[tuple[bytes, str]]:
    file = _parquet(part.source)
    names = file.schema_arrow.names
    wanted = [name for name in (reading.column, reading.group) if name]
    for name in wanted:
        _field(dict.fromkeys(names), name, part.source.path)
    for batch in file.iter_batches(batch_size=1024, row_groups=[part.start], columns=[*dict.fromkeys(wanted)]):
        texts = batch.column(reading.column).to_pylist()
        groups = batch.column(reading.group).to_pylist() if reading.group else [""] * len(texts)
        for text, group in zip(texts, groups, strict=True):
            data = text.encode(errors="replace") if isinstance(text, str) else text
            if isinstance(data, bytes):
                yield data, str(group)
            elif data is not None:
                reading.unread.leave_out(part.source.path, f"{reading.column} is no text")


READERS: Mapping[Format, Callable[[Part, Reading], Iterator[tuple[bytes, str]]]] = {
    "paragraphs": _paragraphs,
    "text": _whole,
    "jsonl": _json_lines,
    "csv": _rows,
    "parquet": _row_group,
}


def _field(row: Mapping[str, Any], name: str, path: str, *, missing: Any = None) -> Any:
    """Return a column of a row; `missing` if no column is asked for. Raises `Invalid`, with the columns there are."""
    if not name:
        return missing
    if name not in row:
        raise Invalid(f"{path} has no column {name!r}; it has {listed([*map(str, row)])}.", pointer="/column")
    return row[name]


def utf8(data: bytes, reading: Reading, place: str) -> bytes | None:
    """Return the UTF-8 of a document, as the policy says; None if it is left out."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if reading.invalid == "replace":
            reading.unread.replaced += 1
            return data.decode(errors="replace").encode()
        reading.unread.leave_out(place, f"byte {error.start:,} of it is not UTF-8")
        return None
    return data
