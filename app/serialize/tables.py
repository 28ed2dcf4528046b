"""CSV (RFC 4180) for other programs: a tokenization with one row a token, and the tables of a comparison."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ..csv_text import CHUNK_ROWS, csv_chunks, csv_text
from ..lab.cell_views import token_type
from ..lab.compare.comparison import Comparison, MeasuredTokenization
from ..lab.tokenize import Tokenization

HEADER = ("index", "id", "piece", "bytes_hex", "byte_start", "byte_end", "char_start", "char_end", "kind")


def tokenization_csv(tokenization: Tokenization) -> Iterator[str]:
    """Yield the CSV of a tokenization, with one row a token."""
    return csv_chunks(HEADER, _rows(tokenization))


def _rows(tokenization: Tokenization) -> Iterator[tuple[object, ...]]:
    for start in range(0, len(tokenization.encoding), CHUNK_ROWS):
        flags = tokenization.encoding.flags[start : start + CHUNK_ROWS].tolist()
        for token, bits in zip(tokenization.tokens(start, start + CHUNK_ROWS), flags, strict=True):
            entry = token.entry
            spans = (token.byte_start, token.byte_end, token.char_start, token.char_end)
            yield token.index, entry.id, entry.piece, entry.raw.hex(), *spans, token_type(bits)


def summary(comparison: Comparison) -> str:
    """Return a row for each tokenizer that did not fail, the fewest tokens first, with every measure."""
    rows = [{"tokenizer": column.id, **serialize_measures(comparison, column)} for column in comparison.by_count]
    return csv_text([[*rows[0]], *([*row.values()] for row in rows)] if rows else [])


def serialize_measures(comparison: Comparison, column: MeasuredTokenization) -> dict[str, Any]:
    """Return the measures of one tokenizer by name, and its difference to the baseline."""
    return asdict(column.measures) | {"difference": comparison.change(column)}


def agreement(comparison: Comparison) -> str:
    """Return the boundary agreement of every pair of tokenizers, with their ids in the first row and column."""
    names = [column.id for column in comparison.tokenizations]
    matrix = comparison.agreement.tolist()
    return csv_text([["", *names], *([name, *row] for name, row in zip(names, matrix, strict=True))])
