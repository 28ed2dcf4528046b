"""Forms: which dialect a body without a prefix is in, told by its keys, and its answer."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from pydantic import BaseModel

from app.web.answer import JSONResponse
from app.web.api.dialects import llamacpp, sglang, tei, vllm
from app.web.api.dialects.asked import IdLists, Lenient, Model, example, is_batch, read
from app.web.api.dialects.refusals import Dialect

KEYS = {"messages": "as vllm chat", "inputs": "as tei", "content": "as llamacpp"}


def to_tokenize(value: Any) -> str:
    """The form of a body to tokenize. A body that names a `tokenizer` is ours, whatever else it says.

    >>> to_tokenize({"text": "a"}), to_tokenize({"prompt": "a"}), to_tokenize({"prompt": ["a"]})
    ('as native', 'as vllm', 'as sglang')
    """
    if not isinstance(value, dict) or "text" in value or "tokenizer" in value:
        return "as native"
    if "prompt" in value:
        return "as sglang" if isinstance(value["prompt"], list) else "as vllm"
    return next((form for key, form in KEYS.items() if key in value), "as native")


def to_detokenize(value: Any) -> str:
    """The form of a body to read back: `tokens` is what three dialects call what we call `ids`."""
    foreign = isinstance(value, dict) and "tokens" in value and not {"ids", "tokenizer"} & value.keys()
    return "as vllm" if foreign else "as native"


Foreign = vllm.Completion | vllm.Chat | sglang.Prompts | tei.Inputs | llamacpp.Content
DIALECTS: Mapping[type[BaseModel], Dialect] = {
    vllm.Completion: "vllm",
    vllm.Chat: "vllm",
    sglang.Prompts: "sglang",
    tei.Inputs: "tei",
    llamacpp.Content: "llamacpp",
}


def tokenize(body: Foreign, request: Request) -> JSONResponse:
    """The answer in the dialect of the body, which errors then are told in too.

    A single prompt may be vLLM’s or SGLang’s: vLLM’s answer holds all of SGLang’s.
    """
    request.state.dialect = DIALECTS[type(body)]
    match body:
        case vllm.Completion():
            return JSONResponse(vllm.complete(body, request))
        case vllm.Chat():
            return JSONResponse(vllm.chat(body, request))
        case sglang.Prompts():
            return JSONResponse(sglang.tokenized(body, request))
        case tei.Inputs():
            return JSONResponse(tei.tokenized(body, request))
        case llamacpp.Content():
            return JSONResponse(llamacpp.tokenized(body, request))


class AnyTokens(Lenient):
    """Ids to read back, for vLLM, SGLang or llama.cpp. Special tokens are kept, unless SGLang’s field says else."""

    model_config = example(model="gpt-4o", tokens=[130321, 235])

    model: Model = None
    tokens: IdLists
    skip_special_tokens: bool = False


def detokenize(body: AnyTokens, request: Request) -> JSONResponse:
    """The text under the key of every dialect, with its bytes; lists for a batch. Errors are told as vLLM does."""
    request.state.dialect = "vllm"
    done = read(request, body.tokens, model=body.model, skip_special=body.skip_special_tokens)
    columns: dict[str, list[Any]] = {key: [one.text for one in done] for key in ("text", "prompt", "content")}
    columns |= {"bytes_hex": [one.raw.hex() for one in done], "lossless": [one.lossless for one in done]}
    return JSONResponse(columns if is_batch(body.tokens) else {key: found[0] for key, found in columns.items()})
