"""Anthropic’s dialect: POST /v1/messages/count_tokens."""

from typing import Any

from fastapi import Request

from ....errors import Invalid
from ....lab.option_schema import Items
from ....serialize.problem import Problem
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from .chat_messages import from_anthropic, functions
from .common import LenientModel, example
from .counting import ONLY_TEXT, count_conversation, find_model_tokenizer, has_template, note_template
from .dialect import WORD, Dialect, DialectError, client_status, error_type, object_schema

router = Router(tags=["dialects"])


class AnthropicCountRequest(LenientModel):
    """A request of Anthropic’s API."""

    model_config = example(model="mistral-v3", messages=[{"role": "user", "content": "Hello!"}])

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
def anthropic(body: AnthropicCountRequest, request: Request) -> JSONResponse:
    """`input_tokens` of a conversation for a model with a chat template here; Anthropic publishes
    no tokenizer for Claude 3 and later."""
    tokenizer = find_model_tokenizer(body.model, request)
    if not has_template(tokenizer, request):
        raise Invalid(ONLY_TEXT, pointer="/messages")
    messages = from_anthropic(body.messages, body.system)
    tools = functions(body.tools or [], schema="input_schema", types=(None, "custom"))
    count = count_conversation(messages, tools, request, tokenizer=tokenizer)
    return JSONResponse({"input_tokens": count, "notes": [note_template(body.model, tokenizer, request)]})
