"""POST /detokenize: ids back to text, also as another server's client sends them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from app.web.answer import JSONResponse
from app.web.api.dialects import forms
from app.web.body import StrictRoute

if TYPE_CHECKING:
    from app.lab.detokenize import Detokenization

router = APIRouter(route_class=StrictRoute, tags=["tokens"])


class DetokenizeRequest(BaseModel):
    """Which ids to read back."""

    model_config = ConfigDict(
        strict=True, extra="forbid", json_schema_extra={"example": {"tokenizer": "o200k_base", "ids": [130321, 235]}}
    )

    tokenizer: str = Field(description="An id from /api/tokenizers.")
    ids: list[Annotated[int, Field(ge=0, lt=2**32)]]
    engine: str | None = Field(None, description="`reference` (the default), `scratch`, or an engine by name.")


Body = Annotated[
    Annotated[DetokenizeRequest, Tag("as native")] | Annotated[forms.AnyTokens, Tag("as vllm")],
    Discriminator(forms.to_detokenize),
]


@router.post("/detokenize", summary="Read ids back to text")
def post(body: Body, request: Request) -> JSONResponse:
    """The text; its bytes in hex; and whether the bytes are UTF-8, so that the text lost nothing. Bodies with `tokens`
    in place of `ids` are answered with the text as `prompt` and `content` too, special tokens kept, for vLLM, SGLang
    and llama.cpp."""
    if isinstance(body, DetokenizeRequest):
        return native(body, request)
    return forms.detokenize(body, request)


def native(body: DetokenizeRequest, request: Request) -> JSONResponse:
    """The text of ids."""
    from app.lab.detokenize import detokenize

    done = detokenize(request.app.state.registry, body.ids, tokenizer=body.tokenizer, engine=body.engine)
    return JSONResponse(answer(done))


def answer(done: Detokenization) -> dict[str, str | bool]:
    """What ids stand for, as plain data."""
    return {"text": done.text, "bytes_hex": done.raw.hex(), "lossless": done.lossless}
