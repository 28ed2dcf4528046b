"""A script: a conversation as people type it, line by line, a tool’s call as `name({…})`."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from app.errors import Invalid

Speaker = Literal["system", "user", "assistant", "call", "tool"]
SPEAKERS: tuple[Speaker, ...] = get_args(Speaker)
CALL = re.compile(r"\s*([\w.-]+)\s*\((.*)\)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Line:
    """Who says what; a `call` is the assistant’s call of a tool, and `tool` what that answers."""

    speaker: Speaker
    text: str = ""


def messages(script: Sequence[Line]) -> list[dict[str, Any]]:
    """The messages that a script stands for; calls are numbered, and each answer goes to the first without one.

    >>> messages([Line("call", 'add({"a": 1})')])[0]["tool_calls"][0]["function"]
    {'name': 'add', 'arguments': '{"a": 1}'}

    Raises `Invalid` for a call that is none.
    """
    found: list[dict[str, Any]] = []
    waiting: list[str] = []
    for number, line in enumerate(script, 1):
        match line.speaker:
            case "call":
                waiting.append(f"call{number:05}")
                found.append(
                    {"role": "assistant", "content": "", "tool_calls": [_call(line.text, waiting[-1], number)]}
                )
            case "tool":
                id = waiting.pop(0) if waiting else f"call{number:05}"
                found.append({"role": "tool", "tool_call_id": id, "content": line.text})
            case speaker:
                found.append({"role": speaker, "content": line.text})
    return found


def _call(text: str, id: str, number: int) -> dict[str, Any]:
    match = CALL.fullmatch(text)
    try:
        given = json.loads(match[2] or "{}") if match else None
    except (ValueError, RecursionError):
        given = None
    if match is None or not isinstance(given, dict):
        raise Invalid(f"Message {number} calls a tool: write its name and a JSON object, as in add({{…}}).")
    return {"id": id, "type": "function", "function": {"name": match[1], "arguments": match[2] or "{}"}}


def definitions(text: str) -> list[dict[str, Any]] | None:
    """Tool definitions, a JSON list or one of them, or None where there is nothing. Raises `Invalid`."""
    if not text.strip():
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Invalid("The tools are no JSON.", pointer="/tools") from None
    tools = found if isinstance(found, list) else [found]
    if not all(isinstance(tool, dict) for tool in tools):
        raise Invalid("The tools are a JSON list of definitions.", pointer="/tools")
    return tools
