"""Comparisons as JSON: what POST /api/compare and `tokenarium compare --json` answer; tables as CSV (RFC 4180)."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from ..csv_text import csv_text
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
    if "causes" in include:
        answer["causes"] = [_causes(comparison, one) for one in tokenizations if one is not base]
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


def _causes(comparison: Comparison, column: MeasuredTokenization) -> dict[str, Any]:
    """Return why a tokenizer needs more or fewer tokens than the baseline; the places of a cause as columns."""
    explanation = comparison.explain(column)
    groups = [
        {"cause": group.kind, "script": group.script or None, "extra": group.extra, "places": group.places}
        | {
            "byte_starts": [place.byte_start for place in group.first],
            "byte_ends": [place.byte_end for place in group.first],
            "tokens": [place.tokens for place in group.first],
            "baseline_tokens": [place.baseline_tokens for place in group.first],
        }
        for group in explanation.groups
    ]
    return {"tokenizer": column.id, "extra": explanation.extra, "causes": groups}


def summary_csv(comparison: Comparison) -> str:
    """Return a row for each tokenizer that did not fail, the fewest tokens first, with every measure."""
    rows = [
        {"tokenizer": column.id, **asdict(column.measures), "difference": comparison.change(column)}
        for column in comparison.by_count
    ]
    return csv_text([[*rows[0]], *([*row.values()] for row in rows)] if rows else [])


def agreement_csv(comparison: Comparison) -> str:
    """Return the boundary agreement of every pair of tokenizers, with their ids in the first row and column."""
    names = [column.id for column in comparison.tokenizations]
    matrix = comparison.agreement.tolist()
    return csv_text([["", *names], *([name, *row] for name, row in zip(names, matrix, strict=True))])
