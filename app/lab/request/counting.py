"""Count a request: choose the model and the way of counting, and return its parts with their tokens.

Of Anthropic's Messages every text has the range of Claude's tokens, and tools what its documentation says. Gemini's
generateContent is counted text by text, as Google's SDK counts on the client, and media by its documentation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from ...errors import TooLarge
from ...registry import Registry
from ..costs import Span
from .conversions import convert_body, declared, either, is_function
from .formulas import CLAUDE_DEFINITIONS, CLAUDE_FORMAT, CLAUDE_TOOLS, GEMINI
from .media import PictureRule, count_picture, find_picture_rule, unknown_media
from .open_models import count_open
from .openai import count_chat
from .parts import KnownTexts, PartCounter, PartKind, RequestCount, RequestPart
from .recognition import FORMATS, ApiFormat, ModelCall
from .targets import Family, find_target
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
MAX_DEPTH = 50
MAX_ITEMS = 20_000
"""Messages of a request, and tools of one."""
NATIVE: Mapping[Family, ApiFormat] = {"claude": "anthropic", "gemini": "gemini"}
"""The formats of APIs that have one of their own; all others read chats."""


def count_anthropic(counter: PartCounter, body: Mapping[str, Any]) -> list[RequestPart]:
    """Return the parts of a body of Anthropic's Messages."""
    rule = find_picture_rule(counter.model, body)
    parts = []
    if system := join_parts(body.get("system")):
        parts.append(counter.part("system", "system", system))
    for index, message in enumerate(objects(body.get("messages"))):
        parts += _claude_message(counter, message, index, rule)
    parts += [_claude_definition(counter, tool) for tool in objects(body.get("tools"))]
    if body.get("tools"):
        parts.append(_claude_tools(counter.model.name, body))
    return [*parts, RequestPart("format", "Roles and turns", None, "unknown", CLAUDE_FORMAT)]


