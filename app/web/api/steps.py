"""POST /api/trace: the steps of training a vocabulary, or of encoding a text with one, as data."""

from dataclasses import replace

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ...lab.models import resolve_model
from ...lab.steps.examples import TOYS
from ...lab.steps.options import StepsOptions
from ...lab.steps.runs import RunCache
from ..body import JSONResponse
from ..option_models import get_options, with_options
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["steps"])

EXAMPLE: dict[str, JsonValue] = {"branch": "encode", "tokenizer": "o200k_base", "text": "Hello, 🌍!"}


@with_options(StepsOptions, required=("branch",))
class TraceRequest(BaseModel):
    """The algorithm to run, its options, and the text or the corpus."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    text: str = Field(description="The text to encode, or the corpus to train on.")


@router.post("/api/trace", operation_id="trace", summary="Follow an algorithm step by step")
@RoutePolicy(cors=True)
def post(body: TraceRequest, request: Request) -> JSONResponse:
    """Every step, in a form that can be replayed: the last state is the encoding, or the trained vocabulary."""
    registry = get_services(request).registry
    options = get_options(body, StepsOptions, text=body.text)
    if options.tokenizer not in TOYS:
        options = replace(options, tokenizer=resolve_model(registry, options.tokenizer, pointer="/tokenizer"))
    _, run = get_services(request).cache(RunCache).follow(registry, options)
    return JSONResponse(run.data())
