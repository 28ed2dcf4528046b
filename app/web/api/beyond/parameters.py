"""POST /api/beyond/parameters: a Pattention layer that grows, by how much its output moves, and its training."""

from fastapi import Request

from ....lab.beyond.parameters.layer import RULES, GrowthOptions, grow, race
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router

router = Router(tags=["beyond"])


@router.post(
    "/api/beyond/parameters", operation_id="grow_parameters", summary="Grow a layer whose parameters are tokens"
)
@RoutePolicy(cors=True)
def post(body: GrowthOptions, request: Request) -> JSONResponse:
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
