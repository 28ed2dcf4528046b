"""POST /api/request: the parts of a request to a model in tokens, and its bill."""

from typing import Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ...lab.option_schema import Items
from ...lab.request.log_report import examine_calls
from ...lab.request.recognition import recognize
from ...serialize.request import serialize_examined
from ..body import JSONResponse, MeasuredRatio
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["chat"])
MAX_CALLS = 200
"""Requests of one call."""
EXAMPLE: dict[str, JsonValue] = {
    "request": {"model": "gpt-4o", "messages": [{"role": "user", "content": "Who wrote Faust?"}]}
}


class CountRequest(BaseModel):
    """A request to a model, or several, and the model that is to read them."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    request: dict[str, Any] | Items[dict[str, Any]] = Field(
        description="A body of Chat Completions, Responses, Anthropic’s Messages or Gemini’s generateContent, alone or "
        "in the record of a logger, with or without its answer; or a list of these."
    )
    model: str = Field("", max_length=200, description="A model in place of the one that the request names.")
    ratio: MeasuredRatio = None


@router.post("/api/request", operation_id="count_request", summary="Count the parts of a request")
@RoutePolicy(cors=True)
def post(body: CountRequest, request: Request) -> JSONResponse:
    """Each part (system prompt, tool, message, picture, what the format adds) has its tokens, `low` and `high`, and how
    they were counted: `exact` by the model’s own chat template or tokenizer, by the `template` of another model, by a
    `formula` with its source and the error to expect, as a `range`, or `unknown`. With a `usage`, `bill` compares. Of
    several requests, `cache` says how many ids of a prompt are those of the one before (`rendered`), or without a chat
    template here how much of the body at most, and what differs first; `groups` are sums by day and model. Of one,
    `diet` says what could be shorter, with the text before and after. Nothing is stored."""
    services = get_services(request)
    ratio = (min(body.ratio), max(body.ratio)) if body.ratio else None
    limit = services.settings.max_text
    calls = recognize(body.request)
    found = examine_calls(services.registry, calls, model=body.model, ratio=ratio, limit=limit, most=MAX_CALLS)
    return JSONResponse(serialize_examined(found))
