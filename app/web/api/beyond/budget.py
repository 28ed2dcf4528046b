"""POST /api/budget: text, pictures, sound and video of one prompt as tokens of a model."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ....lab.beyond.budget import Image, Prompt, budget, budget_model
from ....lab.option_schema import Items
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from ...services import get_services

router = Router(tags=["beyond"])

EXAMPLE: dict[str, JsonValue] = {
    "model": "gpt-4o",
    "text": "What is in this picture?",
    "images": [{"width": 1024, "height": 1024, "detail": "high"}],
}
Side = Annotated[int, Field(ge=1, le=100_000)]
Seconds = Annotated[float, Field(ge=0, le=86_400)]


class ImageSize(BaseModel):
    """A picture of the prompt."""

    model_config = ConfigDict(strict=True, extra="forbid")

    width: Side = Field(description="In pixels.")
    height: Side = Field(description="In pixels.")
    detail: str = Field("", description="A level of the model, such as `low`; empty for its default.")


class BudgetRequest(BaseModel):
    """A prompt, and the model that reads it."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    model: str = Field(description="An id; an unknown one is refused with the list of all.")
    text: str = ""
    images: Items[ImageSize] = Field([], description="At most 50.")
    audio_seconds: Seconds = Field(0, description="The length of the sound, that of a video included.")
    video_seconds: Seconds = 0
    frames_per_second: Annotated[float, Field(ge=0, le=60)] = Field(1, description="Frames that are taken of a video.")


@router.post("/api/budget", operation_id="count_prompt", summary="Count the tokens of a whole prompt")
@RoutePolicy(cors=True)
def post(body: BudgetRequest, request: Request) -> JSONResponse:
    """Each part has its tokens, the formula and its source; null for what no source says. `complete` is false if there
    is such a part: `tokens`, `share` of the context window and `cost` in dollars are then lower bounds."""
    images = [Image(one.width, one.height, one.detail) for one in body.images]
    prompt = Prompt(body.text, images, body.audio_seconds, body.video_seconds, body.frames_per_second)
    one = budget(get_services(request).registry, budget_model(body.model), prompt)
    money = one.model.money
    answer: dict[str, Any] = {
        "model": one.model.id,
        "tokens": one.tokens,
        "complete": one.complete,
        "window": money.window,
        "share": one.share,
        "price": money.price,
        "cost": one.cost,
        "price_source": {"source": money.source, "date": money.date} if money.source else None,
        "parts": [
            {
                "kind": part.kind,
                "name": part.name,
                "tokens": part.tokens,
                "formula": part.formula,
                "steps": [*part.steps],
                "source": part.source,
                "address": part.address,
                "date": part.date,
            }
            for part in one.parts
        ],
    }
    return JSONResponse(answer)
