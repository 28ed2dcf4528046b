"""POST /api/trace: the steps of learning a vocabulary, or of encoding a text with one, as data."""

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from app.lab.steps.frames import Branch, Ties
from app.lab.steps.options import Options
from app.types import Algorithm, Unit
from app.web.answer import JSONResponse
from app.web.body import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["steps"])

EXAMPLE: dict[str, JsonValue] = {"branch": "encode", "tokenizer": "o200k_base", "text": "Hello, 🌍!"}


class TraceRequest(BaseModel):
    """What to follow."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    branch: Branch = Field(description="`learn` a vocabulary from the text, or `encode` the text with one.")
    text: str = Field(description="The text, or the corpus.")
    tokenizer: str = Field("o200k_base", description="To encode: an id from /api/tokenizers.")
    special: bool = Field(False, description="To encode: special tokens spelled in the text are special.")
    temperature: float | None = Field(None, gt=0, le=100, description="To encode with unigram: draw a cut, Kudo’s α.")
    seed: int = Field(0, ge=0, lt=2**32, description="Of the drawn cut.")
    algorithm: Algorithm = Field("bpe", description="To learn.")
    unit: Unit = Field("characters", description="To learn: what words are made of; `marked` ends each with `</w>`.")
    pattern: str = Field("spaces", description="To learn: how the corpus is cut into words.")
    ties: Ties = Field("first-seen", description="To learn: which of the pairs with the same count wins.")
    merges: int = Field(50, description="To learn: the most steps, from 1 to 2,000.")
    table: bool = Field(False, description="To learn: the text gives a word and its count on each line.")


@router.post("/api/trace", summary="Follow an algorithm step by step")
def post(body: TraceRequest, request: Request) -> JSONResponse:
    """Every step, in a form that can be replayed: the end is the encoding, or the vocabulary that was learned."""
    options = Options(**body.model_dump(exclude={"special"}), special="parse" if body.special else "text")
    _, run = request.app.state.followed.follow(request.app.state.registry, options)
    return JSONResponse(run.data())
