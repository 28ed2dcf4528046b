"""Anthropic’s dialect: POST /v1/messages/count_tokens."""

from typing import Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict

from ....lab.option_schema import Items
from ....serialize.problem import Problem
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from .counting import Estimate, answer_count
from .dialect import WORD, Dialect, DialectError, client_status, error_type, object_schema

router = Router(tags=["dialects"])


EXAMPLE: dict[str, Any] = {"model": "mistral-v3", "messages": [{"role": "user", "content": "Hello!"}]}


class AnthropicCountRequest(BaseModel):
    """A request of Anthropic’s API."""

    model_config = ConfigDict(strict=True, extra="allow", json_schema_extra={"example": EXAMPLE})

    model: str
    messages: Items[dict[str, Any]]
    system: str | Items[dict[str, Any]] | None = None
    tools: Items[dict[str, Any]] | None = None


def format_error(problem: Problem) -> DialectError:
    """Return the status and the error of Anthropic’s API for a problem."""
    status = client_status(problem)
    types = {403: "permission_error", 404: "not_found_error", 413: "request_too_large", 503: "overloaded_error"}
    type = error_type(status, types, client="invalid_request_error", server="api_error")
    return status, {"type": "error", "error": {"type": type, "message": problem.detail}}


ANTHROPIC = Dialect(
    "anthropic", format_error, object_schema(type={"const": "error"}, error=object_schema(type=WORD, message=WORD))
)


@router.post("/v1/messages/count_tokens", summary="Count as Anthropic does, or refuse to")
@RoutePolicy(run="inline", cors=True, dialect=ANTHROPIC)
def anthropic(body: AnthropicCountRequest, request: Request, estimate: Estimate = False) -> JSONResponse:
    """`input_tokens` of a conversation, and `basis`: `exact` as this model’s chat template writes it, the `template` of
    another model, or a `formula` with its source in `notes`. Anthropic publishes no tokenizer for Claude 3 and later:
    of these and of all else that is a range, `?estimate=1` answers with the middle, and `estimate` has both ends, which
    are lower bounds unless it is `complete`."""
    count = answer_count(request, "anthropic", body.model_dump(exclude_none=True), model=body.model, estimate=estimate)
    return JSONResponse({"input_tokens": count.tokens, **count.about}, headers=count.headers)