def _claude_message(
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
                yield from _claude_result(counter, block, name, index, rule)
            case "image":
                yield _claude_picture(block, name, index, rule)
            case "document":
                yield unknown_media(f"{name}: document", message=index)


def _claude_result(
    counter: PartCounter, block: Mapping[str, Any], name: str, index: int, rule: PictureRule | None
) -> Iterator[RequestPart]:
    if text := join_parts(block.get("content")):
        yield counter.part("result", f"{name}: result", text, message=index)
    for inner in objects(block.get("content")):
        if inner.get("type") == "image":
            yield _claude_picture(inner, name, index, rule)


def _claude_picture(block: Mapping[str, Any], name: str, index: int, rule: PictureRule | None) -> RequestPart:
    source = mapping(block.get("source"))
    data = text_of(source.get("data")) if source.get("type") == "base64" else None
    return count_picture(f"{name}: picture", rule, data, message=index)


def _claude_definition(counter: PartCounter, tool: Mapping[str, Any]) -> RequestPart:
    """Return a definition between compact and indented JSON."""
    tool = mapping(tool.get("function")) or tool  # some clients send the definitions of another API
    known = {key: tool[key] for key in ("name", "description", "input_schema", "parameters") if tool.get(key)}
    if "input_schema" in known:
        known.pop("parameters", None)
    part = counter.part("tool", text_of(tool.get("name")) or "unnamed", compact_json(known))
    longest = counter.count(json.dumps(known, ensure_ascii=False, indent=2))
    return replace(part, tokens=part.tokens and Span(part.tokens.low, longest.high), formula=CLAUDE_DEFINITIONS)


def _claude_tools(model: str, body: Mapping[str, Any]) -> RequestPart:
    """Return the tokens that tools add to a request by the documentation; unknown for a model that it does not name."""
    name = model.casefold().rpartition("/")[2].removeprefix("anthropic.").replace(".", "-")
    forced = mapping(body.get("tool_choice")).get("type") in ("any", "tool")
    for pattern, counts in TOOL_TOKENS.items():
        if fnmatchcase(name, pattern):
            tokens = Span(counts[forced], counts[forced])
            return RequestPart("format", "Instructions for tools", tokens, "formula", CLAUDE_TOOLS)
    return RequestPart("format", "Instructions for tools", None, "unknown", CLAUDE_TOOLS)


def count_gemini(counter: PartCounter, body: Mapping[str, Any]) -> list[RequestPart]:
    """Return the parts of a body of Gemini's generateContent."""
    rule = find_picture_rule(counter.model, body)
    system = objects(mapping(either(body, "systemInstruction", "system_instruction")).get("parts"))
    parts = [counter.part("system", "system", text_of(part.get("text")), formula=GEMINI) for part in system]
    for index, content in enumerate(objects(body.get("contents"))):
        name = f"{index + 1} · {text_of(content.get('role')) or 'user'}"
        for part in objects(content.get("parts")):
            parts += _gemini_part(counter, part, name, index, rule)
    for tool in objects(body.get("tools")):
        for declaration in declared(tool):
            name = text_of(declaration.get("name")) or "unnamed"
            parts.append(_gemini_texts(counter, "tool", name, [*_gemini_declaration(declaration)]))
    schema = mapping(either(mapping(body.get("generationConfig")), "responseSchema", "response_schema"))
    return [*parts, *([_gemini_texts(counter, "tool", "Structured output", [*_schema(schema)])] if schema else [])]


def _gemini_part(
    counter: PartCounter, part: Mapping[str, Any], name: str, index: int, rule: PictureRule | None
) -> Iterator[RequestPart]:
    if text := text_of(part.get("text")):
        yield counter.part("message", name, text, formula=GEMINI, message=index)
    if call := mapping(either(part, "functionCall", "function_call")):
        texts = [text_of(call.get("name")), *_strings(call.get("args"))]
        yield _gemini_texts(counter, "call", f"{name} calls {text_of(call.get('name'))}", texts, message=index)
    if answer := mapping(either(part, "functionResponse", "function_response")):
        texts = [text_of(answer.get("name")), *_strings(answer.get("response"))]
        yield _gemini_texts(counter, "result", f"{name}: result", texts, message=index)
    inline = mapping(either(part, "inlineData", "inline_data"))
    linked = mapping(either(part, "fileData", "file_data"))
    if inline or linked:
        media = text_of(either(inline or linked, "mimeType", "mime_type"))
        if media.startswith("image/"):
            data = text_of(inline.get("data")) if inline else None
            yield count_picture(f"{name}: picture", rule, data, message=index)
        else:
            yield unknown_media(f"{name}: {media or 'file'}", message=index)


def _gemini_texts(
    counter: PartCounter, kind: PartKind, name: str, texts: list[str], *, message: int | None = None
) -> RequestPart:
    """Return texts that are counted one by one as one part."""
    tokens = sum(counter.exact(text) for text in texts)
    part = counter.part(kind, name, "\n".join(texts), formula=GEMINI, message=message)
    return RequestPart(
        kind, name, Span(tokens, tokens), "formula", GEMINI, text=part.text, message=message, secrets=part.secrets
    )


def _gemini_declaration(declaration: Mapping[str, Any]) -> Iterator[str]:
    yield text_of(declaration.get("name"))
    yield text_of(declaration.get("description"))
    for key in ("parameters", "response"):
        yield from _schema(mapping(declaration.get(key)))


def _schema(schema: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """Yield the texts of a schema that Google's SDK counts: all but types and numbers."""
    if depth >= MAX_DEPTH:
        return
    for key in ("format", "description"):
        yield text_of(schema.get(key))
    for key in ("enum", "required"):
        items = schema.get(key)
        yield from (text_of(item) for item in (items if isinstance(items, list) else []))
    yield from _schema_members(schema, depth)


def _schema_members(schema: Mapping[str, Any], depth: int) -> Iterator[str]:
    if schema.get("items"):
        yield from _schema(mapping(schema["items"]), depth + 1)
    for name, member in mapping(schema.get("properties")).items():
        yield name
        yield from _schema(mapping(member), depth + 1)
    yield from _strings(schema.get("example"))


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield keys and strings of a value, not its numbers."""
    if depth >= MAX_DEPTH:
        return
    match value:
        case str():
            yield value
        case Mapping():
            for key, item in value.items():
                yield key
                yield from _strings(item, depth + 1)
        case list():
            for item in value:
                yield from _strings(item, depth + 1)


CLOSED: Mapping[ApiFormat, Callable[[PartCounter, Mapping[str, Any]], list[RequestPart]]] = {
    "chat": count_chat,
    "anthropic": count_anthropic,
    "gemini": count_gemini,
}
OWN_TOOLS = "OpenAI’s own tools, such as a web search, are not counted."


def count_request(
    registry: Registry,
    call: ModelCall,
    *,
    model: str = "",
    ratio: tuple[float, float] | None = None,
    limit: int,
    known: KnownTexts | None = None,
) -> RequestCount:
    """Return the parts of a request and their tokens.

    `model` replaces the model that the request names, `ratio` the published range of one without a public tokenizer;
    `limit` is the length of a prompt in bytes. `known` keeps the tokens of texts for other requests of a log.

    Raises `Invalid`, `UnknownTokenizer`, `TooLarge`, `LoneSurrogate`.
    """
    target = find_target(registry, model or call.model, call.format, ratio=ratio)
    counter = PartCounter(registry, target, {} if known is None else known)
    size = max(len(objects(call.body.get(key))) for key in ("messages", "input", "contents", "tools"))
    if size > MAX_ITEMS:
        raise TooLarge(
            f"A request has at most {MAX_ITEMS:,} messages and {MAX_ITEMS:,} tools here.",
            pointer="/request",
            limit=MAX_ITEMS,
        )
    native = NATIVE.get(target.family, "chat")
    notes = [target.reason] if target.reason else []
    if native != call.format and call.format != "responses":
        notes.append(f"The request is one of {FORMATS[call.format]}; it is counted as {FORMATS[native]} has it.")
    if call.format == "responses" and not all(map(is_function, objects(call.body.get("tools")))):
        notes.append(OWN_TOOLS)
    body = convert_body(call.body, call.format, native)
    if target.family == "open":
        counted = count_open(counter, body, limit=limit)
        return RequestCount(call, target, tuple(counted.parts), (*notes, *counted.notes))
    return RequestCount(call, target, tuple(CLOSED[native](counter, body)), tuple(notes))
