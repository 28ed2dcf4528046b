"""SGLang’s dialect: POST /tokenize and /detokenize, also under /v1."""

from typing import Any

from fastapi import Request

from ....lab.option_schema import Items
from ....serialize.problem import Problem
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from . import vllm
from .common import (
    UNKNOWN_LENGTH,
    IdLists,
    LenientModel,
    Model,
    Template,
    detokenize_lists,
    example,
    is_batch,
    tokenizer_for,
)
from .dialect import Dialect, DialectBody, DialectError, object_schema

router = Router(tags=["dialects"])


class SglangTokenizeRequest(LenientModel):
    """A request to tokenize a prompt, or a batch of prompts."""

    model_config = example(model="gpt-4o", prompt=["Hello, 🌍!", "你好!"])

    model: Model = None
    prompt: str | Items[str]
    add_special_tokens: Template = True


class SglangDetokenizeRequest(LenientModel):
    """A request to detokenize ids, or a batch of lists of ids."""

    model_config = example(model="gpt-4o", tokens=[[130321, 235], [177519]])

    model: Model = None
    tokens: IdLists
    skip_special_tokens: bool = True


def tokenize_sglang(body: SglangTokenizeRequest, request: Request) -> dict[str, Any]:
    """Return the answer; special tokens in a prompt are parsed."""
    prompts = [body.prompt] if isinstance(body.prompt, str) else body.prompt
    tokenize = tokenizer_for(request, prompts, model=body.model)
    ids = [tokenize(prompt, body.add_special_tokens).encoding.ids for prompt in prompts]
    counts = [len(row) for row in ids]
    tokens, count = (ids[0], counts[0]) if isinstance(body.prompt, str) else (ids, counts)
    return {"tokens": tokens, "count": count, "max_model_len": UNKNOWN_LENGTH}


def format_error(problem: Problem) -> DialectError:
    """Return the status and the error of SGLang for a problem."""
    status, body = vllm.format_error(problem)
    return status, {"object": "error", **body["error"]}


SGLANG = Dialect(
    "sglang",
    format_error,
    object_schema(object={"const": "error"}, **vllm.ERROR_MEMBERS),
    bodies=(
        DialectBody(
            SglangTokenizeRequest,
            recognize=lambda sent: isinstance(sent.get("prompt"), list),
            answer=tokenize_sglang,
        ),
    ),
)
POLICY = RoutePolicy(run="inline", cors=True, dialect=SGLANG)


@router.post("/compat/sglang/tokenize", summary="Tokenize as SGLang does")
@router.post("/compat/sglang/v1/tokenize", summary="Tokenize as SGLang does")
@router.post("/v1/tokenize", summary="Tokenize as SGLang does")
@POLICY
def post_tokenize(body: SglangTokenizeRequest, request: Request) -> JSONResponse:
    """`tokens` and `count`, each a list for a batch, and `max_model_len`, which is −1: unknown."""
    return JSONResponse(tokenize_sglang(body, request))


@router.post("/compat/sglang/detokenize", summary="Detokenize as SGLang does")
@router.post("/compat/sglang/v1/detokenize", summary="Detokenize as SGLang does")
@router.post("/v1/detokenize", summary="Detokenize as SGLang does")
@POLICY
def post_detokenize(body: SglangDetokenizeRequest, request: Request) -> JSONResponse:
    """`text`, a list for a batch; without special tokens, unless `skip_special_tokens` is false."""
    texts = detokenize_lists(request, body.tokens, model=body.model, skip_special=body.skip_special_tokens)
    return JSONResponse({"text": [text.text for text in texts] if is_batch(body.tokens) else texts[0].text})
