"""What a corpus consists of: files here or at addresses, and the parts that are counted on their own.

A text file is cut at line ends, a Parquet file at its row groups, an Arrow file at its record batches; a compressed
file and a CSV, whose rows may contain line ends, are one part each. Parts are independent of each other, so they can be
counted anywhere and in any order.
"""

import glob
import os
import re
import shutil
import stat
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from ..errors import BadFile, Invalid
from .addresses import FileInfo, describe_error, files, get_file_info, is_remote, local_path
from .beginnings import MARK_IS_TEXT, TAR_MAGIC
from .documents import BATCH, MAX_DOCUMENT, UNREADABLE, batches, open_uncompressed
from .types import (
    ENDINGS,
    FORMATS,
    MAX_PROBLEMS,
    POLICIES,
    Batch,
    CorpusSource,
    Format,
    Policy,
    ReadContext,
    SourcePart,
    Unread,
    find_compression,
    strip_query,
    utf8,
)

__all__ = [
    "BATCH",
    "FORMATS",
    "MAX_DOCUMENT",
    "MAX_PROBLEMS",
    "PART",
    "POLICIES",
    "STDIN",
    "Batch",
    "CorpusSource",
    "Format",
    "Policy",
    "ReadContext",
    "SourcePart",
    "Unread",
    "batches",
    "describe_guess",
    "describe_marks",
    "parts",
    "source",
    "sources",
    "utf8",
]

