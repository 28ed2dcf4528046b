"""POST /api/beyond/actions: a movement as tokens of FAST, what they give back, and naive binning beside them."""

from typing import Annotated

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ....lab.beyond.actions.analysis import analyse, check_series
from ....lab.option_schema import Items
from ....serialize.beyond import serialize_analysis
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router

router = Router(tags=["beyond"])

EXAMPLE: dict[str, JsonValue] = {"series": [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0], [1.0, -0.5]], "scale": 10}


class ActionsRequest(BaseModel):
    """A movement, and how finely to round it."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    series: Items[Items[float]] = Field(description="A row for each moment, with a number for each dimension.")
    scale: Annotated[float, Field(ge=1, le=100)] = Field(
        10, description="Coefficients are rounded in steps of 1/scale."
    )
    curve: bool = Field(False, description="Also the tokens and the error at scales from 1 to 100.")


@router.post("/api/beyond/actions", operation_id="tokenize_actions", summary="Encode a movement with FAST")
@RoutePolicy(cors=True)
def post(body: ActionsRequest, request: Request) -> JSONResponse:
    """Each stage is an array: `normalized` by moment and dimension, `coefficients` and `levels` by frequency and
    dimension, `symbols` in one row. `tokens` have ids and symbols; `decoded` is what they give back. An `error` is the
    root mean square of the differences, as a share of the normalized range."""
    return JSONResponse(serialize_analysis(analyse(check_series(body.series), scale=body.scale), curve=body.curve))
