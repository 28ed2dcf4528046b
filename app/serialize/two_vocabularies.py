"""Two vocabularies as plain data for JSON, and every difference of theirs as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ..csv_text import csv_chunks
from ..lab.two_vocabularies.comparison import TwoVocabularies
from ..lab.two_vocabularies.merges import TwoMerges
from ..lab.two_vocabularies.view import TwoView
from ..lab.vocabulary.columns import SCRIPTS, VocabularyColumns
from .vocabulary import token_data

HEADER = ("difference", "text", "bytes_hex", "script", "id_a", "id_b")
MAX_RUNS = 100
MAX_SAMPLES = 100
"""Runs of moved ids, and tokens of one vocabulary only, that JSON has; CSV has all."""


def serialize_difference(view: TwoView) -> dict[str, Any]:
    """Return all that is compared, with the first tokens that only one has, of one script if one is named."""
    both = view.both
    merges = view.merges
    text = view.costs
    sides = {side: both.select_rows(side, view.script) for side in ("a", "b")}
    columns = {"a": both.a, "b": both.b}
    return {
        "a": view.infos[0].id,
        "b": view.infos[1].id,
        "shared": len(both.rows_a),
        "only_a": len(both.only_a),
        "only_b": len(both.only_b),
        "share": both.share,
        "moved": both.moved,
        "runs": [asdict(run) for run in both.runs[:MAX_RUNS]],
        "scripts": [asdict(row) for row in both.scripts],
        "lengths": [asdict(row) for row in both.lengths],
        "special_tokens": [asdict(pair) for pair in both.specials],
        "merges": merges and merges_data(merges),
        "text": text and {"a": text[0], "b": text[1]},
        "languages": [{**asdict(cost), "ratio": cost.ratio} for cost in view.languages],
        "samples": {side: token_data(columns[side], rows[:MAX_SAMPLES]) for side, rows in sides.items()},
    }


def merges_data(merges: TwoMerges) -> dict[str, Any]:
    """Return the merges of two vocabularies, compared; bytes in hex."""
    fields = {name: getattr(merges, name) for name in ("sources", "counts", "listed", "shared", "prefix", "in_order")}
    for name, some in (("only_a", merges.only_a), ("only_b", merges.only_b)):
        fields[name] = [
            {"place": one.place, "made": one.made.hex(), "parts": [part.hex() for part in one.parts]} for one in some
        ]
    return {**fields, "equal": merges.equal}


def difference_csv(both: TwoVocabularies) -> Iterator[str]:
    """Yield every difference: tokens that only one has, those whose ids moved, special tokens that are not alike."""
    return csv_chunks(HEADER, _rows(both))


def _rows(both: TwoVocabularies) -> Iterator[tuple[Any, ...]]:
    for pair in both.specials:
        if pair.a != pair.b:
            yield "special", pair.token, pair.token.encode().hex(), "", pair.a, pair.b
    for row in both.only_a.tolist():
        yield "only a", *_token(both.a, row), int(both.a.ids[row]), None
    for row in both.only_b.tolist():
        yield "only b", *_token(both.b, row), None, int(both.b.ids[row])
    moved = both.shifts != 0
    for row, other in zip(both.rows_a[moved].tolist(), both.rows_b[moved].tolist(), strict=True):
        yield "moved", *_token(both.a, row), int(both.a.ids[row]), int(both.b.ids[other])


def _token(columns: VocabularyColumns, row: int) -> tuple[str | None, str, str]:
    raw = columns.raws[row]
    return raw.decode() if columns.characters[row] else None, raw.hex(), SCRIPTS[columns.scripts[row]]
