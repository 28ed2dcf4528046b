"""Comparisons as JSON: what POST /api/compare and `tokenarium compare --json` answer."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from ..lab.compare.comparison import Comparison, Failure, MeasuredTokenization
from .problem import Problem


def comparison_columns(comparison: Comparison, include: Collection[str] = ("agreement",)) -> dict[str, Any]:
    """Return a comparison as plain data: the measures of each tokenizer or its problem, and the parts to include."""
    base = comparison.base
    tokenizations = comparison.tokenizations
    answer: dict[str, Any] = {
        "baseline": base.id if base else None,
        "spread": comparison.spread,
        "columns": [_column(comparison, column, include) for column in comparison.columns],
    }
    if "agreement" in include:
        answer["agreement"] = {"tokenizers": [one.id for one in tokenizations], "matrix": comparison.agreement.tolist()}
    if "places" in include:
        places = comparison.differences
        answer["places"] = {"byte_starts": places.starts, "byte_ends": places.ends}
    return answer


def column_alone(column: MeasuredTokenization | Failure, include: Collection[str] = ()) -> dict[str, Any]:
    """Return one column as plain data: what does not depend on the others."""
    if isinstance(column, Failure):
        return {"tokenizer": column.id, "problem": Problem.of(column.error).members()}
    tokenization = column.tokenization
    answer = {"tokenizer": column.id, "engine": tokenization.tokenizer.engine, "notes": tokenization.notes}
    answer |= asdict(column.measures)
    return answer | {"ids": tokenization.encoding.ids} if "ids" in include else answer


def _column(comparison: Comparison, column: MeasuredTokenization | Failure, include: Collection[str]) -> dict[str, Any]:
    answer = column_alone(column, include)
    return answer if isinstance(column, Failure) else answer | {"difference": comparison.change(column)}
