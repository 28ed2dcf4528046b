"""OpenAI’s dialect: POST /v1/responses/input_tokens."""

from typing import Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field

from ....errors import Invalid
from ....lab.option_schema import Items
from ....serialize.problem import Problem
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from .chat_messages import from_responses, functions
from .counting import (
    NOTE,
    ONLY_TEXT,
    ONLY_TURNS,
    count_conversation,
    count_text,
    find_model_tokenizer,
    has_more,
    has_template,
    note_template,
)
from .dialect import OR_NULL, WORD, Dialect, DialectError, client_status, error_type, object_schema, parameter

router = Router(tags=["dialects"])


class OpenAICountRequest(BaseModel):
    """A request of OpenAI’s API. A further field may change the count, and is refused."""

    model_config = ConfigDict(
        strict=True, extra="allow", json_schema_extra={"example": {"model": "gpt-4o", "input": "Hello, 🌍!"}}
    )

    model: str = Field(description="A tokenizer’s id or a model’s name.")
    input: str | Items[dict[str, Any]] = Field(description="A plain text, or a conversation where there is a template.")
    instructions: str | None = None
    tools: Items[dict[str, Any]] | None = None


def format_error(problem: Problem) -> DialectError:
    """Return the status and the error of OpenAI’s API for a problem."""
    status = client_status(problem)
    type = error_type(status, {}, client="invalid_request_error", server="server_error")
    code = "model_not_found" if problem.code == "unknown-tokenizer" else None
    error = {"message": problem.detail, "type": type, "param": parameter(problem), "code": code}
    return status, {"error": error}


OPENAI = Dialect(
    "openai", format_error, object_schema(error=object_schema(message=WORD, type=WORD, param=OR_NULL, code=OR_NULL))
)


@router.post("/v1/responses/input_tokens", summary="Count as OpenAI does, or refuse to")
@RoutePolicy(run="inline", cors=True, dialect=OPENAI)
def openai(body: OpenAICountRequest, request: Request) -> JSONResponse:
    """`input_tokens` of a conversation where the tokenizer has a chat template here, as gpt-oss has; else of one plain
    text, without what OpenAI adds around it, which is not published."""
    tokenizer = find_model_tokenizer(body.model, request)
    if has_template(tokenizer, request):
        if has_more(body.model_extra):
            raise Invalid(ONLY_TURNS, pointer="/input")
        messages = from_responses(body.input, body.instructions)
        tools = functions(body.tools or [], schema="parameters", types=("function",))
        count = count_conversation(messages, tools, request, tokenizer=tokenizer, pointer="/input")
        note = note_template(body.model, tokenizer, request)
    elif not isinstance(body.input, str) or has_more(body.model_extra, body.instructions, body.tools):
        raise Invalid(ONLY_TEXT, pointer="/input")
    else:
        count = count_text(body.input, request, tokenizer=tokenizer, pointer="/input")
        note = NOTE
    return JSONResponse({"object": "response.input_tokens", "input_tokens": count, "notes": [note]})
