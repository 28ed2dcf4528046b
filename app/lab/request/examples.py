"""Examples of the page: an agent's request, one to an open model, one to Claude with its bill, and a log."""

from __future__ import annotations

import json
from typing import Any

from ..examples import TextExample

MODELS = (
    *("gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-5", "o3", "claude-opus-5", "claude-sonnet-4-5", "claude-haiku-4-5"),
    *("gemini-2.5-pro", "gemini-3.1-pro-preview", "qwen3", "qwen3.5", "deepseek-v3", "glm-4", "kimi-k2", "gemma4"),
    *("gpt-oss-120b", "mistral-v3", "tekken", "phi-3"),
)
"""Models that the page suggests."""


def _schema(**properties: str) -> dict[str, Any]:
    members = {name: {"type": "string", "description": text} for name, text in properties.items()}
    return {"type": "object", "properties": members, "required": [*members]}


SYSTEM = "You are the assistant of a railway. Answer briefly, and look times up before you name them."
QUESTION = "When does the next train from Weimar to Leipzig leave, and is there a seat for my bicycle?"
FIND = "Find connections between two stations on a day, with changes, platforms and prices"
BOOK = "Reserve seats and places for bicycles on a train that was found"
FIND_SCHEMA = _schema(origin="Station of departure", destination="Station of arrival", time="ISO 8601, local time")
BOOK_SCHEMA = _schema(train="Number of the train", place="seat or bicycle")
FOUND = [
    {"train": f"RE {number}", "departure": f"1{number}:04", "platform": number, "price": 17.5} for number in range(4)
]


def _function(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


TOOLS = [_function("find_trains", FIND, FIND_SCHEMA), _function("reserve", BOOK, BOOK_SCHEMA)]
CALL = {
    "id": "call00001",
    "type": "function",
    "function": {
        "name": "find_trains",
        "arguments": '{"origin": "Weimar", "destination": "Leipzig", "time": "2026-11-23T10:00"}',
    },
}
AGENT = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call00001", "content": json.dumps(FOUND, indent=2)},
    ],
    "tools": TOOLS,
}
CLAUDE = {
    "model": "claude-sonnet-4-5",
    "system": SYSTEM,
    "messages": [{"role": "user", "content": QUESTION}],
    "tools": [
        {"name": "find_trains", "description": FIND, "input_schema": FIND_SCHEMA},
        {"name": "reserve", "description": BOOK, "input_schema": BOOK_SCHEMA},
    ],
    "usage": {"input_tokens": 812, "output_tokens": 64},
}


def _log() -> str:
    """Return a log of three requests, of which a time in the system prompt spoils the cache."""
    lines = []
    for minute in range(3):
        dated = {"role": "system", "content": f"It is 10:0{minute}. {SYSTEM}"}
        body = {**AGENT, "messages": [dated, *AGENT["messages"][1:]]}
        usage = {"prompt_tokens": 371 + minute, "completion_tokens": 40, "prompt_tokens_details": {"cached_tokens": 0}}
        record = {"timestamp": f"2026-11-2{minute + 1}T10:00:00Z", "request": body, "response": {"usage": usage}}
        lines.append(json.dumps(record))
    return "\n".join(lines)


EXAMPLES = (
    TextExample(
        "agent",
        "An agent’s request",
        "Tools and their results cost more than the question",
        json.dumps(AGENT, indent=2),
    ),
    TextExample(
        "open",
        "An open model",
        "The chat template writes the prompt",
        json.dumps({**AGENT, "model": "qwen3"}, indent=2),
    ),
    TextExample("claude", "Claude, with its bill", "A range, and what the bill says", json.dumps(CLAUDE, indent=2)),
    TextExample("log", "A log", "Three requests, a line each", _log()),
)
