"""A comparison as tables for other programs: CSV of the summary and of the agreement of every pair."""

import csv
from collections.abc import Iterable
from dataclasses import asdict
from io import StringIO
from typing import Any

from app.lab.compare.comparison import Comparison, Cut


def summary(comparison: Comparison) -> str:
    """A row a column that has tokens, the fewest first: every measure, and the difference to the baseline."""
    rows = [{"tokenizer": cut.id, **measured(comparison, cut)} for cut in comparison.by_count]
    return _csv([[*rows[0]], *([*row.values()] for row in rows)] if rows else [])


def measured(comparison: Comparison, cut: Cut) -> dict[str, Any]:
    """The measures of a column by name, and its difference to the baseline."""
    return asdict(cut.measures) | {"difference": comparison.change(cut)}


def agreement(comparison: Comparison) -> str:
    """The boundary agreement of every pair, with names in the first row and column."""
    names = [cut.id for cut in comparison.cuts]
    matrix = comparison.agreement.tolist()
    return _csv([["", *names], *([name, *row] for name, row in zip(names, matrix, strict=True))])


def _csv(rows: Iterable[list[Any]]) -> str:
    """CSV after RFC 4180; what is not defined is empty."""
    buffer = StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue()
