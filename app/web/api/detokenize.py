"""POST /detokenize: ids back to text."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from app.web.answer import JSONResponse
from app.web.body import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["tokens"])


class DetokenizeRequest(BaseModel):
    """Which ids to read back."""

    model_config = ConfigDict(
        strict=True, extra="forbid", json_schema_extra={"example": {"tokenizer": "o200k_base", "ids": [130321, 235]}}
    )

    tokenizer: str = Field(description="An id from /api/tokenizers.")
    ids: list[Annotated[int, Field(ge=0, lt=2**32)]]
    engine: str | None = Field(None, description="`reference` (the default), `scratch`, or an engine by name.")


@router.post("/detokenize", summary="Read ids back to text")
def post(body: DetokenizeRequest, request: Request) -> JSONResponse:
    """The text; its bytes in hex; and whether the bytes are UTF-8, so that the text lost nothing."""
    from app.lab.detokenize import detokenize

    done = detokenize(request.app.state.registry, body.ids, tokenizer=body.tokenizer, engine=body.engine)
    return JSONResponse({"text": done.text, "bytes_hex": done.raw.hex(), "lossless": done.lossless})
