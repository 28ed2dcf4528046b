"""SGLang’s dialect: POST /tokenize and /detokenize, also under /v1."""

from typing import Any

from fastapi import APIRouter, Request

from app.web.answer import JSONResponse
from app.web.api.dialects.asked import (
    UNKNOWN_LENGTH,
    IdLists,
    Lenient,
    Model,
    Template,
    cutter,
    example,
    is_batch,
    read,
)
from app.web.body import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["dialects"])


class Prompts(Lenient):
    """A prompt, or a batch of prompts, to cut."""

    model_config = example(model="gpt-4o", prompt=["Hello, 🌍!", "你好!"])

    model: Model = None
    prompt: str | list[str]
    add_special_tokens: Template = True


class SglangTokens(Lenient):
    """Ids, or a batch of lists of them, to read back."""

    model_config = example(model="gpt-4o", tokens=[[130321, 235], [177519]])

    model: Model = None
    tokens: IdLists
    skip_special_tokens: bool = True


@router.post("/compat/sglang/tokenize", summary="Tokenize as SGLang does")
@router.post("/compat/sglang/v1/tokenize", summary="Tokenize as SGLang does")
@router.post("/v1/tokenize", summary="Tokenize as SGLang does")
def post_tokenize(body: Prompts, request: Request) -> JSONResponse:
    """`tokens` and `count`, each a list for a batch, and `max_model_len`, which is −1: unknown."""
    return JSONResponse(tokenized(body, request))


@router.post("/compat/sglang/detokenize", summary="Read ids back as SGLang does")
@router.post("/compat/sglang/v1/detokenize", summary="Read ids back as SGLang does")
@router.post("/v1/detokenize", summary="Read ids back as SGLang does")
def post_detokenize(body: SglangTokens, request: Request) -> JSONResponse:
    """`text`, a list for a batch, without special tokens unless they are asked for."""
    done = read(request, body.tokens, model=body.model, skip_special=body.skip_special_tokens)
    return JSONResponse({"text": [one.text for one in done] if is_batch(body.tokens) else done[0].text})


def tokenized(body: Prompts, request: Request) -> dict[str, Any]:
    """The answer; special tokens spelled in a prompt are special."""
    prompts = [body.prompt] if isinstance(body.prompt, str) else body.prompt
    cut = cutter(request, prompts, model=body.model)
    ids = [cut(prompt, body.add_special_tokens).encoding.ids for prompt in prompts]
    counts = [len(one) for one in ids]
    tokens, count = (ids[0], counts[0]) if isinstance(body.prompt, str) else (ids, counts)
    return {"tokens": tokens, "count": count, "max_model_len": UNKNOWN_LENGTH}
