"""POST /api/chat: a conversation in tokens, and where each of them comes from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from app.web.answer import JSONResponse
from app.web.body import StrictRoute

if TYPE_CHECKING:
    from app.lab.chat.sheet import Sheet

router = APIRouter(route_class=StrictRoute, tags=["chat"])

EXAMPLE: dict[str, JsonValue] = {
    "tokenizer": "mistral-v3",
    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who wrote Faust?"}],
}


class ChatRequest(BaseModel):
    """What to write out and how."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    tokenizer: str = Field(description="An id from /api/tokenizers.")
    messages: list[dict[str, Any]] = Field(description="Messages as OpenAI’s chat API has them.")
    tools: list[dict[str, Any]] | None = Field(None, description="Definitions of functions, in the same form.")
    add_generation_prompt: bool = Field(True, description="Add what begins the answer.")
    continue_final_message: bool = Field(False, description="End in the final message, to have it continued.")
    chat_template: str | None = Field(None, description="A template in Jinja, in place of the tokenizer’s own.")
    chat_template_kwargs: dict[str, Any] = Field({}, description="Further variables for the template.")
    add_special_tokens: bool = Field(False, description="Add the special tokens around a text to the template’s own.")
    special: Literal["text", "parse"] = Field("text", description="Special tokens spelled in messages: what to do.")
    include: Annotated[
        list[Literal["prompt", "ids", "pieces", "offsets"]], Field(description="What to answer with beside sources.")
    ] = ["prompt", "ids", "pieces", "offsets"]


@router.post("/api/chat", summary="Cut a conversation into tokens")
def post(body: ChatRequest, request: Request) -> JSONResponse:
    """The written prompt, its tokens in columns, and for each where it comes from: `template`, `special`, `role`,
    `text`, `tools`, `option`, `injected` or `unattributed`, and the index of its message, if it belongs to one. The
    alarms say what is wrong."""
    from app.lab.chat.conversation import Conversation
    from app.lab.chat.sheet import opened

    registry, limit = request.app.state.registry, request.app.state.settings.max_text
    fields = body.model_dump(include={"messages", "tools", "add_generation_prompt", "continue_final_message"})
    conversation = Conversation(**fields, template=body.chat_template, options=body.chat_template_kwargs)
    options = body.model_dump(include={"special", "add_special_tokens"})
    sheet = opened(registry, body.tokenizer, conversation, limit=limit, **options)
    return JSONResponse(answer(sheet, body.include))


def answer(sheet: Sheet, include: Collection[str]) -> dict[str, Any]:
    """A conversation in tokens as plain data."""
    from app.lab.chat.tokens import NOWHERE, SOURCES
    from app.web.columns import columns

    chat = sheet.chat
    told = columns(chat.done, include)
    if "prompt" in include:
        told["prompt"] = chat.done.text
    told["sources"] = [SOURCES[place] for place in chat.sources.tolist()]
    told["messages"] = [None if index == NOWHERE else index for index in chat.messages.tolist()]
    told["counts"] = dict(sheet.counts)
    told["per_message"], told["overhead"] = sheet.per_message, chat.overhead
    told["alarms"] = [asdict(alarm) for alarm in sheet.alarms]
    return told
