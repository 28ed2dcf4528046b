"""Read Parquet and Arrow: their parts are row groups and record batches, of which only two columns are read."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, repeat
from tempfile import TemporaryFile
from typing import Any

from ..errors import BadFile
from .addresses import describe_error, extra, is_remote
from .columns import as_text, find_top, follow, split_path
from .documents import open_uncompressed
from .types import EMPTY, CorpusSource, ReadContext, Row, SourcePart, utf8

MAGIC = b"ARROW1\0\0"
"""The beginning of an Arrow file; what follows is also a stream."""
ROWS = 1024
"""Rows that are read at once, at most."""


def parquet_parts(source: CorpusSource) -> Iterator[SourcePart]:
    """Yield the row groups of a Parquet file. Raises `BadFile`."""
    with _parquet(source) as file:
        sizes = [file.metadata.row_group(group).total_byte_size for group in range(file.num_row_groups)]
    for group, size in enumerate(sizes):
        yield SourcePart(source, group, group + 1, source.bytes * size // max(1, sum(sizes)))


def parquet_sizes(source: CorpusSource, column: str) -> list[int]:
    """Return the bytes of a column in each row group before compression. Raises `BadFile`, and `Invalid` without it."""
    with _parquet(source) as file:
        metadata = file.metadata
        top = find_top(file.schema_arrow.names, column, source.path)
        paths = [metadata.schema.column(number).path for number in range(metadata.num_columns)]
        inside = [number for number, path in enumerate(paths) if path == top or path.startswith(f"{top}.")]
        groups = map(metadata.row_group, range(metadata.num_row_groups))
        return [sum(group.column(number).total_uncompressed_size for number in inside) for group in groups]


def parquet_rows(part: SourcePart, reading: ReadContext, batch: int) -> Iterator[Row]:
    """Yield the documents of row groups, reading about as many bytes at once as a batch has."""
    with _parquet(part.source) as file:
        columns = _columns(file.schema_arrow.names, reading, part.source.path)
        groups = [*range(part.start, part.end)] if part.source.ranges else [*range(file.num_row_groups)]
        if not groups:
            return
        group = file.metadata.row_group(groups[0])
        rows = max(1, min(ROWS, batch * group.num_rows // max(1, group.total_byte_size)))
        first = 0
        for table in file.iter_batches(batch_size=rows, row_groups=groups, columns=columns, use_threads=False):
            yield from _rows(table, reading, f"{part.source.path}, row group {part.start:,}, row", first)
            first += len(table)


def parquet_dicts(part: SourcePart) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of row groups with all their columns, each with its place."""
    with _parquet(part.source) as file:
        row = 0
        for table in file.iter_batches(batch_size=ROWS, row_groups=[*range(part.start, part.end)]):
            for one in table.to_pylist():
                yield f"{part.source.path}, row group {part.start:,}, row {row:,}", one
                row += 1


