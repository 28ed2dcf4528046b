"""Detect the dialect of a body at /tokenize and /detokenize by its keys, and answer in it."""

from typing import Any

from fastapi import Request
from pydantic import BaseModel

from ...body import JSONResponse
from .common import IdLists, LenientModel, Model, detokenize_lists, example, is_batch
from .dialect import Dialect
from .llamacpp import LLAMACPP
from .sglang import SGLANG
from .tei import TEI
from .vllm import VLLM

DIALECTS = (VLLM, SGLANG, TEI, LLAMACPP)
"""The dialects of /tokenize, in the order in which a body is tried."""
DIALECT_OF_MODEL = {body.model: dialect for dialect in DIALECTS for body in dialect.bodies}
NATIVE_KEYS = frozenset({"text", "tokenizer", "bytes_base64"})
"""Keys of our own bodies to tokenize, whatever else they have."""


def to_tokenize(value: Any) -> Dialect | None:
    """Return the dialect of a body to tokenize; None for our own.

    >>> [dialect and dialect.name for dialect in map(to_tokenize, ({"text": "a"}, {"prompt": "a"}, {"prompt": ["a"]}))]
    [None, 'vllm', 'sglang']
    """
    if not isinstance(value, dict) or NATIVE_KEYS & value.keys():
        return None
    return next((dialect for dialect in DIALECTS if dialect.find_body(value)), None)


def to_detokenize(value: Any) -> Dialect | None:
    """Return the dialect of errors for a body to detokenize; None for our own, whose `ids` are `tokens` in others."""
    foreign = isinstance(value, dict) and "tokens" in value and not {"ids", "tokenizer"} & value.keys()
    return VLLM if foreign else None


def tokenize(body: BaseModel, request: Request) -> JSONResponse:
    """Return the answer in the dialect of the body.

    A single prompt may be of vLLM or SGLang: the answer of vLLM contains that of SGLang.
    """
    return JSONResponse(DIALECT_OF_MODEL[type(body)].answer(body, request))


class AnyDetokenizeRequest(LenientModel):
    """Ids to detokenize, of vLLM, SGLang or llama.cpp. Special tokens are kept, unless SGLang’s field is set."""

    model_config = example(model="gpt-4o", tokens=[130321, 235])

    model: Model = None
    tokens: IdLists
    skip_special_tokens: bool = False


def detokenize(body: AnyDetokenizeRequest, request: Request) -> JSONResponse:
    """Return vLLM’s answer to vLLM’s body, which has a model and one list of ids. Other bodies may be of several
    dialects: the text is then under the key of each of them, with its bytes; lists for a batch. Errors are those of
    vLLM."""
    texts = detokenize_lists(request, body.tokens, model=body.model, skip_special=body.skip_special_tokens)
    if body.model is not None and body.model_fields_set <= {"model", "tokens"} and not is_batch(body.tokens):
        return JSONResponse({"prompt": texts[0].text})
    columns: dict[str, list[Any]] = {key: [text.text for text in texts] for key in ("text", "prompt", "content")}
    columns |= {"bytes_hex": [text.raw.hex() for text in texts], "lossless": [text.lossless for text in texts]}
    return JSONResponse(columns if is_batch(body.tokens) else {key: column[0] for key, column in columns.items()})
