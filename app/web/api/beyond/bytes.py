"""POST /api/beyond/bytes: the entropy of each byte of a text and its patches; and the figures of all languages."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ....lab.beyond.byte_model import load_figures
from ....lab.beyond.bytes import PatchOptions, study
from ....lab.models import resolve_model
from ....serialize.patches import serialize_study
from ...body import Items, JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from ...services import get_services

router = Router(prefix="/api/beyond", tags=["beyond"])
EXAMPLE: dict[str, JsonValue] = {"text": "The tokenizer reads strawberry.", "tokenizers": ["o200k_base"]}
Nats = Annotated[float, Field(ge=0, le=6)]
Bytes = Annotated[float, Field(ge=1, le=1000)]


class PatchesRequest(BaseModel):
    """A text, and how to cut it into patches."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    text: str = Field(description="The text, of at most 20,000 bytes.")
    rule: Literal["monotonic", "global", "combined", "size"] = Field(
        "monotonic",
        description="A patch begins where the entropy exceeds `threshold` (global), exceeds that of the byte before by "
        "`rise` (monotonic), or both (combined); or at the highest entropies, to have `size` bytes on average.",
    )
    threshold: Nats = Field(2.4, description="In nats.")
    rise: Nats = Field(0.5, description="In nats.")
    size: Bytes = Field(4.5, description="Bytes per patch.")
    stride: Annotated[int, Field(ge=1, le=1000)] = Field(8, description="Bytes of the fixed patches.")
    tokenizers: Annotated[Items[str], Field(max_length=4)] = Field(
        [], description="Ids from /api/tokenizers, or names of models, whose tokens are counted, too."
    )
    typo: Literal["", "swap", "drop", "double"] = Field("", description="A typo to make in the text.")
    at: Annotated[int, Field(ge=0)] | None = Field(
        None, description="The character at which it is made; null: within the longest word."
    )


@router.post("/bytes", operation_id="cut_into_patches", summary="Cut a text into patches of bytes")
@RoutePolicy(cors=True)
def post(body: PatchesRequest, request: Request) -> JSONResponse:
    """The entropy of each byte in nats, the limit that it must exceed for a patch to begin, and the text in patches by
    the rule, of fixed size and after spaces, and in tokens. With a typo, which units of the changed text are new."""
    services = get_services(request)
    ids = (resolve_model(services.registry, name, pointer=f"/tokenizers/{i}") for i, name in enumerate(body.tokenizers))
    question = PatchOptions(**{**body.model_dump(), "tokenizers": tuple(dict.fromkeys(ids))})
    shown = study(services.registry, services.settings.store, question)
    return JSONResponse(serialize_study(shown))


@router.get("/bytes/languages", operation_id="list_patches_by_language", summary="List bytes per patch by language")
def languages(request: Request) -> JSONResponse:
    """Bits per byte of the model, and bytes per patch by some rules, on articles 25 to 30 of the Universal Declaration
    of Human Rights, which the model has not seen, in every language."""
    return JSONResponse([asdict(one) for one in load_figures(get_services(request).settings.store)])
