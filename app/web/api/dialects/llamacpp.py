"""The dialect of llama.cpp’s server: POST /tokenize, POST /detokenize, POST /apply-template."""

from typing import Any

from fastapi import Request
from pydantic import Field

from ....errors import UnknownId
from ....lab.chat.conversation import Conversation
from ....lab.option_schema import Items
from ....serialize.problem import Problem
from ....types import SpecialPolicy, VocabEntry
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from ...services import get_services
from .common import (
    Id,
    LenientModel,
    Model,
    Template,
    detokenize_lists,
    example,
    get_requested_model,
    get_requested_tokenizer,
    render_chat,
    tokenizer_for,
)
from .dialect import STATUS, WORD, Dialect, DialectBody, DialectError, client_status, error_type, object_schema

router = Router(tags=["dialects"])


class LlamacppTokenizeRequest(LenientModel):
    """A request to tokenize: a text, or a list of texts and ids."""

    model_config = example(model="mistral-v1", content="Hello, 🌍!", with_pieces=True)

    model: Model = None
    content: str | Items[str | Id] = Field([], description="A text, or texts and ids, whose tokens are joined.")
    add_special: Template = False
    parse_special: bool = Field(True, description="Recognize special tokens in the input, or treat them as text.")
    with_pieces: bool = Field(False, description="Return the piece of each token: a string, or bytes.")


class LlamacppDetokenizeRequest(LenientModel):
    """A request to detokenize."""

    model_config = example(model="mistral-v1", tokens=[22557, 1526])

    model: Model = None
    tokens: Items[Id] = Field([], description="Without any, the content is empty.")


class LlamacppTemplateRequest(LenientModel):
    """A conversation to render."""

    model_config = example(model="mistral-v3", messages=[{"role": "user", "content": "Hello!"}])

    model: Model = None
    messages: Items[dict[str, Any]]
    tools: Items[dict[str, Any]] | None = None
    add_generation_prompt: bool = Field(True, description="Add what begins the answer.")
    chat_template_kwargs: dict[str, Any] | None = Field(None, description="Further variables for the template.")


def prompt(body: LlamacppTemplateRequest, request: Request) -> str:
    """Return the rendered conversation. Raises `Invalid`, `BadTemplate`, `OverLimit`."""
    registry = get_services(request).registry
    id = get_requested_tokenizer(request, body.model)
    options = body.chat_template_kwargs or {}
    conversation = Conversation(
        body.messages,
        body.tools,
        add_generation_prompt=body.add_generation_prompt,
        model=get_requested_model(request, body.model),
        options=options,
    )
    return render_chat(request, id, conversation).text.removeprefix("".join(registry.info(id).prefix))


def tokenize_llamacpp(body: LlamacppTokenizeRequest, request: Request) -> dict[str, Any]:
    """Return the tokens of all parts, joined."""
    entries = list(_entries(body, request))
    return {
        "tokens": [{"id": entry.id, "piece": piece(entry.raw)} if body.with_pieces else entry.id for entry in entries]
    }


def _entries(body: LlamacppTokenizeRequest, request: Request) -> "list[VocabEntry]":
    """Return the vocabulary entry of each token. Special tokens are added around the first part, if it is a text."""
    parts = [body.content] if isinstance(body.content, str) else body.content
    texts = [part for part in parts if isinstance(part, str)]
    special: SpecialPolicy = "parse" if body.parse_special else "text"
    tokenize = tokenizer_for(request, texts, model=body.model, pointer="/content", special=special)
    tokenizer = tokenize("", False).tokenizer
    entries: list[VocabEntry] = []
    for i, part in enumerate(parts):
        if isinstance(part, str):
            tokenization = tokenize(part, body.add_special and i == 0)
            ids = tokenization.encoding.ids.tolist()
            by_id = {id: tokenization.entry(id) for id in set(ids)}
            entries += [by_id[id] for id in ids]
            continue
        try:
            entries.append(tokenizer.entry(part))
        except UnknownId as error:
            error.pointer = f"/content/{i}"
            raise
    return entries


def piece(raw: bytes) -> str | list[int]:
    r"""Return the text of a piece, or its bytes if they are not UTF-8.

    >>> piece(b" a"), piece(b"\xc3")
    (' a', [195])
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return list(raw)


def format_error(problem: Problem) -> DialectError:
    """Return the status and the error of llama.cpp’s server for a problem."""
    status = client_status(problem)
    types = {403: "permission_error", 404: "not_found_error", 501: "not_supported_error", 503: "unavailable_error"}
    type = error_type(status, types, client="invalid_request_error", server="server_error")
    return status, {"error": {"code": status, "message": problem.detail, "type": type}}


LLAMACPP = Dialect(
    "llamacpp",
    format_error,
    object_schema(error=object_schema(code=STATUS, message=WORD, type=WORD)),
    bodies=(DialectBody(LlamacppTokenizeRequest, recognize=lambda sent: "content" in sent, answer=tokenize_llamacpp),),
)
POLICY = RoutePolicy(run="inline", cors=True, dialect=LLAMACPP)


@router.post("/compat/llamacpp/tokenize", summary="Tokenize as llama.cpp does")
@POLICY
def post_tokenize(body: LlamacppTokenizeRequest, request: Request) -> JSONResponse:
    """`tokens`: ids, or with pieces `{id, piece}`; without `content` there are none."""
    return JSONResponse(tokenize_llamacpp(body, request))


@router.post("/compat/llamacpp/detokenize", summary="Detokenize as llama.cpp does")
@POLICY
def post_detokenize(body: LlamacppDetokenizeRequest, request: Request) -> JSONResponse:
    """`content`, with special tokens kept."""
    return JSONResponse({"content": detokenize_lists(request, body.tokens, model=body.model)[0].text})


@router.post("/compat/llamacpp/apply-template", summary="Render a conversation as llama.cpp does")
@router.post("/apply-template", summary="Render a conversation as llama.cpp does")
@POLICY
def post_apply_template(body: LlamacppTemplateRequest, request: Request) -> JSONResponse:
    """`prompt`, without the BOS token that `add_special` adds, so that it is not there twice."""
    return JSONResponse({"prompt": prompt(body, request)})
