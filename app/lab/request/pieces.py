"""The pieces of a chat: each text, call, picture and definition by its name, however its model counts it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .parts import PartKind
from .values import join_parts, mapping, objects, text_of

SYSTEM = ("system", "developer")
NAMES = {"input_audio": "sound", "audio": "sound", "input_file": "file"}
PICTURES = ("image_url", "input_image", "image")
PieceType = Literal["text", "thinking", "call", "function_call", "media", "function", "tool", "schema", "uncounted"]
"""`function_call` and `function` are the forms of OpenAI's API from before it had tools."""


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """A piece of a prompt: a text, or a call, a part of a content or a definition as JSON; and of which message."""

    type: PieceType
    kind: PartKind
    name: str
    value: Any = None
    message: int | None = None


def list_pieces(chat: Mapping[str, Any]) -> Iterator[PromptPiece]:
    """Yield the pieces of a chat, those of messages first.

    >>> [(one.type, one.name, one.value) for one in list_pieces({"messages": [{"role": "user", "content": "Hi"}]})]
    [('text', '1 · user', 'Hi')]
    """
    for index, message in enumerate(objects(chat.get("messages"))):
        yield from _list_message(message, index)
    forms: tuple[tuple[str, PieceType], ...] = (("functions", "function"), ("tools", "tool"))
    for key, type in forms:
        for tool in objects(chat.get(key)):
            definition = mapping(tool.get("function")) or tool
            yield PromptPiece(type, "tool", name_of(definition), definition)
    if schema := mapping(mapping(mapping(chat.get("response_format")).get("json_schema")).get("schema")):
        yield PromptPiece("schema", "tool", "Structured output", schema)
    yield from (PromptPiece("uncounted", "tool", name) for name in chat.get("uncounted", ()))


def _list_message(message: Mapping[str, Any], index: int) -> Iterator[PromptPiece]:
    name = f"{index + 1} · {text_of(message.get('role')) or 'unnamed role'}"
    if text := join_parts(message.get("content")):
        yield PromptPiece("text", kind_of(message), name, text, index)
    if thought := text_of(message.get("reasoning_content")):
        yield PromptPiece("thinking", "message", f"{name}: thinking", thought, index)
    for part in objects(message.get("content")):
        type = text_of(part.get("type"))
        if type and "text" not in part:
            what = "picture" if type in PICTURES else NAMES.get(type, type)
            yield PromptPiece("media", "media", f"{name}: {what}", part, index)
    for call in objects(message.get("tool_calls")):
        function = mapping(call.get("function"))
        yield PromptPiece("call", "call", f"{name} calls {text_of(function.get('name'))}", function, index)
    if function := mapping(message.get("function_call")):
        yield PromptPiece("function_call", "call", f"{name} calls {text_of(function.get('name'))}", function, index)


def kind_of(message: Mapping[str, Any]) -> PartKind:
    """Return what the text of a message is."""
    role = text_of(message.get("role"))
    return "system" if role in SYSTEM else "result" if role in ("tool", "function") else "message"


def name_of(tool: Mapping[str, Any]) -> str:
    """Return the name of a definition."""
    return text_of(mapping(tool.get("function")).get("name")) or text_of(tool.get("name")) or "unnamed"
