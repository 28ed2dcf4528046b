"""POST /api/turns: whether each turn of a conversation begins with the ids of the turns before it."""

from typing import Any

from fastapi import Request
from pydantic import ConfigDict, Field, JsonValue

from ...lab.option_schema import Items
from ...lab.turns.report import TurnsOptions, examine_conversations
from ...serialize.turns import serialize_turns
from ..body import JSONResponse
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["chat"])
EXAMPLE: dict[str, JsonValue] = {
    "model": "qwen3",
    "conversation": [
        {"role": "user", "content": "Who wrote Faust?"},
        {"role": "assistant", "reasoning_content": "A play.", "content": "Goethe."},
        {"role": "user", "content": "And who put it to music?"},
    ],
}


class TurnsRequest(TurnsOptions):
    """Conversations, and the model that reads them."""

    model_config = ConfigDict(json_schema_extra={"example": EXAMPLE})

    conversation: dict[str, Any] | Items[dict[str, Any]] = Field(
        description="Messages as OpenAI’s chat API has them; a row of a training set of TRL, verl or ShareGPT; or the "
        "requests of a log, of which each continues the one before. Or a list of rows."
    )


@router.post("/api/turns", operation_id="examine_turns", summary="Compare the turns of a conversation")
@RoutePolicy(cors=True, untrusted=lambda arguments: arguments["body"].chat_template is not None)
def post(body: TurnsRequest, request: Request) -> JSONResponse:
    """Of each turn the prompt before the assistant’s message and the whole with it, as ids. Three prefixes are checked:
    of a prompt in its turn (`generation`), of a turn in the next prompt (`turn`), and of a prompt in the next one
    (`prompt`), which is what a cache sees. Where ids are lost, `difference` is the first one and `cause` says why;
    `mends` are arguments of the template and training templates that lose fewer, each tried on this conversation.
    `new_ids` are those after the `shared` ones. Nothing is stored."""
    services = get_services(request)
    limit = services.settings.max_text
    reports = examine_conversations(services.registry, body.conversation, body, limit=limit)
    return JSONResponse({"conversations": [serialize_turns(report) for report in reports]})