PART = 1 << 24
"""Bytes of a part, about."""
STDIN = "-"
HEAD = 1 << 16
"""Bytes of the beginning of a file by which its kind is recognized."""
ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{")
"""The beginning of a JSON array of objects."""
RECORDS = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*"')
"""The beginning of JSON with records, by which standard input is recognized."""
SIGNATURES = {
    b"\x1f\x8b": ".gz",
    b"\xfd7zXZ\0": ".xz",
    b"BZh": ".bz2",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
}
"""The beginnings by which standard input is recognized, which has no name, and the ending that its kind has."""


def sources(paths: Iterable[str], *, format: Format | None = None) -> Iterator[CorpusSource]:
    """Yield the files of paths, folders, patterns with `*`, addresses and standard input ("-"), each once, in order.

    A format is that of the ending unless it is given; files whose name begins with a dot are left out of folders. Links
    are followed; a file that is reached by several paths is taken by the first of them.
    Raises `Invalid` for a path that names nothing.
    """
    listed_already: set[str] = set()
    for path in paths:
        some = False
        for one, place in _sources(path, format):
            some = True
            if place not in listed_already:
                listed_already.add(place)
                yield one
        if not some:
            where = "in the folder" if not is_remote(path) and os.path.isdir(local_path(path)) else "at"
            raise Invalid(f"There is no file {where} {path[:200]!r}.", pointer="/paths")


def _sources(path: str, format: Format | None) -> Iterator[tuple[CorpusSource, str]]:
    """Yield the files of a path, each with where it is: its address, or its path without links and dots."""
    if is_remote(path):
        try:
            yield from ((_make_remote_source(one, format), one.address) for one in files(path))
        except BadFile as error:
            raise Invalid(error.detail, pointer="/paths") from error
    elif path == STDIN:
        yield source(path, format=format), path
    else:
        for file, place in _files(local_path(path)):
            try:
                yield source(file, format=format), place
            except Invalid as error:  # reading it will say why, and the others are read
                if file == path and not isinstance(error, BadFile):
                    raise
                yield CorpusSource(file, format or "text", 0, "", ranges=False), place


def _files(path: str) -> Iterator[tuple[str, str]]:
    place = os.path.realpath(path)
    if os.path.isdir(path):
        closed: list[OSError] = []
        yield from _walk(path, place, closed, {place})
        yield from ((str(error.filename), str(error.filename)) for error in closed)
    elif _exists(path):
        yield path, place
    else:
        found = sorted(glob.glob(path, recursive=True))
        yield from ((file, os.path.realpath(file)) for file in found if os.path.isfile(file))


def _walk(folder: str, place: str, closed: list[OSError], walked: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the files of a folder and of those in it, without hidden ones; note what cannot be listed.

    `place` is where the folder is; one to which links lead is `walked` once, after those beside it.
    """
    try:
        with os.scandir(folder) as listed:
            entries = sorted((one for one in listed if not one.name.startswith(".")), key=lambda one: one.name)
    except OSError as error:
        closed.append(error)
        return
    folders = [one for one in entries if one.is_dir()]
    for one in entries:
        if one.is_file() or not os.path.exists(one.path):  # no sockets
            yield one.path, os.path.realpath(one.path) if one.is_symlink() else f"{place}/{one.name}"
    for one in sorted(folders, key=os.DirEntry.is_symlink):
        inner = os.path.realpath(one.path)
        if inner not in walked:
            walked.add(inner)
            yield from _walk(one.path, inner, closed, walked)


def _exists(path: str) -> bool:
    try:
        os.lstat(path)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def source(path: str, *, format: Format | None = None) -> CorpusSource:
    """Return a file as a source. Raises `Invalid` if it is no regular file, `BadFile` if it cannot be read."""
    if is_remote(path):
        return _make_remote_source(get_file_info(path), format)
    try:
        path = str(_spool(path)) if path == STDIN else local_path(path)
        status = os.stat(path)
        if stat.S_ISFIFO(status.st_mode):
            path = str(_spool(path))
            status = os.stat(path)
    except OSError as error:
        raise BadFile(f"{path[:200]} cannot be read: {describe_error(error)}.") from error
    if not stat.S_ISREG(status.st_mode):
        raise Invalid(f"{path[:200]!r} is no regular file.", pointer="/paths")
    version = f"{status.st_size}-{status.st_mtime_ns}"
    return _recognize(CorpusSource(path, format or _detect_format(path), status.st_size, version), format)


def _make_remote_source(one: FileInfo, format: Format | None) -> CorpusSource:
    made = CorpusSource(one.address, format or _detect_format(one.address), one.bytes, one.version, one.ranges)
    return _recognize(made, format)


def _recognize(source: CorpusSource, format: Format | None) -> CorpusSource:
    """Return a source of which the ending is `.json` as what it is: an array of objects, JSON Lines, or text.

    What cannot be read is left as it is: reading it will say why.
    """
    if format or source.format != "json":
        return source
    try:
        with open_uncompressed(source) as file:
            begin = file.read(HEAD)
    except (BadFile, *UNREADABLE):
        return replace(source, format="lines")
    lines = [line.strip() for line in begin.split(b"\n") if line.strip()]
    is_lines = len(lines) > 1 and lines[0].endswith(b"}") and all(line.startswith(b"{") for line in lines[:2])
    array = ARRAY.match(begin) is not None
    return replace(source, format="json" if array else "jsonl" if is_lines else "lines")


def describe_guess(found: Iterable[CorpusSource]) -> list[str]:
    """Return a sentence about the `.json` files that are read as text, unless there are none."""
    lines = (one.path for one in found if one.format == "lines" and ".json" in one.path)
    odd = [path for path in lines if _detect_format(path) == "json"]
    if not odd:
        return []
    names = odd[0] if len(odd) == 1 else f"{odd[0]} and {len(odd) - 1:,} more"
    return [f"{names}: no array of objects and no JSON Lines, read as lines of text; --input-format says otherwise."]


def describe_marks(found: Iterable[CorpusSource]) -> list[str]:
    """Return a sentence about the texts here that begin with a byte order mark, looking at the first 1,000 files."""
    texts = (one for one in islice(found, 1_000) if one.format in ("lines", "paragraphs", "text"))
    marked = [one.path for one in texts if not is_remote(one.path) and _begins_with_mark(one.path)]
    if not marked:
        return []
    names = f"{marked[0]} begins" if len(marked) == 1 else f"{marked[0]} and {len(marked) - 1:,} more files begin"
    return [f"{names} with a byte order mark, {MARK_IS_TEXT}."]


def _begins_with_mark(path: str) -> bool:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(len(BOM_UTF8)) == BOM_UTF8
    except OSError:  # reading it will say why
        return False


def _detect_format(path: str) -> Format:
    name = strip_query(path)
    return _detect_by_ending(f".{name[name.rfind('/') + 1 :].partition('.')[2]}")


@lru_cache(maxsize=1 << 10)
def _detect_by_ending(name: str) -> Format:
    """Return the format of a file whose name is this behind the first dot."""
    if name.endswith(".tgz"):
        return "tar"
    name = name.removesuffix(find_compression(name))
    return ENDINGS.get(f".{name.rpartition('.')[2]}".lower(), "lines")


@lru_cache(maxsize=16)
def _spool(path: str) -> Path:
    """Write what comes from standard input or a pipe to a file, since it is read more than once, and in parts."""
    folder = _folder()
    if path == STDIN:
        return _copy_pipe(sys.stdin.buffer, Path(folder.name) / "stdin")
    with open(path, "rb") as pipe:
        return _copy_pipe(pipe, Path(folder.name) / Path(path).name)


@lru_cache(maxsize=1)
def _folder() -> "TemporaryDirectory[str]":
    """Return a folder that is removed when the process ends."""
    return TemporaryDirectory(prefix="tokenarium-")


def _copy_pipe(pipe: IO[bytes], path: Path) -> Path:
    head = pipe.read(TAR_MAGIC.stop)
    ending = next((ending for begin, ending in SIGNATURES.items() if head.startswith(begin)), ".txt")
    ending = ".tar" if head[TAR_MAGIC] == b"ustar" else ".json" if RECORDS.match(head) else ending
    path = path.with_name(f"{path.name}{ending}")
    with path.open("wb") as file:
        file.write(head)
        shutil.copyfileobj(pipe, file, 1 << 20)
    return path


def parts(source: CorpusSource, *, size: int = PART) -> Iterator[SourcePart]:
    """Yield the parts of a source. Raises `BadFile` for a table that cannot be read.

    >>> [(part.start, part.end) for part in parts(CorpusSource("a.txt", "lines", 25, ""), size=10)]
    [(0, 10), (10, 20), (20, 25)]
    """
    if source.ranges and source.format == "parquet":
        from .arrow import parquet_parts

        yield from parquet_parts(source)
    elif source.ranges and source.format == "arrow":
        from .arrow import arrow_parts

        yield from arrow_parts(source, size)
    elif source.bytes > size and source.splittable:
        yield from (SourcePart(source, at, min(at + size, source.bytes)) for at in range(0, source.bytes, size))
    elif source.bytes or not source.ranges:
        yield SourcePart(source, 0, source.bytes)
