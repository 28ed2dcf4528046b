"""Detect the dialect of a body at /tokenize and /detokenize by its keys, and answer in it."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from pydantic import BaseModel

from ...body import JSONResponse
from . import llamacpp, sglang, tei, vllm
from .common import IdLists, LenientModel, Model, detokenize_lists, example, is_batch
from .error_formats import Dialect

KEYS = {"messages": "as vllm chat", "inputs": "as tei", "content": "as llamacpp"}


def to_tokenize(value: Any) -> str:
    """Return the form of a body to tokenize. A body with a `tokenizer` is our own, whatever else it has.

    >>> to_tokenize({"text": "a"}), to_tokenize({"prompt": "a"}), to_tokenize({"prompt": ["a"]})
    ('as native', 'as vllm', 'as sglang')
    """
    if isinstance(value, dict) and "bytes_base64" in value:
        return "as bytes"
    if not isinstance(value, dict) or "text" in value or "tokenizer" in value:
        return "as native"
    if "prompt" in value:
        return "as sglang" if isinstance(value["prompt"], list) else "as vllm"
    return next((form for key, form in KEYS.items() if key in value), "as native")


def to_detokenize(value: Any) -> str:
    """Return the form of a body to detokenize: our `ids` are `tokens` in three dialects."""
    foreign = isinstance(value, dict) and "tokens" in value and not {"ids", "tokenizer"} & value.keys()
    return "as vllm" if foreign else "as native"


Foreign = (
    vllm.VllmCompletionRequest
    | vllm.VllmChatRequest
    | sglang.SglangTokenizeRequest
    | tei.TeiTokenizeRequest
    | llamacpp.LlamacppTokenizeRequest
)
DIALECTS: Mapping[type[BaseModel], Dialect] = {
    vllm.VllmCompletionRequest: "vllm",
    vllm.VllmChatRequest: "vllm",
    sglang.SglangTokenizeRequest: "sglang",
    tei.TeiTokenizeRequest: "tei",
    llamacpp.LlamacppTokenizeRequest: "llamacpp",
}


def tokenize(body: Foreign, request: Request) -> JSONResponse:
    """Return the answer in the dialect of the body, and note it, so that errors have its format too.

    A single prompt may be of vLLM or SGLang: the answer of vLLM contains that of SGLang.
    """
    request.state.dialect = DIALECTS[type(body)]
    match body:
        case vllm.VllmCompletionRequest():
            return JSONResponse(vllm.complete(body, request))
        case vllm.VllmChatRequest():
            return JSONResponse(vllm.chat(body, request))
        case sglang.SglangTokenizeRequest():
            return JSONResponse(sglang.tokenize_sglang(body, request))
        case tei.TeiTokenizeRequest():
            return JSONResponse(tei.tokenize_tei(body, request))
        case llamacpp.LlamacppTokenizeRequest():
            return JSONResponse(llamacpp.tokenize_llamacpp(body, request))


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
    request.state.dialect = "vllm"
    texts = detokenize_lists(request, body.tokens, model=body.model, skip_special=body.skip_special_tokens)
    if body.model is not None and body.model_fields_set <= {"model", "tokens"} and not is_batch(body.tokens):
        return JSONResponse({"prompt": texts[0].text})
    columns: dict[str, list[Any]] = {key: [text.text for text in texts] for key in ("text", "prompt", "content")}
    columns |= {"bytes_hex": [text.raw.hex() for text in texts], "lossless": [text.lossless for text in texts]}
    return JSONResponse(columns if is_batch(body.tokens) else {key: column[0] for key, column in columns.items()})
