"""GET /api/compare/vocabularies: what two vocabularies share, as JSON, or every difference as CSV."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Request
from pydantic import JsonValue
from starlette.responses import Response

from ...lab.models import resolve_model
from ...lab.two_vocabularies.view import compare_vocabularies
from ...lab.vocabulary.search import RecentVocabularies
from ...serialize.two_vocabularies import difference_csv, serialize_difference
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
