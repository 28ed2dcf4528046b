"""POST /api/pipeline: a text after every stage of a tokenizer's pipeline, or of one with other components."""

from typing import Annotated, Any, Literal

from fastapi import Request
from pydantic import ConfigDict, Field, JsonValue

from ...lab.models import resolve_model
from ...lab.option_schema import Items, Options
from ...lab.pipeline.changes import Changes
from ...lab.pipeline.reasons import explain_changes
from ...lab.pipeline.run import PipelineInput, agrees, before, run
from ...lab.pipeline.sources import STAGES, PipelineCache
from ...scratch.compat.pipeline.batches import Padding, Truncation
from ...serialize.stages import serialize_run
from ..body import JSONResponse
from ..policy import RoutePolicy, always
from ..routing import Router
from ..services import get_services

router = Router(tags=["steps"])

EXAMPLE: dict[str, JsonValue] = {
    "tokenizer": "bert-base-uncased",
    "text": "Héllo, wörld!",
    "normalizer": {"type": "Lowercase"},
}
PART = "as in a tokenizer.json, in place of the tokenizer’s own; null leaves it out."
Component = dict[str, Any] | Items[dict[str, Any]] | None
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Side = Literal["left", "right"]


class TruncationOptions(Options):
    """Truncation, as in a tokenizer.json."""

    max_length: Count = Field(512, description="Tokens at most, special tokens included.")
    stride: Count = Field(0, description="Tokens of each part that the next repeats.")
    strategy: Literal["longest_first", "only_first", "only_second"] = "longest_first"
    direction: Side = Field("right", description="The side at which tokens are cut off.")


class PaddingOptions(Options):
    """Padding, as `tokenizers` names its options."""

    length: Annotated[int, Field(ge=0, le=10_000)] | None = Field(None, description="null: the longest of the batch.")
    direction: Side = "right"
    pad_to_multiple_of: Annotated[int, Field(ge=0, le=10_000)] | None = Field(
        None,
        description="As in `tokenizers`, also beyond the `max_length` of truncation. transformers refuses a "
        "`max_length` that is no multiple of it.",
    )
    pad_id: Count = 0
    pad_type_id: Count = 0
    pad_token: Annotated[str, Field(max_length=100)] = "[PAD]"


class PipelineRequest(Options):
    """A text, and the pipeline to send it through."""

    model_config = ConfigDict(json_schema_extra={"example": EXAMPLE})

    tokenizer: str = Field(description="An id from /api/tokenizers, or the name of a model.")
    text: str = Field(description="The text whose stages are shown.")
    pair: str | None = Field(None, description="A second text beside it.")
    batch: Items[str] = Field([], description="Further texts, which are only encoded.")
    special: Literal["parse", "text"] = Field("parse", description="Special tokens: recognize, or treat as text.")
    add_special_tokens: bool = Field(True, description="Let the post-processor add special tokens.")
    truncation: TruncationOptions | None = None
    padding: PaddingOptions | None = None
    normalizer: Component = Field(None, description=f"A normalizer, {PART}")
    pre_tokenizer: Component = Field(None, description=f"A pre-tokenizer, {PART}")
    post_processor: Component = Field(None, description=f"A post-processor, {PART}")
    decoder: Component = Field(None, description=f"A decoder, {PART}")
    model: dict[str, Any] = Field({}, description="Options of the model to change, such as `byte_fallback`.")


@router.post("/api/pipeline", operation_id="trace_pipeline", summary="Follow a text through a pipeline")
@RoutePolicy(cors=True, untrusted=always)
def post(body: PipelineRequest, request: Request) -> JSONResponse:
    """Each stage has its pieces in columns, with spans in code points of the text. `agrees` is true if the tokenizer's
    own engine gives the same ids; `before` has the encoding without the changes, and `changes` the tokens that differ
    from it, each with the first stage that differs."""
    registry = get_services(request).registry
    cache = get_services(request).cache(PipelineCache)
    changes = Changes({stage: getattr(body, stage) for stage in STAGES if stage in body.model_fields_set}, body.model)
    question = PipelineInput(
        tokenizer=resolve_model(registry, body.tokenizer, pointer="/tokenizer"),
        text=body.text,
        pair=body.pair,
        batch=tuple(body.batch),
        special=body.special == "parse",
        add_special_tokens=body.add_special_tokens,
        truncation=Truncation(**body.truncation.model_dump()) if body.truncation else None,
        padding=Padding(**body.padding.model_dump()) if body.padding else None,
        changes=changes,
    )
    result = run(registry, cache, question)
    old = before(registry, cache, question) if changes else None
    reasons = explain_changes(old, result) if old else []
    return JSONResponse(serialize_run(result, agrees=agrees(registry, result), before=old, changes=reasons))
