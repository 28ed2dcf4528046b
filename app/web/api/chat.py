"""POST /api/chat: the tokens of a conversation, and the source of each."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ...lab.chat.conversation import Conversation
from ...lab.chat.tokens import NO_MESSAGE, SOURCES
from ...lab.chat.view import COLUMNS, ChatColumn, ChatView, chat_view
from ...lab.models import resolve_model
from ...lab.option_schema import Items
from ...serialize.columns import columns
from ..body import JSONResponse
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["chat"])

EXAMPLE: dict[str, JsonValue] = {
    "tokenizer": "mistral-v3",
    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who wrote Faust?"}],
}


class ChatRequest(BaseModel):
    """A conversation to render and tokenize."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    tokenizer: str = Field(description="An id from /api/tokenizers, or the name of a model.")
    messages: Items[dict[str, Any]] = Field(description="Messages as OpenAI’s chat API has them.")
    tools: Items[dict[str, Any]] | None = Field(None, description="Definitions of functions, in the same form.")
    add_generation_prompt: bool = Field(True, description="Add the generation prompt, which begins the answer.")
    continue_final_message: bool | Annotated[str, Field(max_length=100)] = Field(
        False, description="End in the final message, to have it continued: its content, or the field of this name."
    )
    chat_template: str | None = Field(None, description="A template in Jinja, in place of the tokenizer’s own.")
    chat_template_kwargs: dict[str, Any] = Field({}, description="Further variables for the template.")
    add_special_tokens: bool = Field(False, description="Also add BOS and EOS around the rendered text.")
    special: Literal["text", "parse"] = Field(
        "text", description="Special tokens in messages: treat as text, or recognize (`parse`)."
    )
    include: Annotated[
        Items[ChatColumn],
        Field(description="Parts of the answer beside the sources; `mask` has 1 for each token in the loss."),
    ] = [*COLUMNS]


@router.post("/api/chat", operation_id="tokenize_chat", summary="Tokenize a conversation")
@RoutePolicy(cors=True, untrusted=lambda arguments: arguments["body"].chat_template is not None)
def post(body: ChatRequest, request: Request) -> JSONResponse:
    """The rendered prompt, its tokens in columns, and the source of each: `template`, `special`, `role`, `text`,
    `tools`, `option`, `injected` or `unattributed`, with the index of its message, if it belongs to one. `alarms` are
    warnings. The `mask` follows from the template’s tag `generation`, or from prompts that are `prefixes`."""
    registry = get_services(request).registry
    limit = get_services(request).settings.max_text
    fields = body.model_dump(include={"messages", "tools", "add_generation_prompt", "continue_final_message"})
    conversation = Conversation(
        **fields, template=body.chat_template, model=body.tokenizer, options=body.chat_template_kwargs
    )
    options = body.model_dump(include={"special", "add_special_tokens"})
    id = resolve_model(registry, body.tokenizer, pointer="/tokenizer")
    view = chat_view(registry, id, conversation, limit=limit, loss="mask" in body.include, **options)
    return JSONResponse(answer(view, body.include))


def answer(view: ChatView, include: Collection[str]) -> dict[str, Any]:
    """Return the tokens of a conversation as plain data."""
    chat = view.chat
    fields = columns(chat.tokenization, include)
    if "prompt" in include:
        fields["prompt"] = chat.tokenization.text
    fields["sources"] = [SOURCES[place] for place in chat.sources.tolist()]
    fields["messages"] = [None if index == NO_MESSAGE else index for index in chat.messages.tolist()]
    if view.loss:
        fields["mask"], fields["mask_basis"] = view.mask, view.loss.basis
    fields["counts"] = dict(view.counts)
    fields["per_message"], fields["overhead"] = view.per_message, chat.overhead
    fields["alarms"] = [asdict(warning) for warning in view.warnings]
    return fields
