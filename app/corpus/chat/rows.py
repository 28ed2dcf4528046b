"""The rows of training sets, with their places: JSON Lines, JSON, CSV and Parquet, also compressed and at addresses."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson

from ...errors import BadFile, Invalid
from ..addresses import describe_error
from ..arrow import parquet_dicts
from ..documents import MAX_DOCUMENT, line_bytes, open_uncompressed
from ..types import COMPRESSED, CorpusSource, ReadContext, SourcePart, strip_query

PlacedRow = tuple[str, Any]
"""The place of a row, and its data."""
FORMATS = ("jsonl", "csv", "parquet")


def set_format(source: CorpusSource) -> CorpusSource:
    """Return a source that is read as rows: JSON Lines unless its ending says CSV, Parquet or JSON."""
    if source.format in FORMATS:
        return source
    if source.format == "arrow":
        raise Invalid(f"{source.path} is an Arrow file; conversations are read from JSON Lines, JSON, CSV and Parquet.")
    name = strip_query(source.path)
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return replace(source, format="text" if source.format == "json" or name.endswith(".json") else "jsonl")


def read_rows(part: SourcePart, reading: ReadContext) -> Iterator[PlacedRow]:
    """Yield the rows of a part; those that are no JSON are noted in `reading`. Raises `BadFile`."""
    try:
        match part.source.format:
            case "parquet":
                yield from parquet_dicts(part)
            case "csv":
                yield from _read_csv(part)
            case "text":
                yield from _read_json(part, reading)
            case _:
                yield from _read_lines(part, reading)
    except (OSError, EOFError, csv.Error, ValueError) as error:
        raise BadFile(f"{part.source.path} cannot be read: {describe_error(error)}.") from error


def _read_lines(part: SourcePart, reading: ReadContext) -> Iterator[PlacedRow]:
    for at, line in line_bytes(part, reading):
        if line.strip():
            place = f"{part.source.path}, byte {at:,}"
            try:
                yield place, orjson.loads(line)
            except orjson.JSONDecodeError as error:
                reading.unread.leave_out(place, f"it is not JSON: {error}")


def _read_json(part: SourcePart, reading: ReadContext) -> Iterator[PlacedRow]:
    """Yield the items of a file that is one list; otherwise its lines are read."""
    with open_uncompressed(part.source) as file:
        data = file.read(MAX_DOCUMENT + 1)
    if data.lstrip().startswith(b"[") and len(data) <= MAX_DOCUMENT:
        try:
            rows = orjson.loads(data)
        except orjson.JSONDecodeError:  # lists, one a line
            rows = None
        if isinstance(rows, list):
            yield from ((f"{part.source.path}, item {number:,}", row) for number, row in enumerate(rows))
            return
    yield from _read_lines(part, reading)


def _read_csv(part: SourcePart) -> Iterator[PlacedRow]:
    csv.field_size_limit(MAX_DOCUMENT)
    with open_uncompressed(part.source) as file, io.TextIOWrapper(file, "utf-8", newline="") as text:
        rows = csv.DictReader(text, strict=True)
        for row in rows:
            yield f"{part.source.path}, line {rows.line_num:,}", row
