"""POST /api/costs: what one text costs in the models that people pay for."""

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ...lab.costs import count_costs, find_paid, list_paid_models
from ...lab.option_schema import Items
from ...serialize.costs import serialize_costs
from ..body import JSONResponse, MeasuredRatio
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["compare"])
EXAMPLE: dict[str, JsonValue] = {"text": "1234567 + 7654321", "models": ["gpt-5", "claude-sonnet-5", "gemini-3.1"]}


class CostsRequest(BaseModel):
    """A text, and the models that are to read it."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    text: str
    models: Items[str] = Field([], max_length=100, description="Ids; without any, all models with a price.")
    output_tokens: int = Field(0, ge=0, le=10_000_000, description="Tokens of an expected answer.")
    ratio: MeasuredRatio = None


@router.post("/api/costs", operation_id="compare_costs", summary="Compare the costs of a text")
@RoutePolicy(cors=True)
def post(body: CostsRequest, request: Request) -> JSONResponse:
    """Tokens, dollars and the share of the context window by model, with the date and the source of each price.

    The tokens are those that the text has in a prompt, see /api/request; what a chat format adds is not among them.

    `count` is `exact`; `range` with its source in `reason`, where no tokenizer is public; `on request` where the
    tokenizer can be downloaded after its licence is accepted; `unknown` or `failed` with a reason.
    """
    chosen = find_paid(body.models) if body.models else list_paid_models()
    services = get_services(request)
    costs = count_costs(
        services.registry,
        body.text,
        chosen,
        limit=services.settings.max_text,
        output_tokens=body.output_tokens,
        ratio=(min(body.ratio), max(body.ratio)) if body.ratio else None,
    )
    return JSONResponse(serialize_costs(costs))