def arrow_parts(source: CorpusSource, size: int) -> Iterator[SourcePart]:
    """Yield parts of as many record batches as have about `size` bytes; a stream elsewhere is one. Raises `BadFile`."""
    with _arrow(source) as (file, stream):
        if file is not None:
            number = file.num_record_batches
        elif is_remote(source.path) or source.compression:
            number = 1
        else:
            number = sum(1 for _ in stream)  # mapped into memory: only their heads are read
    step = max(1, size * number // max(1, source.bytes))
    for first in range(0, number, step):
        last = min(first + step, number)
        yield SourcePart(source, first, last, source.bytes * (last - first) // number)


def arrow_rows(part: SourcePart, reading: ReadContext) -> Iterator[Row]:
    """Yield the documents of record batches."""
    with _arrow(part.source) as (file, stream):
        columns = _columns((file or stream).schema.names, reading, part.source.path)
        whole = is_remote(part.source.path) or part.source.compression
        if file is not None:
            batches: Iterator[Any] = (file.get_batch(number) for number in range(part.start, part.end))
        else:
            batches = stream if whole else islice(stream, part.start, part.end)
        for number, batch in enumerate(batches, part.start):
            for first in range(0, len(batch), ROWS):
                rows = batch.select(columns).slice(first, ROWS)
                yield from _rows(rows, reading, f"{part.source.path}, record batch {number:,}, row", first)


@contextmanager
def _parquet(source: CorpusSource) -> Iterator[Any]:
    library = extra("pyarrow.parquet")
    with _translate_errors(source, "Parquet"), open_uncompressed(source) as file, TemporaryFile() as copy:
        if not source.ranges:  # it is read from its end
            shutil.copyfileobj(file, copy, 1 << 20)
        yield library.ParquetFile((file if source.ranges else copy) if is_remote(source.path) else source.path)


@contextmanager
def _arrow(source: CorpusSource) -> Iterator[tuple[Any, Any]]:
    """Give a reader of a file with record batches in any order, or else None and one of a stream."""
    pyarrow = extra("pyarrow")
    ipc = extra("pyarrow.ipc")
    with _translate_errors(source, "Arrow"), open_uncompressed(source) as file:
        whole = is_remote(source.path) or source.compression
        data = pyarrow.PythonFile(file, "r") if whole else pyarrow.memory_map(source.path)
        is_file = data.read(len(MAGIC)) == MAGIC
        if is_file and not source.compression and source.ranges:
            yield ipc.open_file(data), None
        else:
            if not is_file:
                data.seek(0)
            yield None, ipc.open_stream(data)


@contextmanager
def _translate_errors(source: CorpusSource, format: str) -> Iterator[None]:
    """Raise `BadFile` for what the library cannot read."""
    try:
        yield
    except (extra("pyarrow").ArrowException, OSError, ValueError) as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(f"{source.path} is no readable {format} file: {describe_error(error)}.") from error


def _columns(names: list[str], reading: ReadContext, path: str) -> list[str]:
    wanted = (reading.column, reading.group, *reading.keep)
    return [*dict.fromkeys(find_top(names, name, path) for name in wanted if name)]


def _rows(batch: Any, reading: ReadContext, place: str, first: int) -> Iterator[Row]:
    path = place.partition(", ")[0]
    texts = _values(batch, reading.column, path)
    groups = _values(batch, reading.group, path) if reading.group else [""] * len(texts)
    kept = zip(*(_values(batch, name, path) for name in reading.keep), strict=True) if reading.keep else repeat(())
    for row, (data, group, values) in enumerate(zip(texts, groups, kept, strict=False), first):
        checked = utf8(data, reading, f"{place} {row:,}") if isinstance(data, bytes) else None
        if data is not None and not isinstance(data, bytes):
            reading.unread.leave_out(f"{place} {row:,}", f"{reading.column} is no text")
        if checked:
            name = group.decode(errors="replace") if isinstance(group, bytes) else str(group)
            yield checked, name, tuple(map(as_text, values))
        else:
            yield EMPTY


def _values(batch: Any, name: str, path: str) -> list[Any]:
    """Return the values of a column, or of one inside it, texts as bytes."""
    if name in batch.schema.names:
        return _bytes(batch.column(name))
    first, *rest = split_path(name)
    values = (follow(value, rest, name, path) for value in batch.column(first).to_pylist())
    return [value.encode(errors="replace") if isinstance(value, str) else value for value in values]


def _bytes(column: Any) -> list[Any]:
    """Return the bytes of texts, which are not decoded here since they may not be UTF-8."""
    pyarrow = extra("pyarrow")
    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    binary = {pyarrow.string(): pyarrow.binary(), pyarrow.large_string(): pyarrow.large_binary()}
    values: list[Any] = column.cast(binary.get(column.type, column.type)).to_pylist()
    return [value.encode(errors="replace") if isinstance(value, str) else value for value in values]
