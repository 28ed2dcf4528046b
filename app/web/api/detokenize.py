"""POST /detokenize: ids back to text, also in the dialects of other servers."""

from typing import Annotated, Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field

from ...lab.canonical import IdsOptions, examine_ids
from ...lab.detokenize import detokenize
from ...lab.models import resolve_model
from ...lab.option_schema import Items, with_values
from ...lab.vocabulary.search import RecentVocabularies
from ...serialize.columns import serialize_detokenization
from ...serialize.ids import serialize_ids
from ..body import JSONResponse
from ..picker import tokenizer_id
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services
from .dialects import detection
from .dialects.dialect import OneOf
from .dialects.vllm import VLLM

router = Router(tags=["tokens"])


class DetokenizeRequest(BaseModel):
    """A request to detokenize."""

    model_config = ConfigDict(
        strict=True, extra="forbid", json_schema_extra={"example": {"tokenizer": "o200k_base", "ids": [130321, 235]}}
    )

    tokenizer: str = Field(description="An id from /api/tokenizers, or the name of a model.")
    ids: Items[Annotated[int, Field(ge=0, lt=2**32)]] = Field(
        description="Special tokens appear in the text as they are spelled, also control tokens such as `<s>`, which "
        "SentencePiece's own decoder leaves out."
    )
    engine: str | None = Field(None, description="`reference` (the default), `scratch`, or an engine by name.")


def choose_model(value: Any) -> type[BaseModel]:
    """Return the model that validates a body, by its keys."""
    return detection.AnyDetokenizeRequest if detection.to_detokenize(value) else DetokenizeRequest


Body = Annotated[
    DetokenizeRequest | detection.AnyDetokenizeRequest,
    OneOf((DetokenizeRequest, detection.AnyDetokenizeRequest), choose_model),
]


@router.post("/detokenize", operation_id="detokenize", summary="Detokenize ids")
@RoutePolicy(run="inline", cors=True, dialects=(VLLM,), detect=detection.to_detokenize)
def post(body: Body, request: Request) -> JSONResponse:
    """The text, its bytes in hex, and whether the bytes are UTF-8, so that the text lost nothing. Bodies with `tokens`
    in place of `ids` are answered with the text as `prompt` and `content` too, special tokens included, for vLLM,
    SGLang and llama.cpp."""
    if isinstance(body, DetokenizeRequest):
        return detokenize_native(body, request)
    return detection.detokenize(body, request)


def detokenize_native(body: DetokenizeRequest, request: Request) -> JSONResponse:
    """Return the text of ids."""
    registry = get_services(request).registry
    id = resolve_model(registry, body.tokenizer, pointer="/tokenizer")
    return JSONResponse(serialize_detokenization(detokenize(registry, body.ids, tokenizer=id, engine=body.engine)))


@router.post("/api/ids", operation_id="examine_ids", summary="Compare ids with those of their text")
@RoutePolicy(cors=True)
def post_ids(body: IdsOptions, request: Request) -> JSONResponse:
    """Whether the tokenizer gives these ids for their text (`canonical`, null where the text is lost), where they first
    differ, and the ids that it gives. `segmentations` is the number of all lists of ids that spell the text, as digits;
    `fewest` is one with the fewest tokens, `sampled` one drawn evenly by `seed`. `log_probabilities` are those of these
    lists, and of all lists of the text together, by the scores of a Unigram vocabulary; null for another. `steps` are
    the first 500 ids as they are decoded one by one: the text that each adds, the bytes that are held back, and the
    characters that it takes back."""
    services = get_services(request)
    options = with_values(body, tokenizer=tokenizer_id(request, body.tokenizer))
    return JSONResponse(serialize_ids(examine_ids(services.registry, services.cache(RecentVocabularies), options)))
