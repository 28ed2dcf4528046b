"""POST /api/beyond/parameters: a Pattention layer that grows, by how much its output moves, and its training."""

from __future__ import annotations

from typing import Annotated

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ....lab.beyond.parameters.layer import RULES, grow, race
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router

router = Router(tags=["beyond"])

EXAMPLE: dict[str, JsonValue] = {"seed": 1, "pairs": 8, "more": 8}


class ParametersRequest(BaseModel):
    """A layer drawn from a seed, and by how many pairs it grows."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    seed: Annotated[int, Field(ge=0, le=999_999)] = Field(1, description="The same seed gives the same layer.")
    pairs: Annotated[int, Field(ge=2, le=16)] = Field(8, description="Pairs of key and value at the start.")
    more: Annotated[int, Field(ge=1, le=64)] = Field(8, description="Pairs that are added; their keys are zero.")
    steps: Annotated[int, Field(ge=0, le=1000)] = Field(0, description="Steps of training before and after; 0: none.")


@router.post(
    "/api/beyond/parameters", operation_id="grow_parameters", summary="Grow a layer whose parameters are tokens"
)
@RoutePolicy(cors=True)
def post(body: ParametersRequest, request: Request) -> JSONResponse:
    """`differences` are the largest of all outputs before and after the growth: with TokenFormer's factor kept at the
    root of the old size, with that of the new size, and with softmax."""
    growth = grow(body.seed, body.pairs, body.more)
    answer = {
        "inputs": growth.inputs.tolist(),
        "keys": growth.keys.tolist(),
        "values": growth.values.tolist(),
        "differences": {rule: growth.difference(rule) for rule in RULES},
        "outputs_before": {rule: growth.output(rule, grown=False).tolist() for rule in RULES},
        "outputs_after": {rule: growth.output(rule, grown=True).tolist() for rule in RULES},
    }
    if body.steps:
        run = race(body.seed, body.pairs, body.more, body.steps)
        names = {"kept": run.kept, "rescaled": run.rescaled, "fresh": run.fresh}
        answer["training"] = {name: [[*point] for point in curve.points] for name, curve in names.items()}
    return JSONResponse(answer)
