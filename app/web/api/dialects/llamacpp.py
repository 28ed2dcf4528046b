"""The dialect of llama.cpp’s server: POST /tokenize, POST /detokenize, POST /apply-template."""

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from pydantic import Field

from app.errors import UnknownId
from app.types import SpecialPolicy
from app.web.answer import JSONResponse
from app.web.api.dialects.asked import Id, Lenient, Model, Template, cutter, example, read, written
from app.web.body import StrictRoute

if TYPE_CHECKING:
    from app.types import VocabEntry

router = APIRouter(route_class=StrictRoute, tags=["dialects"])


class Content(Lenient):
    """What to cut: a text, or texts and ids in turn."""

    model_config = example(model="mistral-v1", content="Hello, 🌍!", with_pieces=True)

    model: Model = None
    content: str | list[str | Id] = Field([], description="A text, or texts and ids, whose tokens are joined.")
    add_special: Template = False
    parse_special: bool = Field(True, description="Special tokens spelled in the text are special.")
    with_pieces: bool = Field(False, description="Answer with each token’s piece: a string, or bytes.")


class LlamacppTokens(Lenient):
    """Ids to read back."""

    model_config = example(model="mistral-v1", tokens=[22557, 1526])

    model: Model = None
    tokens: list[Id] = Field([], description="Without any, the content is empty.")


class Conversed(Lenient):
    """A conversation to write out."""

    model_config = example(model="mistral-v3", messages=[{"role": "user", "content": "Hello!"}])

    model: Model = None
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None = None
    add_generation_prompt: bool = Field(True, description="Add what begins the answer.")
    chat_template_kwargs: dict[str, Any] | None = Field(None, description="Further variables for the template.")


@router.post("/compat/llamacpp/tokenize", summary="Tokenize as llama.cpp does")
def post_tokenize(body: Content, request: Request) -> JSONResponse:
    """`tokens`: ids, or with pieces `{id, piece}`; without `content` there are none."""
    return JSONResponse(tokenized(body, request))


@router.post("/compat/llamacpp/detokenize", summary="Read ids back as llama.cpp does")
def post_detokenize(body: LlamacppTokens, request: Request) -> JSONResponse:
    """`content`, with special tokens kept."""
    return JSONResponse({"content": read(request, body.tokens, model=body.model)[0].text})


@router.post("/compat/llamacpp/apply-template", summary="Write a conversation out as llama.cpp does")
@router.post("/apply-template", summary="Write a conversation out as llama.cpp does")
def post_apply_template(body: Conversed, request: Request) -> JSONResponse:
    """`prompt`, without the mark that begins a text where `add_special` adds it, so that it does not come twice."""
    return JSONResponse({"prompt": prompt(body, request)})


def prompt(body: Conversed, request: Request) -> str:
    """The conversation written out. Raises `Invalid`, `BadTemplate`, `OverLimit`."""
    from app.lab.chat.conversation import Conversation
    from app.lab.models import resolved

    registry = request.app.state.registry
    id, options = resolved(registry, body.model), body.chat_template_kwargs or {}
    conversation = Conversation(
        body.messages, body.tools, add_generation_prompt=body.add_generation_prompt, options=options
    )
    return written(request, id, conversation).text.removeprefix("".join(registry.info(id).prefix))


def tokenized(body: Content, request: Request) -> dict[str, Any]:
    """The tokens of all parts one after another."""
    entries = list(_entries(body, request))
    return {"tokens": [{"id": one.id, "piece": piece(one.raw)} if body.with_pieces else one.id for one in entries]}


def _entries(body: Content, request: Request) -> "list[VocabEntry]":
    """What each token is. The template goes around the first part, where that is a text."""
    parts = [body.content] if isinstance(body.content, str) else body.content
    texts = [part for part in parts if isinstance(part, str)]
    special: SpecialPolicy = "parse" if body.parse_special else "text"
    cut = cutter(request, texts, model=body.model, pointer="/content", special=special)
    tokenizer = cut("", False).tokenizer
    found: list[VocabEntry] = []
    for i, part in enumerate(parts):
        if isinstance(part, str):
            done = cut(part, body.add_special and i == 0)
            known = {id: done.entry(id) for id in set(done.encoding.ids.tolist())}
            found += [known[id] for id in done.encoding.ids.tolist()]
            continue
        try:
            found.append(tokenizer.entry(part))
        except UnknownId as error:
            error.pointer = f"/content/{i}"
            raise
    return found


def piece(raw: bytes) -> str | list[int]:
    r"""The text of a piece, or its bytes where they are no UTF-8.

    >>> piece(b" a"), piece(b"\xc3")
    (' a', [195])
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return list(raw)
