"""The dialect of Hugging Face’s text-embeddings-inference: POST /tokenize, POST /decode."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from pydantic import Field

from app.errors import EmptyBatch, Invalid
from app.web.answer import JSONResponse
from app.web.api.dialects.asked import IdLists, Lenient, Model, Template, cutter, example, is_batch, read
from app.web.body import StrictRoute

if TYPE_CHECKING:
    from app.types import Token

router = APIRouter(route_class=StrictRoute, tags=["dialects"])

MOST = 32
"""Inputs of the largest batch."""


class Inputs(Lenient):
    """Texts to cut."""

    model_config = example(model="bert-base-uncased", inputs=["Hello, 🌍!"])

    model: Model = None
    inputs: str | list[str]
    add_special_tokens: Template = True
    prompt_name: str | None = Field(None, description="There are no prompts here: anything but null is refused.")


class Ids(Lenient):
    """Ids to read back."""

    model_config = example(model="bert-base-uncased", ids=[101, 7592, 102])

    model: Model = None
    ids: IdLists
    skip_special_tokens: bool = True


@router.post("/compat/tei/tokenize", summary="Tokenize as text-embeddings-inference does")
def post_tokenize(body: Inputs, request: Request) -> JSONResponse:
    """A list of tokens for each text, with their places in its UTF-8 bytes; special tokens have none."""
    return JSONResponse(tokenized(body, request))


@router.post("/compat/tei/decode", summary="Read ids back as text-embeddings-inference does")
@router.post("/decode", summary="Read ids back as text-embeddings-inference does")
def post_decode(body: Ids, request: Request) -> JSONResponse:
    """A list of texts, without their special tokens unless they are asked for."""
    check_batch(body.ids, pointer="/ids", most=MOST if is_batch(body.ids) else len(body.ids))
    done = read(request, body.ids, model=body.model, skip_special=body.skip_special_tokens, field="ids")
    return JSONResponse([one.text for one in done])


def tokenized(body: Inputs, request: Request) -> list[list[dict[str, Any]]]:
    """The tokens of each text; special tokens spelled in it are special."""
    texts = [body.inputs] if isinstance(body.inputs, str) else body.inputs
    check_batch(texts, pointer="/inputs", most=MOST)
    if body.prompt_name is not None:
        raise Invalid("The tokenizers here have no prompts of a name.", pointer="/prompt_name")
    cut = cutter(request, texts, model=body.model, pointer="/inputs")
    answers = (cut(text, body.add_special_tokens) for text in texts)
    return [[row(token, done.data) for token in done.tokens()] for done in answers]


def check_batch(batch: Sequence[object], *, pointer: str, most: int) -> None:
    """Raise `EmptyBatch` for nothing at all, `Invalid` for more than the most."""
    if not batch:
        raise EmptyBatch("There is nothing in the batch.", pointer=pointer)
    if len(batch) > most:
        raise Invalid(f"The batch has {len(batch):,} inputs; the limit is {most}.", pointer=pointer, limit=most)


def row(token: "Token", data: bytes) -> dict[str, Any]:
    """A token; its text is what the input has there, or the vocabulary’s spelling of a special one."""
    if token.entry.kind == "special":
        return {"id": token.entry.id, "text": token.entry.piece, "special": True, "start": None, "stop": None}
    start, stop = token.byte_start, token.byte_end
    text = data[start:stop].decode(errors="replace")
    return {"id": token.entry.id, "text": text, "special": False, "start": start, "stop": stop}
