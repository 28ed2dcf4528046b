"""POST /api/compare: the tokens of one text in several tokenizers, measured, and where they differ."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Path, Request
from pydantic import ConfigDict, Field, JsonValue

from ...errors import Invalid
from ...lab.compare.comparison import check_comparison, compare, compare_column
from ...lab.compare.options import CompareOptions, ComparisonPart
from ...lab.compare.texts import SETS, text_set
from ...lab.option_schema import Items, Options
from ...registry import Registry
from ...serialize.comparison import column_alone, comparison_columns
from ...types import SpecialPolicy
from ..body import JSONResponse
from ..ndjson import describe_lines
from ..policy import RoutePolicy
from ..ready_lines import ReadyLines, compute_lines
from ..routing import Router
from ..services import get_services

router = Router(tags=["compare"])

Name = Annotated[str, Path(json_schema_extra={"enum": [one.id for one in SETS]})]
EXAMPLE: dict[str, JsonValue] = {
    "tokenizers": ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased"],
    "text": "1234567 + 7654321",
}
COLUMNS = """\
{"index":0,"tokenizer":"o200k_base","engine":"tiktoken","notes":[],"tokens":8,"characters":17,"bytes":17,"words":2,\
"distinct":8,"bytes_per_token":2.125,"fertility":4.0,"retention":0.0,"renyi":1.0,"utilisation":0.00004,\
"word_agreement":0.3333333333333333,"fidelity":1.0,"exact":true,"unknown":0.0,"byte_fallback":0.0}
"""
INCLUDE = (
    "Parts of the answer beside the measures: the boundary `agreement` of every pair, the `places` that differ, the "
    "`ids` of every tokenizer, and the `causes` of its extra tokens, which add up to its difference from the baseline."
)


class ComparedText(Options):
    """A text, and the tokenizers that are compared on it."""

    model_config = ConfigDict(json_schema_extra={"example": EXAMPLE})

    tokenizers: Items[str] = Field(
        description="One to eight ids from /api/tokenizers, or names of models.", json_schema_extra={"minItems": 1}
    )
    text: str = Field(description="The text that all of them tokenize.")


class CompareRequest(CompareOptions, ComparedText):
    """A request to compare."""

    include: Items[ComparisonPart] = Field(["agreement"], description=INCLUDE)


@router.post("/api/compare", operation_id="compare", summary="Compare tokenizers")
@RoutePolicy(cors=True)
def post(body: CompareRequest, request: Request) -> JSONResponse:
    """Measures of every tokenizer, or its error; where they differ, and why their counts do."""
    registry = get_services(request).registry
    options = body.model_dump(include={*CompareOptions.model_fields})
    limit = get_services(request).settings.max_text
    comparison = compare(registry, body.text, body.tokenizers, limit=limit, **options)
    if comparison.baseline not in ("", *(column.id for column in comparison.columns)):
        raise Invalid("baseline must be one of the tokenizers that are compared.", pointer="/baseline")
    return JSONResponse(comparison_columns(comparison, body.include))


class ColumnsRequest(ComparedText):
    """A request for columns, each as soon as it is ready."""

    special: SpecialPolicy = Field("text", description="Special tokens in the input.")
    include: Items[Literal["ids"]] = Field([], description="Parts of a column beside the measures.")


@router.post(
    "/api/compare/columns",
    operation_id="compare_columns",
    summary="Compare tokenizers, column by column",
    status_code=200,
    response_class=ReadyLines,
    responses=describe_lines("One line for each column.", COLUMNS),
)
@RoutePolicy(run="server")
def post_columns(body: ColumnsRequest, request: Request) -> ReadyLines:
    """What /api/compare answers for each tokenizer alone: a line of JSON for each, in the order in which they become
    ready, with its place in the request as `index`."""
    services = get_services(request)
    limit = services.settings.max_text
    ids = check_comparison(services.registry, body.text, body.tokenizers, limit=limit)
    return ReadyLines(compute_lines(request, _column, ids, body.text, body.special, tuple(body.include)))


def _column(registry: Registry, id: str, text: str, special: SpecialPolicy, include: Sequence[str]) -> dict[str, Any]:
    return column_alone(compare_column(registry, text, id, special=special), include)


@router.get("/api/compare/sets", operation_id="list_text_sets", summary="List the sets of texts")
def sets(request: Request) -> JSONResponse:
    """The built-in sets, with the names of their texts."""
    store = get_services(request).settings.store
    text_sets = [text_set(known.id, store=store) for known in SETS]
    return JSONResponse([{"id": known.id, "title": known.title, "texts": list(known.texts)} for known in text_sets])


@router.get("/api/compare/sets/{id}", operation_id="get_text_set", summary="One set of texts")
def one_set(id: Name, request: Request) -> JSONResponse:
    """The texts of a set by name."""
    return JSONResponse(dict(text_set(id, store=get_services(request).settings.store).texts))
