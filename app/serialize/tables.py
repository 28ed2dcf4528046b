"""CSV (RFC 4180) for other programs: a tokenization with one row a token, and the tables of a comparison."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from ..lab.cell_views import token_type
from ..lab.compare.comparison import Comparison, MeasuredTokenization
from ..lab.csv_text import csv_text
from ..lab.tokenize import Tokenization

HEADER = ("index", "id", "piece", "bytes_hex", "byte_start", "byte_end", "char_start", "char_end", "kind")
CHUNK_ROWS = 5000


def csv_chunks(tokenization: Tokenization) -> Iterator[str]:
    """Yield the CSV of a tokenization, `CHUNK_ROWS` rows at a time, so that a download starts at once."""
    yield csv_text([HEADER])
    for start in range(0, len(tokenization.encoding), CHUNK_ROWS):
        yield csv_text(_rows(tokenization, start, start + CHUNK_ROWS))


def _rows(tokenization: Tokenization, start: int, end: int) -> Iterator[tuple[object, ...]]:
    flags = tokenization.encoding.flags[start:end].tolist()
    for token, bits in zip(tokenization.tokens(start, end), flags, strict=True):
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


def table_csv(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return rows under their heads.

    >>> table_csv(("a", "b"), [("1", "2,000")])
    'a,b\r\n1,"2,000"\r\n'
    """
    return csv_text([[*heads], *([*row] for row in rows)])
