"""Tokens of a vocabulary as JSON and as CSV (RFC 4180)."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import TYPE_CHECKING, Any

from .tables import CHUNK_ROWS

if TYPE_CHECKING:  # a server that starts does not wait for numpy
    from ..lab.vocabulary.columns import VocabularyColumns
    from ..lab.vocabulary.search import Rows

HEADER = ("id", "piece", "text", "bytes_hex", "length", "characters", "kind", "script", "prefix_space")


def token_values(columns: VocabularyColumns, rows: Rows) -> Iterator[tuple[Any, ...]]:
    """Yield the values of `HEADER` for each of some rows; `text` is None for a token that is not UTF-8 by itself."""
    from ..lab.vocabulary.columns import KINDS, SCRIPTS

    for row in rows.tolist():
        characters = int(columns.characters[row])
        yield (
            int(columns.ids[row]),
            columns.pieces[row],
            columns.texts[row] if characters else None,
            columns.raws[row].hex(),
            int(columns.lengths[row]),
            characters,
            KINDS[columns.kinds[row]],
            SCRIPTS[columns.scripts[row]],
            bool(columns.prefix_space[row]),
        )


def token_data(columns: VocabularyColumns, rows: Rows) -> list[dict[str, Any]]:
    """Return some tokens as plain data, each with the names of `HEADER`."""
    return [dict(zip(HEADER, values, strict=True)) for values in token_values(columns, rows)]


def vocabulary_csv(columns: VocabularyColumns, rows: Rows) -> Iterator[str]:
    """Yield the CSV of some tokens, `CHUNK_ROWS` at a time, so that a download starts at once."""
    yield _csv([HEADER])
    for start in range(0, len(rows), CHUNK_ROWS):
        yield _csv(token_values(columns, rows[start : start + CHUNK_ROWS]))


def _csv(rows: Iterable[tuple[Any, ...]]) -> str:
    buffer = StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue()
