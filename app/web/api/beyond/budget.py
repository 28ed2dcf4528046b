"""POST /api/budget: text, pictures, sound and video of one prompt as tokens of a model."""

from typing import Any

from fastapi import Request
from pydantic import ConfigDict, Field, JsonValue

from ....lab.beyond.budget import Prompt, budget, budget_model
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


class BudgetRequest(Prompt):
    """A prompt, and the model that reads it."""

    model_config = ConfigDict(json_schema_extra={"example": EXAMPLE})

    model: str = Field(description="An id; an unknown one is refused with the list of all.")


@router.post("/api/budget", operation_id="count_prompt", summary="Count the tokens of a whole prompt")
@RoutePolicy(cors=True)
def post(body: BudgetRequest, request: Request) -> JSONResponse:
    """Each part has its tokens, the formula and its source; null for what no source says. `complete` is false if there
    is such a part: `tokens`, `share` of the context window and `cost` in dollars are then lower bounds."""
    one = budget(get_services(request).registry, budget_model(body.model), body)
    money = one.money
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
