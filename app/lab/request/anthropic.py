"""Anthropic's Messages: every text in the range of Claude's tokens, and what its documentation says of tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from ..costs import Span
from .formulas import CLAUDE_DEFINITIONS, CLAUDE_FORMAT, CLAUDE_TOOLS
from .media import PictureRule, count_picture, find_picture_rule, unknown_media
from .parts import PartCounter, RequestPart
from .values import compact_json, join_parts, mapping, objects, text_of

TOOL_TOKENS = {
    "claude-opus-5*": (286, 406),
    "claude-opus-4-8*": (290, 410),
    "claude-opus-4-7*": (675, 804),
    "claude-opus-4-6*": (497, 589),
    "claude-sonnet-4-6*": (497, 589),
    "claude-*-4-5*": (496, 588),
    "claude-sonnet-5*": (354, 474),
    "claude-opus-4*": (313, 315),
    "claude-sonnet-4*": (313, 315),
    "claude-3-5-haiku*": (264, 355),
}
"""Tokens that tools add, by model: with the tool choice auto or none, and with any or a named one."""


def count_anthropic(counter: PartCounter, body: Mapping[str, Any]) -> list[RequestPart]:
    """Return the parts of a body of Anthropic's Messages."""
    rule = find_picture_rule(counter.model, body)
    parts = []
    if system := join_parts(body.get("system")):
        parts.append(counter.part("system", "system", system))
    for index, message in enumerate(objects(body.get("messages"))):
        parts += _message(counter, message, index, rule)
    parts += [_definition(counter, tool) for tool in objects(body.get("tools"))]
    if body.get("tools"):
        parts.append(_tools(counter.model.name, body))
    return [*parts, RequestPart("format", "Roles and turns", None, "unknown", CLAUDE_FORMAT)]


def _message(
    counter: PartCounter, message: Mapping[str, Any], index: int, rule: PictureRule | None
) -> Iterator[RequestPart]:
    name = f"{index + 1} · {text_of(message.get('role')) or 'unnamed role'}"
    content = message.get("content")
    if text := join_parts(content):
        yield counter.part("message", name, text, message=index)
    for block in objects(content):
        match block.get("type"):
            case "thinking":
                yield counter.part("message", f"{name}: thinking", text_of(block.get("thinking")), message=index)
            case "tool_use":
                text = compact_json({"name": block.get("name"), "input": block.get("input")})
                yield counter.part("call", f"{name} calls {text_of(block.get('name'))}", text, message=index)
            case "tool_result":
                yield from _result(counter, block, name, index, rule)
            case "image":
                yield _picture(block, name, index, rule)
            case "document":
                yield unknown_media(f"{name}: document", message=index)


def _result(
    counter: PartCounter, block: Mapping[str, Any], name: str, index: int, rule: PictureRule | None
) -> Iterator[RequestPart]:
    if text := join_parts(block.get("content")):
        yield counter.part("result", f"{name}: result", text, message=index)
    for inner in objects(block.get("content")):
        if inner.get("type") == "image":
            yield _picture(inner, name, index, rule)


def _picture(block: Mapping[str, Any], name: str, index: int, rule: PictureRule | None) -> RequestPart:
    source = mapping(block.get("source"))
    data = text_of(source.get("data")) if source.get("type") == "base64" else None
    return count_picture(f"{name}: picture", rule, data, message=index)


def _definition(counter: PartCounter, tool: Mapping[str, Any]) -> RequestPart:
    """Return a definition between compact and indented JSON."""
    tool = mapping(tool.get("function")) or tool  # some clients send the definitions of another API
    known = {key: tool[key] for key in ("name", "description", "input_schema", "parameters") if tool.get(key)}
    if "input_schema" in known:
        known.pop("parameters", None)
    part = counter.part("tool", text_of(tool.get("name")) or "unnamed", compact_json(known))
    longest = counter.count(json.dumps(known, ensure_ascii=False, indent=2))
    return replace(part, tokens=part.tokens and Span(part.tokens.low, longest.high), formula=CLAUDE_DEFINITIONS)


def _tools(model: str, body: Mapping[str, Any]) -> RequestPart:
    """Return what tools add to a request by the documentation; not known for a model that it does not name."""
    name = model.casefold().rpartition("/")[2].removeprefix("anthropic.").replace(".", "-")
    forced = mapping(body.get("tool_choice")).get("type") in ("any", "tool")
    for pattern, counts in TOOL_TOKENS.items():
        if fnmatchcase(name, pattern):
            tokens = Span(counts[forced], counts[forced])
            return RequestPart("format", "Instructions for tools", tokens, "formula", CLAUDE_TOOLS)
    return RequestPart("format", "Instructions for tools", None, "unknown", CLAUDE_TOOLS)
