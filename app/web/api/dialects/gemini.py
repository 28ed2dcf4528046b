"""Gemini’s dialect: POST /v1beta/models/{model}:countTokens, also under /v1."""

from fastapi import Request
from pydantic import BaseModel, ConfigDict

from ....errors import Invalid
from ....lab.option_schema import Items
from ....serialize.problem import Problem
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from .chat_messages import Message, from_gemini
from .common import LenientModel, example
from .counting import (
    GEMINI_NOTE,
    NO_ESTIMATE,
    NOTE,
    count_conversation,
    count_text,
    find_model_tokenizer,
    has_more,
    has_template,
    note_template,
    only_text,
)
from .dialect import STATUS, WORD, Dialect, DialectError, client_status, error_type, object_schema

router = Router(tags=["dialects"])
ONLY_CONTENTS = f"Only texts can be counted exactly, and at least one. {NO_ESTIMATE}"


class GeminiPart(BaseModel):
    """A part of Gemini’s content, of which only text is supported."""

    model_config = ConfigDict(strict=True, extra="allow")

    text: str | None = None


class GeminiContent(LenientModel):
    """One of Gemini’s contents."""

    parts: Items[GeminiPart]
    role: str | None = None


class GeminiGenerateRequest(BaseModel):
    """Gemini’s request to generate, of which only `contents` can be counted."""

    model_config = ConfigDict(strict=True, extra="allow")

    model: str | None = None
    contents: Items[GeminiContent]


class GeminiCountRequest(LenientModel):
    """A request of Gemini’s API, in either of its forms."""

    model_config = example(contents=[{"parts": [{"text": "Hello, 🌍!"}]}])

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
def gemini(model: str, body: GeminiCountRequest, request: Request) -> JSONResponse:
    """`totalTokens` of a Gemini model are those of its texts, as Google’s SDK counts on the client: with the tokenizer
    of Gemma. Of another model they are those of the conversation where its tokenizer has a chat template here, else
    of one plain text."""
    tokenizer = find_model_tokenizer(model, request)
    messages = _messages(body)
    if model.removeprefix("models/").startswith("gemini-"):
        texts = [part["text"] for message in messages for part in message["content"]]
        count = sum(count_text(text, request, tokenizer=tokenizer, pointer="/contents") for text in texts)
        note = GEMINI_NOTE
    elif has_template(tokenizer, request):
        count = count_conversation(messages, [], request, tokenizer=tokenizer, pointer="/contents")
        note = note_template(model.removeprefix("models/"), tokenizer, request)
    else:
        count = count_text(only_text(messages), request, tokenizer=tokenizer, pointer="/contents")
        note = NOTE
    return JSONResponse({"totalTokens": count, "notes": [note]})


def _messages(body: GeminiCountRequest) -> list[Message]:
    """Return the conversation, in either form of the request. Raises `Invalid` if it contains more than texts."""
    generate = body.generateContentRequest
    contents = generate.contents if generate else body.contents
    messages = from_gemini([content.model_dump(exclude_none=True) for content in contents or []])
    if not messages or (generate and (body.contents or has_more(generate.model_extra))):
        raise Invalid(ONLY_CONTENTS, pointer="/contents")
    return messages
