"""Counting as Anthropic’s, Gemini’s and OpenAI’s endpoints spell it: what is exact is answered, the rest refused.

Anthropic and Gemini do not publish their tokenizers. None of the three publishes what it adds around the messages
of a conversation, so that only a text alone can be counted.
"""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from app.errors import Invalid, UnknownTokenizer
from app.web.answer import JSONResponse
from app.web.api.dialects.asked import Lenient, cutter, example
from app.web.body import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["dialects"])

NO_ESTIMATE = "No estimate is made."
ONLY_TEXT = f"Only one plain text can be counted exactly, without roles, instructions or tools. {NO_ESTIMATE}"
NOTE = "The tokens of the text alone: what a server adds around it is not published, and not counted."


class Message(Lenient):
    """Anthropic’s request."""

    model_config = example(model="claude-sonnet-4-5", messages=[{"role": "user", "content": "Hello!"}])

    model: str
    messages: list[dict[str, Any]]
    system: str | list[dict[str, Any]] | None = None
    tools: list[dict[str, Any]] | None = None


class Part(BaseModel):
    """A part of Gemini’s content; of its kinds only text is known."""

    model_config = ConfigDict(strict=True, extra="allow")

    text: str | None = None


class GeminiContent(Lenient):
    """One of Gemini’s contents."""

    parts: list[Part]
    role: str | None = None


class Generate(BaseModel):
    """Gemini’s request to generate, of which only contents can be counted."""

    model_config = ConfigDict(strict=True, extra="allow")

    model: str | None = None
    contents: list[GeminiContent]


class Contents(Lenient):
    """Gemini’s request, in either of its forms."""

    model_config = example(contents=[{"parts": [{"text": "Hello, 🌍!"}]}])

    contents: list[GeminiContent] | None = None
    generateContentRequest: Generate | None = None


class Input(BaseModel):
    """OpenAI’s request; any further field may change the count, and is refused."""

    model_config = ConfigDict(
        strict=True, extra="allow", json_schema_extra={"example": {"model": "gpt-4o", "input": "Hello, 🌍!"}}
    )

    model: str = Field(description="A tokenizer’s id or a model’s name.")
    input: str | list[dict[str, Any]] = Field(description="A plain text; anything else is refused.")
    instructions: str | None = None
    tools: list[dict[str, Any]] | None = None


@router.post("/v1/messages/count_tokens", summary="Count as Anthropic does, or refuse to")
def anthropic(body: Message, request: Request) -> JSONResponse:
    """Always an error: Claude’s tokenizers are not published, and messages cannot be counted exactly without one."""
    tokenizer_of(body.model, request)
    raise Invalid(ONLY_TEXT, pointer="/messages")


@router.post("/v1beta/models/{model}:countTokens", summary="Count as Gemini does, or refuse to")
def gemini(model: str, body: Contents, request: Request) -> JSONResponse:
    """`totalTokens` of one plain text, for a model whose tokenizer is here: Gemini’s own are not published."""
    tokenizer = tokenizer_of(model, request)
    count = _count(_only_text(body), request, tokenizer=tokenizer, pointer="/contents")
    return JSONResponse({"totalTokens": count, "notes": [NOTE]})


@router.post("/v1/responses/input_tokens", summary="Count as OpenAI does, or refuse to")
def openai(body: Input, request: Request) -> JSONResponse:
    """`input_tokens` of one plain text. What OpenAI adds around it is not published, and not counted."""
    tokenizer = tokenizer_of(body.model, request)
    if not isinstance(body.input, str) or _has_more(body.model_extra, body.instructions, body.tools):
        raise Invalid(ONLY_TEXT, pointer="/input")
    count = _count(body.input, request, tokenizer=tokenizer, pointer="/input")
    return JSONResponse({"object": "response.input_tokens", "input_tokens": count, "notes": [NOTE]})


def tokenizer_of(model: str, request: Request) -> str:
    """The id of a model’s tokenizer. Raises `UnknownTokenizer`, and names no near one: a near one would be a guess."""
    from app.lab.models import resolved

    try:
        return resolved(request.app.state.registry, model)
    except UnknownTokenizer:
        detail = f"The tokenizer of this model is not here. {NO_ESTIMATE}"
        raise UnknownTokenizer(detail, pointer="/model") from None


def _count(text: str, request: Request, *, tokenizer: str, pointer: str) -> int:
    """The tokens of a text; special tokens spelled in it are text. Raises `TooLarge`, `LoneSurrogate`."""
    cut = cutter(request, [text], model=tokenizer, pointer=pointer, special="text")
    return len(cut(text, False).encoding)


def _only_text(body: Contents) -> str:
    """The text where there is nothing else. Raises `Invalid`."""
    generate = body.generateContentRequest
    contents = [*(body.contents or []), *(generate.contents if generate else [])]
    parts = [part for content in contents for part in content.parts]
    more = [generate.model_extra if generate else None, *(part.model_extra for part in parts)]
    if len(parts) != 1 or parts[0].text is None or any(map(_has_more, more)):
        raise Invalid(ONLY_TEXT, pointer="/contents")
    return parts[0].text


def _has_more(extra: Mapping[str, Any] | None, *values: Any) -> bool:
    """Whether any of the values, or of the fields that no one asked for, says something."""
    return any(value not in (None, []) for value in [*(extra or {}).values(), *values])
