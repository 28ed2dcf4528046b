"""POST /api/trace: the steps of training a vocabulary, or of encoding a text with one, as data."""

from fastapi import Request
from pydantic import ConfigDict, Field, JsonValue

from ...lab.models import resolve_model
from ...lab.option_schema import with_values
from ...lab.steps.examples import TOYS
from ...lab.steps.options import StepsOptions
from ...lab.steps.runs import RunCache
from ...lab.steps.step import Branch
from ..body import JSONResponse
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["steps"])

EXAMPLE: dict[str, JsonValue] = {"branch": "encode", "tokenizer": "o200k_base", "text": "Hello, 🌍!"}


class TraceRequest(StepsOptions):
    """The algorithm to run, its options, and the text or the corpus."""

    model_config = ConfigDict(json_schema_extra={"example": EXAMPLE})

    branch: Branch = Field(description=StepsOptions.model_fields["branch"].description)


@router.post("/api/trace", operation_id="trace", summary="Follow an algorithm step by step")
@RoutePolicy(cors=True)
def post(body: TraceRequest, request: Request) -> JSONResponse:
    """Every step, in a form that can be replayed: the last state is the encoding, or the trained vocabulary."""
    registry = get_services(request).registry
    id = body.tokenizer
    if id not in TOYS:
        id = resolve_model(registry, id, pointer="/tokenizer")
    _, run = get_services(request).cache(RunCache).follow(registry, with_values(body, tokenizer=id))
    return JSONResponse(run.data())
