"""The endpoints of Anthropic, Gemini and OpenAI that count tokens. A count that would not be exact is refused.

Anthropic and Gemini do not publish their tokenizers, and OpenAI publishes a chat template only for gpt-oss. A
conversation is counted if the tokenizer has a chat template; without one, only a text alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from ....errors import Invalid, UnknownTokenizer
from ...body import JSONResponse, StrictRoute
from ...policy import RoutePolicy
from ...services import get_services
from . import chat_messages
from .common import LenientModel, example, get_requested_tokenizer, render_chat, tokenizer_for

router = APIRouter(route_class=StrictRoute, tags=["dialects"])

NO_ESTIMATE = "No estimate is made."
ONLY_TEXT = (
    "For this model only one plain text can be counted exactly, without roles, instructions or tools, since its "
    f"tokenizer has no chat template here. {NO_ESTIMATE}"
)
ONLY_TURNS = f"Only texts, the client’s own functions, their calls and results can be counted exactly. {NO_ESTIMATE}"
ONLY_CONTENTS = f"Only texts can be counted exactly, and at least one. {NO_ESTIMATE}"
NOTE = "The tokens of the text alone: what a server adds around it is not published, and not counted."
CHAT_NOTE = "The whole prompt as the chat template writes it, with what begins the answer."


class AnthropicCountRequest(LenientModel):
    """A request of Anthropic’s API."""

    model_config = example(model="mistral-v3", messages=[{"role": "user", "content": "Hello!"}])

    model: str
    messages: list[dict[str, Any]]
    system: str | list[dict[str, Any]] | None = None
    tools: list[dict[str, Any]] | None = None


class GeminiPart(BaseModel):
    """A part of Gemini’s content, of which only text is supported."""

    model_config = ConfigDict(strict=True, extra="allow")

    text: str | None = None


class GeminiContent(LenientModel):
    """One of Gemini’s contents."""

    parts: list[GeminiPart]
    role: str | None = None


class GeminiGenerateRequest(BaseModel):
    """Gemini’s request to generate, of which only `contents` can be counted."""

    model_config = ConfigDict(strict=True, extra="allow")

    model: str | None = None
    contents: list[GeminiContent]


class GeminiCountRequest(LenientModel):
    """A request of Gemini’s API, in either of its forms."""

    model_config = example(contents=[{"parts": [{"text": "Hello, 🌍!"}]}])

    contents: list[GeminiContent] | None = None
    generateContentRequest: GeminiGenerateRequest | None = None


class OpenAICountRequest(BaseModel):
    """A request of OpenAI’s API. A further field may change the count, and is refused."""

    model_config = ConfigDict(
        strict=True, extra="allow", json_schema_extra={"example": {"model": "gpt-4o", "input": "Hello, 🌍!"}}
    )

    model: str = Field(description="A tokenizer’s id or a model’s name.")
    input: str | list[dict[str, Any]] = Field(description="A plain text, or a conversation where there is a template.")
    instructions: str | None = None
    tools: list[dict[str, Any]] | None = None


@router.post("/v1/messages/count_tokens", summary="Count as Anthropic does, or refuse to")
@RoutePolicy(run="inline", cors=True, dialect="anthropic")
def anthropic(body: AnthropicCountRequest, request: Request) -> JSONResponse:
    """`input_tokens` of a conversation for a model with a chat template here; Claude’s tokenizers are not published."""
    tokenizer = find_model_tokenizer(body.model, request)
    if not _has_template(tokenizer, request):
        raise Invalid(ONLY_TEXT, pointer="/messages")
    messages = chat_messages.from_anthropic(body.messages, body.system)
    tools = chat_messages.functions(body.tools or [], schema="input_schema", types=(None, "custom"))
    count = _conversation(messages, tools, request, tokenizer=tokenizer)
    return JSONResponse({"input_tokens": count, "notes": [CHAT_NOTE]})


@router.post("/v1/models/{model}:countTokens", summary="Count as Gemini does, or refuse to")
@router.post("/v1beta/models/{model}:countTokens", summary="Count as Gemini does, or refuse to")
@RoutePolicy(run="inline", cors=True, dialect="gemini")
def gemini(model: str, body: GeminiCountRequest, request: Request) -> JSONResponse:
    """`totalTokens` of a conversation where the tokenizer has a chat template here, else of one plain text. Gemini’s
    own tokenizers are not published."""
    tokenizer = find_model_tokenizer(model, request)
    messages = _messages(body)
    if _has_template(tokenizer, request):
        count = _conversation(messages, [], request, tokenizer=tokenizer, pointer="/contents")
        note = CHAT_NOTE
    else:
        count = _count(_only_text(messages), request, tokenizer=tokenizer, pointer="/contents")
        note = NOTE
    return JSONResponse({"totalTokens": count, "notes": [note]})


@router.post("/v1/responses/input_tokens", summary="Count as OpenAI does, or refuse to")
@RoutePolicy(run="inline", cors=True, dialect="openai")
def openai(body: OpenAICountRequest, request: Request) -> JSONResponse:
    """`input_tokens` of a conversation where the tokenizer has a chat template here, as gpt-oss has; else of one plain
    text, without what OpenAI adds around it, which is not published."""
    tokenizer = find_model_tokenizer(body.model, request)
    if _has_template(tokenizer, request):
        if _has_more(body.model_extra):
            raise Invalid(ONLY_TURNS, pointer="/input")
        messages = chat_messages.from_responses(body.input, body.instructions)
        tools = chat_messages.functions(body.tools or [], schema="parameters", types=("function",))
        count = _conversation(messages, tools, request, tokenizer=tokenizer, pointer="/input")
        note = CHAT_NOTE
    elif not isinstance(body.input, str) or _has_more(body.model_extra, body.instructions, body.tools):
        raise Invalid(ONLY_TEXT, pointer="/input")
    else:
        count = _count(body.input, request, tokenizer=tokenizer, pointer="/input")
        note = NOTE
    return JSONResponse({"object": "response.input_tokens", "input_tokens": count, "notes": [note]})


def find_model_tokenizer(model: str, request: Request) -> str:
    """Return the id of a model’s tokenizer. Raises `UnknownTokenizer` without similar names: they would be guesses."""
    try:
        return get_requested_tokenizer(request, model)
    except UnknownTokenizer:
        detail = f"The tokenizer of this model is not here. {NO_ESTIMATE}"
        raise UnknownTokenizer(detail, pointer="/model") from None


def _has_template(tokenizer: str, request: Request) -> bool:
    return get_services(request).registry.chat_template(tokenizer) is not None


def _conversation(
    messages: Sequence[chat_messages.Message] | None,
    tools: Sequence[chat_messages.Message] | None,
    request: Request,
    *,
    tokenizer: str,
    pointer: str = "/messages",
) -> int:
    """Return the number of tokens of a conversation; special tokens in its messages are read as plain text.

    Raises `Invalid` if it contains something else than text, `BadTemplate`, `TooLarge`.
    """
    from ....lab.chat.conversation import Conversation
    from ....lab.chat.tokens import tokenize_chat

    if messages is None or tools is None:
        raise Invalid(ONLY_TURNS, pointer=pointer)
    registry = get_services(request).registry
    limit = get_services(request).settings.max_text
    rendering = render_chat(request, tokenizer, Conversation(messages, tools), attributed=True)
    return len(tokenize_chat(registry, tokenizer, rendering, limit=limit).tokenization.encoding)


def _count(text: str, request: Request, *, tokenizer: str, pointer: str) -> int:
    """Return the number of tokens of a text; special tokens in it are read as plain text.

    Raises `TooLarge`, `LoneSurrogate`.
    """
    tokenize = tokenizer_for(request, [text], model=tokenizer, pointer=pointer, special="text")
    return len(tokenize(text, False).encoding)


def _messages(body: GeminiCountRequest) -> list[chat_messages.Message]:
    """Return the conversation, in either form of the request. Raises `Invalid` if it contains more than texts."""
    generate = body.generateContentRequest
    contents = generate.contents if generate else body.contents
    messages = chat_messages.from_gemini([content.model_dump(exclude_none=True) for content in contents or []])
    if not messages or (generate and (body.contents or _has_more(generate.model_extra))):
        raise Invalid(ONLY_CONTENTS, pointer="/contents")
    return messages


def _only_text(messages: Sequence[chat_messages.Message]) -> str:
    """Return the only text of a conversation. Raises `Invalid`."""
    match messages:
        case [{"content": [{"text": str(text)}]}]:
            return text
        case _:
            raise Invalid(ONLY_TEXT, pointer="/contents")


def _has_more(extra: Mapping[str, Any] | None, *values: Any) -> bool:
    """True if one of the values or of the extra fields is neither null nor an empty list."""
    return any(value not in (None, []) for value in [*(extra or {}).values(), *values])
