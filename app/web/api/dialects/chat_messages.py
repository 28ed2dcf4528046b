"""Convert conversations in the formats of Anthropic, Gemini and OpenAI to the messages that chat templates take.

A conversation that has no such form, with a picture or a tool of the server, becomes None, and cannot be counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Message = dict[str, Any]
TEXTS = frozenset({"text", "input_text", "output_text"})


def texts(content: Any) -> list[Message] | None:
    """Return a content as parts of text, or None if another part is in it.

    >>> texts("Hello"), texts([{"type": "image"}])
    ([{'type': 'text', 'text': 'Hello'}], None)
    """
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return None
    parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") in TEXTS]
    if len(parts) < len(content) or not all(isinstance(text, str) for text in parts):
        return None
    return [{"type": "text", "text": text} for text in parts]


def functions(tools: Iterable[Mapping[str, Any]], *, schema: str, types: Sequence[str | None]) -> list[Message] | None:
    """Convert definitions of tools, whose parameters are under `schema`; None if one is no function of the client."""
    definitions = []
    for tool in tools:
        if tool.get("type") not in types or not isinstance(tool.get("name"), str):
            return None
        named = {"name": tool["name"], "description": tool.get("description"), "parameters": tool.get(schema)}
        definitions.append({"type": "function", "function": named})
    return definitions


def from_anthropic(messages: Sequence[Mapping[str, Any]], system: Any) -> list[Message] | None:
    """Convert messages of Anthropic’s API, with calls and results of tools."""
    converted: list[Message] = []
    for message in ([{"role": "system", "content": system}] if system else []) + list(messages):
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        messages_of_blocks = _blocks(message.get("role"), blocks) if isinstance(blocks, list) else None
        if messages_of_blocks is None:
            return None
        converted += messages_of_blocks
    return converted


def _blocks(role: Any, blocks: Sequence[Any]) -> list[Message] | None:
    """Convert the blocks of one message: text, calls of tools, results of tools."""
    parts = []
    calls = []
    results = []
    for block in blocks:
        match block:
            case {"type": "text", "text": str(text)}:
                parts.append({"type": "text", "text": text})
            case {"type": "tool_use", "id": str(id), "name": str(name), "input": dict(arguments)}:
                calls.append({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
            case {"type": "tool_result", "tool_use_id": str(id), **rest} if (
                answer := texts(rest.get("content", ""))
            ) is not None:
                results.append({"role": "tool", "tool_call_id": id, "content": _join_texts(answer)})
            case _:
                return None
    own: list[Message] = [{"role": role, "content": parts, **({"tool_calls": calls} if calls else {})}]
    return results + (own if parts or calls or not results else [])


def from_responses(items: str | Sequence[Mapping[str, Any]], instructions: str | None) -> list[Message] | None:
    """Convert the input of OpenAI’s API, with calls and results of functions."""
    converted: list[Message] = [{"role": "system", "content": instructions}] if instructions else []
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        match item:
            case {"type": "function_call", "call_id": str(id), "name": str(name), "arguments": str(arguments)}:
                call = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
                converted.append({"role": "assistant", "content": "", "tool_calls": [call]})
            case {"type": "function_call_output", "call_id": str(id), "output": str(answer)}:
                converted.append({"role": "tool", "tool_call_id": id, "content": answer})
            case {"role": str(role), "content": content} if item.get("type", "message") == "message":
                if (parts := texts(content)) is None:
                    return None
                converted.append({"role": role, "content": parts})
            case _:
                return None
    return converted


def from_gemini(contents: Iterable[Mapping[str, Any]]) -> list[Message] | None:
    """Convert contents of Gemini’s API, of which only texts are supported.

    >>> from_gemini([{"role": "model", "parts": [{"text": "Yes."}]}])
    [{'role': 'assistant', 'content': [{'type': 'text', 'text': 'Yes.'}]}]
    """
    roles = {"user": "user", "model": "assistant"}
    converted: list[Message] = []
    for content in contents:
        role = roles.get(content.get("role", "user"))
        parts = content["parts"]
        if role is None or any(part.keys() != {"text"} for part in parts):
            return None
        converted.append({"role": role, "content": [{"type": "text", "text": part["text"]} for part in parts]})
    return converted


def _join_texts(parts: Sequence[Message]) -> str:
    return "\n\n".join(part["text"] for part in parts)
