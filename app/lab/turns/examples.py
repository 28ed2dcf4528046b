"""A conversation on which templates differ: reasoning, two tools, calls in a loop, and a second question."""

from __future__ import annotations

import json
from typing import Any

from ..chat.conversation import Conversation


def _tool(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _call(number: int, reasoning: str, name: str, arguments: dict[str, Any], result: str) -> list[dict[str, Any]]:
    """Return a call of a tool and its result."""
    id = f"call{number:05}"
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return [
        {"role": "assistant", "content": "", "reasoning_content": reasoning, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": id, "name": name, "content": result},
    ]


TOOLS = [
    _tool(
        "get_weather",
        "Get the weather of a city",
        {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["c", "f"]}},
        ["city"],
    ),
    _tool("convert", "Convert a temperature", {"value": {"type": "number"}, "to": {"type": "string"}}, ["value", "to"]),
]
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You are terse."},
    {"role": "user", "content": "Weather in Zürich, in Fahrenheit?"},
    *_call(1, "First the weather.", "get_weather", {"city": "Zürich", "unit": "c"}, '{"t": 18}'),
    *_call(2, "Now convert.", "convert", {"value": 18, "to": "f"}, "64.4"),
    {"role": "assistant", "content": "64.4 F.", "reasoning_content": "Done."},
    {"role": "user", "content": "And in Rome?"},
    *_call(3, "Weather of Rome.", "get_weather", {"city": "Rome", "unit": "f"}, '{"t": 70}'),
    {"role": "assistant", "content": "70 F.", "reasoning_content": "Easy."},
]
EXAMPLE = Conversation(MESSAGES, TOOLS)


def make_log(model: str) -> str:
    """Return the requests of the conversation to a model, one on each line; the last has no answer yet."""
    ends = [place for place, message in enumerate(MESSAGES) if message["role"] == "assistant"]
    requests = [{"model": model, "messages": MESSAGES[:end], "tools": TOOLS} for end in ends]
    return "".join(f"{json.dumps(request, ensure_ascii=False)}\n" for request in requests)
