"""GET /api/compare/vocabularies: what two vocabularies share, as JSON, or every difference as CSV."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import JsonValue
from starlette.responses import Response

from ...csv_text import csv_chunks
from ...lab.models import resolve_model
from ...lab.two_vocabularies.comparison import TwoVocabularies
from ...lab.two_vocabularies.merges import TwoMerges
from ...lab.two_vocabularies.view import TwoView, compare_vocabularies
from ...lab.vocabulary.columns import SCRIPTS, VocabularyColumns
from ...lab.vocabulary.search import RecentVocabularies
from ...serialize.vocabulary import token_data
from ..body import JSONResponse
from ..downloads import as_file
from ..routing import Router
from ..services import get_services

router = Router(tags=["compare"])
EXAMPLE: dict[str, JsonValue] = {
    "a": "r50k_base",
    "b": "p50k_base",
    "shared": 50256,
    "only_a": 0,
    "only_b": 24,
    "share": 0.9995,
    "moved": 0,
    "runs": [],
    "merges": {"counts": [50000, 50024], "shared": 50000, "prefix": 50000, "in_order": 50000, "equal": False},
    "special_tokens": [{"token": "<|endoftext|>", "a": 50256, "b": 50256}],
}
ANSWERS: dict[str, JsonValue] = {
    "application/json": {"example": EXAMPLE},
    "text/csv": {"schema": {"type": "string"}},
}
First = Annotated[str, Query(description="An id from /api/tokenizers, or the name of a model.", examples=["gpt2"])]
Second = Annotated[str, Query(description="The other vocabulary.", examples=["p50k_base"])]
Script = Annotated[str, Query(description="The script of the samples: `Latin`, `digits` …; without it, all.")]
Text = Annotated[str, Query(description="A text whose tokens are counted in both.")]
Format = Annotated[Literal["json", "csv"], Query(description="`csv` has every token that differs.")]


@router.get(
    "/api/compare/vocabularies",
    operation_id="compare_vocabularies",
    summary="Compare two vocabularies",
    responses={200: {"content": ANSWERS}},
)
def get(
    request: Request, a: First, b: Second, script: Script = "", text: Text = "", format: Format = "json"
) -> Response:
    """What both share by bytes, by script and by length; the ids that moved; special tokens; merges and their order;
    the tokens of a text and of the Universal Declaration of Human Rights; the first tokens that only one has."""
    services = get_services(request)
    registry = services.registry
    recent = services.cache(RecentVocabularies)
    store = services.settings.store
    first, second = (resolve_model(registry, name, pointer=f"/{side}") for side, name in (("a", a), ("b", b)))
    view = compare_vocabularies(registry, recent, store, first, second, text=text, script=script)
    if format == "csv":
        return as_file(difference_csv(view.both), "vocabularies.csv")
    return JSONResponse(serialize_difference(view))


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
