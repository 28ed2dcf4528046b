"""POST /api/compare: one text through several tokenizers, measured, and where they part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from app.lab.compare.sets import SETS, text_set
from app.types import SpecialPolicy
from app.web.answer import JSONResponse
from app.web.body import StrictRoute
from app.web.problems import Problem

if TYPE_CHECKING:
    from app.lab.compare.comparison import Comparison

router = APIRouter(route_class=StrictRoute, tags=["compare"])

Part = Literal["agreement", "places", "ids"]
Name = Annotated[str, Path(json_schema_extra={"enum": [one.id for one in SETS]})]
EXAMPLE: dict[str, JsonValue] = {
    "tokenizers": ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased"],
    "text": "1234567 + 7654321",
}


class CompareRequest(BaseModel):
    """What to compare and how."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    tokenizers: list[str] = Field(
        description="One to eight ids from /api/tokenizers.", json_schema_extra={"minItems": 1}
    )
    text: str = Field(description="The text that all of them cut.")
    baseline: str = Field("", description="The tokenizer that the others are measured against; else the first.")
    special: SpecialPolicy = Field("text", description="Special tokens spelled in the text: what to do.")
    spaces: bool = Field(False, description="White space at the edges of tokens counts, to find places.")
    include: Annotated[list[Part], Field(description="What to answer with beside the measures.")] = ["agreement"]


@router.post("/api/compare", summary="Compare tokenizers")
def post(body: CompareRequest, request: Request) -> JSONResponse:
    """Measures of every tokenizer, or why it has none; the boundary agreement of every pair; where they part."""
    from app.lab.compare.comparison import compare

    registry, limit = request.app.state.registry, request.app.state.settings.max_text
    options = body.model_dump(include={"tokenizers", "baseline", "special", "spaces"})
    return JSONResponse(answer(compare(registry, body.text, limit=limit, **options), body.include))


@router.get("/api/compare/sets", summary="List the sets of texts")
def sets(request: Request) -> JSONResponse:
    """The built-in sets, with the names of their texts."""
    store = request.app.state.settings.store
    found = [text_set(one.id, store=store) for one in SETS]
    return JSONResponse([{"id": one.id, "title": one.title, "texts": list(one.texts)} for one in found])


@router.get("/api/compare/sets/{id}", summary="One set of texts")
def one_set(id: Name, request: Request) -> JSONResponse:
    """The texts of a set by name."""
    return JSONResponse(dict(text_set(id, store=request.app.state.settings.store).texts))


def answer(comparison: Comparison, include: list[Part]) -> dict[str, Any]:
    """A comparison as plain data."""
    from app.lab.compare.comparison import Failure
    from app.lab.compare.table import measured

    columns: list[dict[str, Any]] = []
    for column in comparison.columns:
        if isinstance(column, Failure):
            columns.append({"tokenizer": column.id, "problem": Problem.of(column.error).members()})
            continue
        done = column.done
        found = {"tokenizer": column.id, "engine": done.tokenizer.engine, "notes": done.notes}
        columns.append(found | measured(comparison, column) | ({"ids": done.encoding.ids} if "ids" in include else {}))
    base = comparison.base
    told: dict[str, Any] = {"baseline": base.id if base else None, "spread": comparison.spread, "columns": columns}
    if "agreement" in include:
        names = [cut.id for cut in comparison.cuts]
        told["agreement"] = {"tokenizers": names, "matrix": comparison.agreement.tolist()}
    if "places" in include:
        places = comparison.differences
        told["places"] = {"byte_starts": places.starts, "byte_ends": places.ends}
    return told
