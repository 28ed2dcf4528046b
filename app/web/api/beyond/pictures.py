"""POST /api/beyond/pictures: the tokens of an image by model, with the sum, the source and the date of each."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ....lab.beyond.image_tokens import IMAGE_MODELS, LARGEST_SIDE, image_model
from ....lab.beyond.images import ImageRow, image_rows
from ....lab.option_schema import Items
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router

router = Router(tags=["beyond"])
Side = Annotated[int, Field(ge=1, le=LARGEST_SIDE, description="Pixels.")]
ModelId = Annotated[str, Field(json_schema_extra={"enum": [model.id for model in IMAGE_MODELS]})]


class PicturesRequest(BaseModel):
    """The size of an image; the image itself is not needed."""

    model_config = ConfigDict(
        strict=True, extra="forbid", json_schema_extra={"example": {"width": 1024, "height": 768, "patch": 14}}
    )

    width: Side
    height: Side
    models: Items[ModelId] = Field([], max_length=100, description="The models to count for; all if empty.")
    patch: Annotated[int, Field(ge=1, le=512)] = Field(14, description="Pixels along a patch of the plain ViT.")


@router.post("/api/beyond/pictures", operation_id="count_image", summary="Count the tokens of an image")
@RoutePolicy(cors=True)
def post(body: PicturesRequest) -> JSONResponse:
    """Each model resizes and cuts the image in its own way: `steps` says how, `sum` how the tokens add up, `source`
    and `date` where and when that was read. A model that refuses the size has `refused` in place of its counts. `cost`
    is in dollars for a thousand images, `context` a share, where a price or a window is known."""

    def serialize_row(row: ImageRow) -> dict[str, Any]:
        model = row.model
        says = {"id": model.id, "name": model.name, "formula": model.formula, "note": model.note}
        says |= {"source": model.source, "address": model.address, "date": model.date}
        if row.one is None:
            return says | {"tokens": None, "refused": row.refused}
        cut = row.one.cut
        return says | {
            "tokens": cut.tokens,
            "sum": cut.sum,
            "resized": [cut.width, cut.height],
            "cells": [cut.columns, cut.rows],
            "cell": [cut.cell_width, cut.cell_height],
            "steps": cut.steps,
            "cost": row.cost,
            "context": row.share,
        }

    for id in body.models:
        image_model(id)  # raises for one that is not known
    size = body.width, body.height
    rows = image_rows(size, size, patch=body.patch)
    chosen = [row for row in rows if not body.models or row.model.id in body.models]
    return JSONResponse({"width": body.width, "height": body.height, "models": [serialize_row(row) for row in chosen]})
