"""Tool definitions as the TypeScript that OpenAI's older chat models were found to read.

Nobody has published this text. Two groups of people found it by comparing counts with bills: deeper fields indented
and no descriptions of them is the form of `functions`, the other that of `tools`. See `formulas.py` for where and when.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 50
"""Levels of a schema that are written; what is nested deeper is `any`."""
INDENT = 2


@dataclass(frozen=True, slots=True)
class ToolText:
    """The text of all definitions, and where each of them lies in it, in code points."""

    text: str
    spans: tuple[tuple[int, int], ...]


def write_tools(tools: Sequence[Mapping[str, Any]], *, legacy: bool = False) -> ToolText:
    """Return definitions of functions as text; `legacy` is the form of `functions`, which came before `tools`.

    >>> print(write_tools([{"name": "now", "description": "The time"}]).text)
    namespace functions {
    <BLANKLINE>
    // The time
    type now = () => any;
    <BLANKLINE>
    } // namespace functions
    """
    parts = ["namespace functions {\n\n"]
    spans = []
    length = len(parts[0])
    for tool in tools:
        part = "".join(f"{line}\n" for line in _definition(tool, legacy)) + "\n"
        spans.append((length, length + len(part)))
        parts.append(part)
        length += len(part)
    return ToolText("".join([*parts, "} // namespace functions"]), tuple(spans))


def _definition(tool: Mapping[str, Any], legacy: bool) -> Iterator[str]:
    yield from _comment(tool.get("description"), legacy)
    schema = tool.get("parameters")
    name = tool.get("name", "")
    if isinstance(schema, Mapping) and _properties(schema):
        yield f"type {name} = (_: {_object(schema, -INDENT, 0, legacy)}) => any;"
    else:
        yield f"type {name} = () => any;"


def _comment(description: Any, legacy: bool) -> Iterator[str]:
    if isinstance(description, str) and description:
        yield from (f"// {line}" if line else "//" for line in ([description] if legacy else description.split("\n")))


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _members(schema: Mapping[str, Any], indent: int, depth: int, legacy: bool) -> Iterator[str]:
    """Yield the lines of the properties of an object."""
    required = schema.get("required")
    required = required if isinstance(required, list) else []
    for name, member in _properties(schema).items():
        member = member if isinstance(member, Mapping) else {}
        # The older form loses the descriptions of what is nested twice.
        if not legacy or indent < INDENT:
            yield from (" " * indent + line for line in _comment(member.get("description"), legacy))
        optional = "" if name in required else "?"
        yield f"{' ' * indent}{name}{optional}: {_type(member, indent, depth, legacy)},"


def _type(schema: Mapping[str, Any], indent: int, depth: int, legacy: bool) -> str:
    if depth >= MAX_DEPTH:
        return "any"
    choices = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(choices, list):
        return " | ".join(_type(one, indent, depth + 1, legacy) for one in choices if isinstance(one, Mapping))
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = dict.fromkeys(one for one in kind if isinstance(one, str))  # each once, or deep schemas would explode
        return " | ".join(_type({**schema, "type": one}, indent, depth + 1, legacy) for one in kinds)
    if kind in ("string", "number", "integer") and isinstance(schema.get("enum"), list):
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    if kind == "object":
        return _object(schema, indent, depth, legacy)
    if kind == "array":
        items = schema.get("items")
        if not isinstance(items, Mapping):
            return "any[]"
        inner = _type(items, indent, depth + 1, legacy)
        return f"Array<\n{inner}\n>" if items.get("type") == "object" and not legacy else f"{inner}[]"
    return {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}.get(
        kind if isinstance(kind, str) else "", "any"
    )


def _object(schema: Mapping[str, Any], indent: int, depth: int, legacy: bool) -> str:
    members = [*_members(schema, indent + INDENT if legacy else 0, depth + 1, legacy)]
    described = any(isinstance(one, Mapping) and one.get("description") for one in _properties(schema).values())
    if not legacy and not described:
        return f"{{ {' '.join(members).removesuffix(',')} }}"
    return "\n".join(["{", *members, "}"])
