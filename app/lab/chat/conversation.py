"""A conversation, and what of it a chat template is given to see."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.errors import Invalid
from app.lab.chat.provenance import TEMPLATE, Origin
from app.types import ChatTemplate

TAG = "CONTINUE_FINAL_MESSAGE_TAG "
"""What stands behind the final message while it is written out, to cut there; transformers spells it so."""
THOUGHTS = ("reasoning_content", "thinking", "reasoning")
"""The names under which a message may hold its reasoning."""

Mark = Callable[[Any, Origin], Any]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages as OpenAI’s chat API has them, and how they are to be written out.

    `template` is one to use instead of the tokenizer’s own, `options` are further variables for it, and `now` is the
    time that it takes it to be.
    """

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] | None = None
    add_generation_prompt: bool = True
    continue_final_message: bool = False
    template: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    now: datetime | None = None


def variables(
    conversation: Conversation, template: ChatTemplate, *, parts: bool, mark: Mark = lambda value, origin: value
) -> dict[str, Any]:
    """What a template can name; `parts` says that it reads contents in parts, and `mark` adds origins to values.

    Raises `Invalid`.
    """
    messages = [seen(one, parts=parts) for one in conversation.messages]
    if conversation.continue_final_message:
        messages = [*messages[:-1], _tagged(messages)]
    return {
        **{name: mark(token, TEMPLATE) for name, token in template.variables.items()},
        "tools": mark(list(conversation.tools), Origin("tools")) if conversation.tools else None,
        "documents": None,
        "add_generation_prompt": conversation.add_generation_prompt,
        **mark(dict(conversation.options), Origin("option")),
        "messages": [_marked(one, i, mark) for i, one in enumerate(messages)],
    }


def seen(message: Mapping[str, Any], *, parts: bool = True) -> dict[str, Any]:
    """A message as templates see it: its reasoning under every name, the arguments of calls as data.

    A tool’s result that is JSON is there as data too, as `content_json`; that is for our own templates.

    >>> seen({"role": "tool", "content": "[1]"})["content_json"]
    [1]
    """
    found = dict(message)
    thoughts = next((message[name] for name in THOUGHTS if message.get(name) is not None), None)
    if thoughts is not None:
        found = {"thinking": thoughts, **found, "reasoning_content": thoughts}
    if isinstance(calls := message.get("tool_calls"), list):
        found["tool_calls"] = [_call(call) for call in calls]
    content = message.get("content")
    if message.get("role") == "tool" and isinstance(content, str):
        found["content_json"] = _data(content)
    if not parts and isinstance(content, list):
        found["content"] = "\n".join(_text(part) for part in content)
    return found


def _call(call: Any) -> Any:
    """A tool call whose arguments are data."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(arguments := function.get("arguments") or "", str):
        return call
    return {**call, "function": {**function, "arguments": _data(arguments)}}


def _data(text: str) -> Any:
    """What JSON says, nothing being an empty object, or the text where it is none."""
    try:
        return json.loads(text or "{}")
    except (ValueError, RecursionError):
        return text


def _text(part: Any) -> str:
    if isinstance(part, dict) and isinstance(text := part.get("text"), str):
        return text
    raise Invalid("A part of a message is no text.", pointer="/messages")


def _marked(message: Mapping[str, Any], index: int, mark: Mark) -> dict[str, Any]:
    text = Origin("text", index)
    return {
        mark(key, text): mark(value, Origin("role", index) if key == "role" else text) for key, value in message.items()
    }


def _tagged(messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The final message with the tag behind its text. Raises `Invalid` where it has none."""
    content = messages[-1].get("content") if messages else None
    if isinstance(content, list):
        last = max((i for i, part in enumerate(content) if isinstance(part, dict) and "text" in part), default=None)
        if last is not None:
            part = {**content[last], "text": f"{content[last]['text']}{TAG}"}
            return {**messages[-1], "content": [*content[:last], part, *content[last + 1 :]]}
    if not isinstance(content, str):
        raise Invalid("There is no final message with a text to continue.", pointer="/messages")
    return {**messages[-1], "content": content + TAG}


def continued(text: str) -> str:
    """The written text up to where the final message is to be continued. Raises `Invalid` where that is lost.

    >>> continued("[INST]Hi[/INST]Well, CONTINUE_FINAL_MESSAGE_TAG</s>")
    '[INST]Hi[/INST]Well,'
    """
    at = text.rfind(TAG.rstrip())
    if at < 0:
        raise Invalid("The template leaves out the final message, which cannot be continued then.", pointer="/messages")
    return text[:at] if text[at : at + len(TAG)] == TAG else text[:at].rstrip()
