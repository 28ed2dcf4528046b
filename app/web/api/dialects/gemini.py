"""Gemini’s dialect: POST /v1beta/models/{model}:countTokens, also under /v1."""

from typing import Any, Literal

from fastapi import Request
from pydantic import BaseModel, ConfigDict

from ....errors import Invalid
from ....lab.option_schema import Items
from ....serialize.problem import Problem
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from .common import LenientModel
from .counting import NO_ESTIMATE, Estimate, answer_count
from .dialect import STATUS, WORD, Dialect, DialectError, client_status, error_type, object_schema

router = Router(tags=["dialects"])
ONLY_CONTENTS = f"Send contents with at least one text, in one of the two forms. {NO_ESTIMATE}"


class GeminiPart(BaseModel):
    """A part of Gemini’s content."""

    model_config = ConfigDict(strict=True, extra="allow")

    text: str | None = None


class GeminiContent(LenientModel):
    """One of Gemini’s contents."""

    parts: Items[GeminiPart]
    role: Literal["user", "model", "function"] | None = None


class GeminiGenerateRequest(BaseModel):
    """Gemini’s request to generate."""

    model_config = ConfigDict(strict=True, extra="allow")

    model: str | None = None
    contents: Items[GeminiContent]


EXAMPLE: dict[str, Any] = {"contents": [{"parts": [{"text": "Hello, 🌍!"}]}]}


class GeminiCountRequest(BaseModel):
    """A request of Gemini’s API, in either of its forms; an instruction and tools beside `contents` count."""

    model_config = ConfigDict(strict=True, extra="allow", json_schema_extra={"example": EXAMPLE})

    contents: Items[GeminiContent] | None = None
    generateContentRequest: GeminiGenerateRequest | None = None


def format_error(problem: Problem) -> DialectError:
    """Return the status and the error of Gemini’s API for a problem."""
    status = client_status(problem)
    types = {403: "PERMISSION_DENIED", 404: "NOT_FOUND", 503: "UNAVAILABLE"}
    type = error_type(status, types, client="INVALID_ARGUMENT", server="INTERNAL")
    return status, {"error": {"code": status, "message": problem.detail, "status": type}}


GEMINI = Dialect("gemini", format_error, object_schema(error=object_schema(code=STATUS, message=WORD, status=WORD)))


@router.post("/v1/models/{model}:countTokens", summary="Count as Gemini does, or refuse to")
@router.post("/v1beta/models/{model}:countTokens", summary="Count as Gemini does, or refuse to")
@RoutePolicy(run="inline", cors=True, dialect=GEMINI)
def gemini(model: str, body: GeminiCountRequest, request: Request, estimate: Estimate = False) -> JSONResponse:
    """`totalTokens` of a Gemini model are those of its texts, as Google’s SDK counts on the client: with the tokenizer
    of Gemma. Of another model they are those of its prompt. `basis` says how they are known, and so does the header
    X-Token-Count, which Google’s SDK keeps: `exact`, the `template` of another model, a `formula`. Of a range,
    `?estimate=1` answers with the middle, and `estimate` has both ends, which are lower bounds unless it is
    `complete`."""
    name = model.removeprefix("models/")
    count = answer_count(request, "gemini", _read(body), model=name, estimate=estimate, pointer="/contents")
    return JSONResponse({"totalTokens": count.tokens, **count.about}, headers=count.headers)


def _read(body: GeminiCountRequest) -> dict[str, Any]:
    """Return the request in either of its forms. Raises `Invalid` for both at once, and for one without a part."""
    generate = body.generateContentRequest
    contents = (generate.contents if generate else body.contents) or []
    if not any(content.parts for content in contents) or (generate and body.contents):
        raise Invalid(ONLY_CONTENTS, pointer="/contents")
    return (generate or body).model_dump(exclude_none=True)
