"""POST /api/tokenize and /api/count: a text, or a list of texts, as columns of tokens, or counted; and POST /tokenize,
which reads requests in other servers' dialects, too."""

from base64 import b64decode
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import Body, Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ...errors import Invalid, TooLarge
from ...lab.models import resolve_model
from ...lab.option_schema import Items
from ...lab.request.counting import count_prompt
from ...lab.request.recognition import ModelCall
from ...lab.token_ranges import as_range, resolve_counter
from ...lab.tokenize import check_batch, check_length, tokenize, tokenize_bytes
from ...serialize.columns import TokenColumn, columns
from ...serialize.request import serialize_prompt
from ...types import SpecialPolicy
from ..body import JSONResponse
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services
from .dialects import detection
from .dialects.dialect import OneOf

router = Router(tags=["tokens"])

EXAMPLE: dict[str, JsonValue] = {"tokenizer": "o200k_base", "text": "Hello, 🌍! 你好!"}

EXAMPLE_OF_BYTES: dict[str, JsonValue] = {"tokenizer": "cl100k_base", "bytes_base64": "IOyLpO0="}

EXAMPLE_OF_MESSAGES: dict[str, JsonValue] = {"tokenizer": "qwen3", "messages": [{"role": "user", "content": "Hello!"}]}

COLUMNS: Any = ("ids", "pieces", "offsets")
"""The default of `include`; pydantic would copy a list for each request."""


class TokenCountRequest(BaseModel):
    """A request to count tokens."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    tokenizer: str = Field(description="An id from /api/tokenizers, or the name of a model.")
    text: str | Items[str] = Field(description="One text, or a batch of texts: the answer is then a list.")
    engine: str | None = Field(None, description="`reference` (the default), `scratch`, or an engine by name.")
    special: SpecialPolicy = Field(
        "text", description="Special tokens in the input: treat as text, recognize (`parse`) or reject (`refuse`)."
    )
    template: bool = Field(False, description="Add special tokens around the text, such as [CLS] … [SEP].")


class PromptCountRequest(BaseModel):
    """A request to count the tokens of a prompt."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE_OF_MESSAGES})

    tokenizer: str = Field(description="An id from /api/tokenizers, or the name of a model.")
    messages: Items[dict[str, Any]] = Field(description="Messages as OpenAI’s chat API has them.")
    tools: Items[dict[str, Any]] | None = Field(None, description="Definitions of functions, in the same form.")


class TokenizeRequest(TokenCountRequest):
    """A request to tokenize."""

    include: Items[TokenColumn] = Field(COLUMNS, description="The columns beside the counts; `counts` for no column.")


class BytesRequest(BaseModel):
    """A request to tokenize bytes that need not be UTF-8."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE_OF_BYTES})

    tokenizer: str = Field(description="An id from /api/tokenizers, or the name of a model.")
    bytes_base64: str = Field(description="Bytes in Base64. If they are not UTF-8, the tokenizer must be byte-level.")
    engine: str | None = Field(None, description="`reference` (the default), `scratch`, or an engine by name.")
    include: Items[TokenColumn] = Field(
        COLUMNS, description="The columns beside the counts; `offsets` are in bytes only."
    )


def choose_model(value: Any) -> type[BaseModel]:
    """Return the model that validates a body, by its keys.

    >>> choose_model({"text": "a"}).__name__, choose_model({"prompt": "a"}).__name__
    ('TokenizeRequest', 'VllmCompletionRequest')
    """
    if (dialect := detection.to_tokenize(value)) is not None:
        return dialect.choose_model(value)
    return choose_native_model(value)


def choose_native_model(value: Any) -> type[BaseModel]:
    """Return the native model that validates a body, by its keys.

    >>> choose_native_model({"bytes_base64": "YQ=="}).__name__
    'BytesRequest'
    """
    return BytesRequest if isinstance(value, dict) and "bytes_base64" in value else TokenizeRequest


def choose_count_model(value: Any) -> type[BaseModel]:
    """Return the model that validates a body of /api/count, by its keys.

    >>> choose_count_model({"messages": []}).__name__
    'PromptCountRequest'
    """
    return PromptCountRequest if isinstance(value, dict) and "messages" in value else TokenCountRequest


AnyCountRequest = Annotated[Any, OneOf((TokenCountRequest, PromptCountRequest), choose_count_model), Body()]
NativeTokenizeRequest = Annotated[Any, OneOf((TokenizeRequest, BytesRequest), choose_native_model), Body()]
AnyTokenizeRequest = Annotated[
    Any, OneOf((TokenizeRequest, BytesRequest, *detection.DIALECT_OF_MODEL), choose_model), Body()
]


@router.post("/api/tokenize", summary="Tokenize text", operation_id="tokenize")
@RoutePolicy(run="inline", cors=True)
def post(body: NativeTokenizeRequest, request: Request) -> JSONResponse:
    """Columns with one entry a token: ids, pieces, spans in UTF-8 bytes and in code points."""
    if isinstance(body, BytesRequest):
        return tokenize_raw_bytes(body, request)
    return tokenize_texts(body, body.include, request)


@router.post("/api/count", summary="Count the tokens of text", operation_id="count")
@RoutePolicy(run="inline", cors=True)
def post_count(body: AnyCountRequest, request: Request) -> JSONResponse:
    """The number of tokens of a text, or of each text of a batch, and those of its characters and bytes; of `messages`
    that of the prompt, with `basis`: `exact`, the `template` of another model, a `formula`, a `range` or `unknown`.

    Of Claude, which has no public tokenizer, `count` is null, and `range` has its ends and their source. A server may
    add `reconstruction`, the count of a package that is not Anthropic's."""
    if isinstance(body, PromptCountRequest):
        services = get_services(request)
        call = ModelCall("chat", body.model_dump(include={"messages", "tools"}, exclude_none=True))
        limit = services.settings.max_text
        count = count_prompt(services.registry, call, model=body.tokenizer, limit=limit, pointer="/messages")
        return JSONResponse(serialize_prompt(count))
    return tokenize_texts(body, ["counts"], request)


