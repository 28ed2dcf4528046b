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
from .counting import ONLY_TURNS, Estimate, answer_count
from .dialect import OR_NULL, WORD, Dialect, DialectError, client_status, error_type, object_schema, parameter

router = Router(tags=["dialects"])
COUNTED = ("text", "tool_choice", "reasoning")
"""Further fields whose tokens are counted."""


class OpenAICountRequest(BaseModel):
    """A request of OpenAI’s API. A further field may change the count, and is refused."""

    model_config = ConfigDict(
        strict=True, extra="allow", json_schema_extra={"example": {"model": "gpt-4o", "input": "Hello, 🌍!"}}
    )

    model: str = Field(description="A tokenizer’s id or a model’s name.")
    input: str | Items[dict[str, Any]] = Field(description="A text, or a conversation.")
    instructions: str | None = None
    tools: Items[dict[str, Any]] | None = None

    @property
    def further(self) -> dict[str, Any]:
        """The fields that are not listed here."""
        return self.model_extra or {}


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
def openai(body: OpenAICountRequest, request: Request, estimate: Estimate = False) -> JSONResponse:
    """`input_tokens` of a prompt, and `basis`: `exact` as this model’s chat template writes it, the `template` of
    another model, or a `formula` with its source in `notes`. Of a range, such as for models whose format OpenAI has not
    published, `?estimate=1` answers with the middle, and `estimate` has both ends, which are lower bounds unless it is
    `complete`."""
    if not estimate and any(value not in (None, []) and key not in COUNTED for key, value in body.further.items()):
        raise Invalid(ONLY_TURNS, pointer="/input")
    fields = body.model_dump(exclude_none=True)
    count = answer_count(request, "responses", fields, model=body.model, estimate=estimate, pointer="/input")
    answer = {"object": "response.input_tokens", "input_tokens": count.tokens, **count.about}
    return JSONResponse(answer, headers=count.headers)
