"""Turns: conversations as the counting endpoints spell them, in the form that chat templates take.

What has no such form, a picture or a tool of the server’s own, is None, and so cannot be counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Message = dict[str, Any]
TEXTS = frozenset({"text", "input_text", "output_text"})


def texts(content: Any) -> list[Message] | None:
    """A content as parts that are text.

    >>> texts("Hello"), texts([{"type": "image"}])
    ([{'type': 'text', 'text': 'Hello'}], None)
    """
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return None
    found = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") in TEXTS]
    if len(found) < len(content) or not all(isinstance(text, str) for text in found):
        return None
    return [{"type": "text", "text": text} for text in found]


def functions(tools: Iterable[Mapping[str, Any]], *, schema: str, types: Sequence[str | None]) -> list[Message] | None:
    """Tool definitions, whose parameters stand under `schema`, where all are functions of the client’s."""
    found = []
    for tool in tools:
        if tool.get("type") not in types or not isinstance(tool.get("name"), str):
            return None
        named = {"name": tool["name"], "description": tool.get("description"), "parameters": tool.get(schema)}
        found.append({"type": "function", "function": named})
    return found


def from_anthropic(messages: Sequence[Mapping[str, Any]], system: Any) -> list[Message] | None:
    """Anthropic’s messages, with what their tools were asked and answered."""
    found: list[Message] = []
    for message in ([{"role": "system", "content": system}] if system else []) + list(messages):
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        turns = _blocks(message.get("role"), blocks) if isinstance(blocks, list) else None
        if turns is None:
            return None
        found += turns
    return found


def _blocks(role: Any, blocks: Sequence[Any]) -> list[Message] | None:
    """The blocks of one message: its text, calls of tools, results of tools."""
    said, calls, results = [], [], []
    for block in blocks:
        match block:
            case {"type": "text", "text": str(text)}:
                said.append({"type": "text", "text": text})
            case {"type": "tool_use", "id": str(id), "name": str(name), "input": dict(given)}:
                calls.append({"id": id, "type": "function", "function": {"name": name, "arguments": given}})
            case {"type": "tool_result", "tool_use_id": str(id), **rest} if (
                answer := texts(rest.get("content", ""))
            ) is not None:
                results.append({"role": "tool", "tool_call_id": id, "content": _one(answer)})
            case _:
                return None
    spoken: list[Message] = [{"role": role, "content": said, **({"tool_calls": calls} if calls else {})}]
    return results + (spoken if said or calls or not results else [])


def from_responses(items: str | Sequence[Mapping[str, Any]], instructions: str | None) -> list[Message] | None:
    """OpenAI’s input, with what its functions were asked and answered."""
    found: list[Message] = [{"role": "system", "content": instructions}] if instructions else []
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        match item:
            case {"type": "function_call", "call_id": str(id), "name": str(name), "arguments": str(given)}:
                call = {"id": id, "type": "function", "function": {"name": name, "arguments": given}}
                found.append({"role": "assistant", "content": "", "tool_calls": [call]})
            case {"type": "function_call_output", "call_id": str(id), "output": str(answer)}:
                found.append({"role": "tool", "tool_call_id": id, "content": answer})
            case {"role": str(role), "content": content} if item.get("type", "message") == "message":
                if (said := texts(content)) is None:
                    return None
                found.append({"role": role, "content": said})
            case _:
                return None
    return found


def from_gemini(contents: Iterable[Mapping[str, Any]]) -> list[Message] | None:
    """Gemini’s contents, of which only texts are known.

    >>> from_gemini([{"role": "model", "parts": [{"text": "Yes."}]}])
    [{'role': 'assistant', 'content': [{'type': 'text', 'text': 'Yes.'}]}]
    """
    roles = {"user": "user", "model": "assistant"}
    found: list[Message] = []
    for content in contents:
        role, parts = roles.get(content.get("role", "user")), content["parts"]
        if role is None or any(part.keys() != {"text"} for part in parts):
            return None
        found.append({"role": role, "content": [{"type": "text", "text": part["text"]} for part in parts]})
    return found


def _one(parts: Sequence[Message]) -> str:
    return "\n\n".join(part["text"] for part in parts)