@router.post("/tokenize", summary="Tokenize text, in any dialect", operation_id="tokenize_in_any_dialect")
@RoutePolicy(run="inline", cors=True, dialects=detection.DIALECTS, detect=detection.to_tokenize)
def post_any(body: AnyTokenizeRequest, request: Request) -> JSONResponse:
    """As /api/tokenize; but bodies with `prompt`, `messages`, `inputs` or `content` in place of `text` are answered as
    vLLM, SGLang, text-embeddings-inference and llama.cpp answer them."""
    if isinstance(body, TokenizeRequest | BytesRequest):
        return post(body, request)
    return detection.tokenize(body, request)


def tokenize_texts(body: TokenCountRequest, include: Sequence[TokenColumn], request: Request) -> JSONResponse:
    """Return the columns of a text, or those of each text of a batch."""
    registry = get_services(request).registry
    settings = get_services(request).settings
    resolve = partial(resolve_model, pointer="/tokenizer")
    if {*include} <= {"counts"}:
        id, one = resolve_counter(registry, body.tokenizer, resolve)
    else:  # a range has no tokens to show
        id, one = resolve(registry, body.tokenizer), None
    texts = [body.text] if isinstance(body.text, str) else body.text
    check_batch(texts, limit=settings.max_batch)
    check_length(texts, limit=settings.max_text)
    encode = partial(tokenize, registry, tokenizer=id, engine=body.engine, special=body.special)
    answers = [columns(encode(text, add_special_tokens=body.template), include) for text in texts]
    if one:
        answers = [as_range(registry, answer, one, text) for answer, text in zip(answers, texts, strict=True)]
    return JSONResponse(answers[0] if isinstance(body.text, str) else answers)


def tokenize_raw_bytes(body: BytesRequest, request: Request) -> JSONResponse:
    """Return the columns of bytes, without those that count characters."""
    registry = get_services(request).registry
    settings = get_services(request).settings
    id = resolve_model(registry, body.tokenizer, pointer="/tokenizer")
    try:
        data = b64decode(body.bytes_base64, validate=True)
    except ValueError as error:
        raise Invalid(f"bytes_base64 is not Base64: {error}.", pointer="/bytes_base64") from None
    if len(data) > settings.max_text:
        raise TooLarge(f"{len(data):,} bytes; the limit is {settings.max_text:,}.", limit=settings.max_text)
    answer = columns(tokenize_bytes(registry, data, tokenizer=id, engine=body.engine), body.include)
    without = {name: value for name, value in answer.items() if name not in ("characters", "char_starts", "char_ends")}
    return JSONResponse({**without, "bytes": len(data)})
