"""POST /tokenize: a text, or a list of texts, as columns; or what another server's client sends, in its dialect."""

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Discriminator, Field, JsonValue, Tag

from app.types import SpecialPolicy
from app.web.answer import JSONResponse
from app.web.api.dialects import forms, llamacpp, sglang, tei, vllm
from app.web.body import StrictRoute
from app.web.inline import FEW, at_length

router = APIRouter(route_class=StrictRoute, tags=["tokens"])

Part = Literal["counts", "ids", "pieces", "offsets", "flags"]
EXAMPLE: dict[str, JsonValue] = {"tokenizer": "o200k_base", "text": "Hello, 🌍! 你好!"}


class TokenizeRequest(BaseModel):
    """What to tokenize and how."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    tokenizer: str = Field(description="An id from /api/tokenizers.")
    text: str | list[str] = Field(description="One text, or a batch of texts: the answer is then a list.")
    engine: str | None = Field(None, description="`reference` (the default), `scratch`, or an engine by name.")
    special: SpecialPolicy = Field("text", description="Special tokens spelled in the text: what to do.")
    template: bool = Field(False, description="Add the special tokens that models expect around a text.")
    include: Annotated[list[Part], Field(description="The columns beside the counts; `counts` for no column.")] = [
        "ids",
        "pieces",
        "offsets",
    ]


Body = Annotated[
    Annotated[TokenizeRequest, Tag("as native")]
    | Annotated[vllm.Completion, Tag("as vllm")]
    | Annotated[vllm.Chat, Tag("as vllm chat")]
    | Annotated[sglang.Prompts, Tag("as sglang")]
    | Annotated[tei.Inputs, Tag("as tei")]
    | Annotated[llamacpp.Content, Tag("as llamacpp")],
    Discriminator(forms.to_tokenize),
]


@router.post("/tokenize", summary="Cut text into tokens")
def post(body: Body, request: Request) -> JSONResponse:
    """Columns, one row a token: ids, pieces, spans in UTF-8 bytes and in code points. Bodies with `prompt`,
    `messages`, `inputs` or `content` in place of `text` are answered as vLLM, SGLang, text-embeddings-inference and
    llama.cpp answer them."""
    if isinstance(body, TokenizeRequest):
        return native(body, request)
    return forms.tokenize(body, request)


def native(body: TokenizeRequest, request: Request) -> JSONResponse:
    """The columns of a text, or of each of a batch."""
    from app.lab.tokenize import check_batch, check_length, tokenize
    from app.web.columns import columns

    registry, settings = request.app.state.registry, request.app.state.settings
    texts = [body.text] if isinstance(body.text, str) else body.text
    check_batch(texts, limit=settings.max_batch)
    check_length(texts, limit=settings.max_text)
    if len(texts) > FEW:
        at_length(request)
    cut = partial(tokenize, registry, tokenizer=body.tokenizer, engine=body.engine, special=body.special)
    answers = [columns(cut(text, template=body.template), body.include) for text in texts]
    return JSONResponse(answers[0] if isinstance(body.text, str) else answers)
