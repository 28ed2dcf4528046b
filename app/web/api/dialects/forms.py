"""Forms: which dialect a body without a prefix is in, told by its keys, and its answer."""

from typing import Any

from fastapi import Request

from app.web.answer import JSONResponse
from app.web.api.dialects import llamacpp, tei, vllm

UNKNOWN_LENGTH = -1
"""What `max_model_len` is where the same body may be SGLang’s, whose servers say it so."""


def to_tokenize(value: Any) -> str:
    """The form of a body to tokenize. A body that names a `tokenizer` is ours, whatever else it says.

    >>> to_tokenize({"text": "a"}), to_tokenize({"prompt": "a"})
    ('as native', 'as vllm')
    """
    if not isinstance(value, dict) or "text" in value or "tokenizer" in value:
        return "as native"
    if "prompt" in value:
        return "as vllm"
    others = {"messages": "as vllm chat", "inputs": "as tei", "content": "as llamacpp"}
    return next((form for key, form in others.items() if key in value), "as native")


Foreign = vllm.Completion | vllm.Chat | tei.Inputs | llamacpp.Content


def tokenize(body: Foreign, request: Request) -> JSONResponse:
    """The answer in the dialect of the body, which errors then are told in too."""
    match body:
        case vllm.Completion():
            request.state.dialect = "vllm"
            return JSONResponse(vllm.complete(body, request, max_model_len=UNKNOWN_LENGTH))
        case vllm.Chat():
            request.state.dialect = "vllm"
            return JSONResponse(vllm.chat(body, request))
        case tei.Inputs():
            request.state.dialect = "tei"
            return JSONResponse(tei.tokenized(body, request))
        case llamacpp.Content():
            request.state.dialect = "llamacpp"
            return JSONResponse(llamacpp.tokenized(body, request))
