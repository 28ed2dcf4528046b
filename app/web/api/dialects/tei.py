"""The dialect of Hugging Face’s text-embeddings-inference: POST /tokenize, POST /decode."""

from collections.abc import Sequence
from typing import Any

from fastapi import Request
from pydantic import Field

from ....errors import EmptyBatch, Invalid
from ....lab.option_schema import Items
from ....serialize.problem import Problem
from ....types import Token
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from .common import IdLists, LenientModel, Model, Template, detokenize_lists, example, is_batch, tokenizer_for
from .dialect import WORD, Dialect, DialectBody, DialectError, object_schema

router = Router(tags=["dialects"])

MAX_INPUTS = 32
"""Inputs of the largest batch."""


class TeiTokenizeRequest(LenientModel):
    """A request to tokenize."""

    model_config = example(model="bert-base-uncased", inputs=["Hello, 🌍!"])

    model: Model = None
    inputs: str | Items[str]
    add_special_tokens: Template = True
    prompt_name: str | None = Field(None, description="Not supported: anything but null is refused.")


class TeiDecodeRequest(LenientModel):
    """A request to detokenize."""

    model_config = example(model="bert-base-uncased", ids=[101, 7592, 102])

    model: Model = None
    ids: IdLists
    skip_special_tokens: bool = True


def tokenize_tei(body: TeiTokenizeRequest, request: Request) -> list[list[dict[str, Any]]]:
    """Return the tokens of each text; special tokens in it are parsed."""
    texts = [body.inputs] if isinstance(body.inputs, str) else body.inputs
    check_batch(texts, pointer="/inputs", limit=MAX_INPUTS)
    if body.prompt_name is not None:
        raise Invalid("The tokenizers here have no prompts of a name.", pointer="/prompt_name")
    tokenize = tokenizer_for(request, texts, model=body.model, pointer="/inputs")
    answers = (tokenize(text, body.add_special_tokens) for text in texts)
    return [[row(token, answer.data) for token in answer.tokens()] for answer in answers]


def check_batch(batch: Sequence[object], *, pointer: str, limit: int) -> None:
    """Raise `EmptyBatch` for an empty batch, `Invalid` for one over the limit."""
    if not batch:
        raise EmptyBatch("There is nothing in the batch.", pointer=pointer)
    if len(batch) > limit:
        raise Invalid(f"The batch has {len(batch):,} inputs; the limit is {limit}.", pointer=pointer, limit=limit)


def row(token: "Token", data: bytes) -> dict[str, Any]:
    """Return a token as plain data; its text is that of the input, or the piece of a special token."""
    if token.entry.kind == "special":
        return {"id": token.entry.id, "text": token.entry.piece, "special": True, "start": None, "stop": None}
    start = token.byte_start
    stop = token.byte_end
    text = data[start:stop].decode(errors="replace")
    return {"id": token.entry.id, "text": text, "special": False, "start": start, "stop": stop}


def format_error(problem: Problem) -> DialectError:
    """Return the status and the error of text-embeddings-inference for a problem.

    >>> format_error(Problem(404, "not-found", "Not Found", "There is nothing at this address."))
    (404, {'error': 'There is nothing at this address.', 'error_type': 'validation'})
    """
    status = problem.status
    kind = "validation"
    match problem.code:
        case "empty":
            status = 400
            kind = "empty"
        case "unknown-id" | "unknown-tokenizer" | "engine-failed" | "no-unknown-token":
            status = 422
            kind = "tokenizer"
        case "overloaded":
            status = 429
            kind = "overloaded"
        case _ if status >= 500:
            status = 503
            kind = "unhealthy"
    return status, {"error": problem.detail, "error_type": kind}


TEI = Dialect(
    "tei",
    format_error,
    object_schema(error=WORD, error_type=WORD),
    bodies=(DialectBody(TeiTokenizeRequest, recognize=lambda sent: "inputs" in sent, answer=tokenize_tei),),
)
POLICY = RoutePolicy(run="inline", cors=True, dialect=TEI)


@router.post("/compat/tei/tokenize", summary="Tokenize as text-embeddings-inference does")
@POLICY
def post_tokenize(body: TeiTokenizeRequest, request: Request) -> JSONResponse:
    """A list of tokens for each text, with their spans in its UTF-8 bytes; added special tokens have none."""
    return JSONResponse(tokenize_tei(body, request))


@router.post("/compat/tei/decode", summary="Detokenize as text-embeddings-inference does")
@router.post("/decode", summary="Detokenize as text-embeddings-inference does")
@POLICY
def post_decode(body: TeiDecodeRequest, request: Request) -> JSONResponse:
    """A list of texts; without special tokens, unless `skip_special_tokens` is false."""
    check_batch(body.ids, pointer="/ids", limit=MAX_INPUTS if is_batch(body.ids) else len(body.ids))
    texts = detokenize_lists(request, body.ids, model=body.model, skip_special=body.skip_special_tokens, field="ids")
    return JSONResponse([text.text for text in texts])
