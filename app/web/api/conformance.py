"""POST /api/conformance: whether both engines of tokenizers agree on a text, a line for each as it is ready."""

from dataclasses import asdict
from typing import Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ...lab.agreement import check_agreement, compare_engines
from ...lab.option_schema import Items
from ...registry import Registry
from ..ndjson import describe_lines
from ..policy import RoutePolicy
from ..ready_lines import ReadyLines, compute_lines
from ..routing import Router
from ..services import get_services

router = Router(tags=["compare"])
EXAMPLE: dict[str, JsonValue] = {"text": "Hello, 🌍! 你好!", "tokenizers": ["o200k_base"]}
LINE = """\
{"index":0,"tokenizer":"o200k_base","reference":"tiktoken","agrees":true,"tokens":8,"difference":null,"reason":""}
"""


class ConformanceRequest(BaseModel):
    """A text on which engines are compared."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    text: str = Field(description="The text that both engines tokenize, at most 100,000 bytes.")
    tokenizers: Items[str] = Field(
        description="Ids from /api/tokenizers, each of a tokenizer with two engines.", json_schema_extra={"minItems": 1}
    )


@router.post(
    "/api/conformance",
    operation_id="compare_engines",
    summary="Compare the engines of each tokenizer on a text",
    status_code=200,
    response_class=ReadyLines,
    responses=describe_lines("One line for each tokenizer.", LINE),
)
@RoutePolicy(run="server")
def post(body: ConformanceRequest, request: Request) -> ReadyLines:
    """Ids, spans and flags of the library and of the engine written from scratch. `difference` has the first token that
    differs and the stage at which they diverge; `agrees` is null where one gives no tokens, with the `reason`."""
    ids = check_agreement(get_services(request).registry, body.text, body.tokenizers)
    return ReadyLines(compute_lines(request, _line, ids, body.text))


def _line(registry: Registry, id: str, text: str) -> dict[str, Any]:
    return asdict(compare_engines(registry, text, id))
