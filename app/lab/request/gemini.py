"""Gemini's generateContent: each text alone, as Google's SDK counts on the client; media by its documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..costs import Span
from .conversions import declared, either
from .formulas import GEMINI
from .media import PictureRule, count_picture, find_picture_rule, unknown_media
from .parts import PartCounter, PartKind, RequestPart
from .values import mapping, objects, text_of

MAX_DEPTH = 50


def count_gemini(counter: PartCounter, body: Mapping[str, Any]) -> list[RequestPart]:
    """Return the parts of a body of Gemini's generateContent."""
    rule = find_picture_rule(counter.model, body)
    system = objects(mapping(either(body, "systemInstruction", "system_instruction")).get("parts"))
    parts = [counter.part("system", "system", text_of(part.get("text")), formula=GEMINI) for part in system]
    for index, content in enumerate(objects(body.get("contents"))):
        name = f"{index + 1} · {text_of(content.get('role')) or 'user'}"
        for part in objects(content.get("parts")):
            parts += _part(counter, part, name, index, rule)
    for tool in objects(body.get("tools")):
        for declaration in declared(tool):
            name = text_of(declaration.get("name")) or "unnamed"
            parts.append(_texts(counter, "tool", name, [*_declaration(declaration)]))
    schema = mapping(either(mapping(body.get("generationConfig")), "responseSchema", "response_schema"))
    return [*parts, *([_texts(counter, "tool", "Structured output", [*_schema(schema)])] if schema else [])]


def _part(
    counter: PartCounter, part: Mapping[str, Any], name: str, index: int, rule: PictureRule | None
) -> Iterator[RequestPart]:
    if text := text_of(part.get("text")):
        yield counter.part("message", name, text, formula=GEMINI, message=index)
    if call := mapping(either(part, "functionCall", "function_call")):
        texts = [text_of(call.get("name")), *_strings(call.get("args"))]
        yield _texts(counter, "call", f"{name} calls {text_of(call.get('name'))}", texts, message=index)
    if answer := mapping(either(part, "functionResponse", "function_response")):
        texts = [text_of(answer.get("name")), *_strings(answer.get("response"))]
        yield _texts(counter, "result", f"{name}: result", texts, message=index)
    inline = mapping(either(part, "inlineData", "inline_data"))
    linked = mapping(either(part, "fileData", "file_data"))
    if inline or linked:
        media = text_of(either(inline or linked, "mimeType", "mime_type"))
        if media.startswith("image/"):
            data = text_of(inline.get("data")) if inline else None
            yield count_picture(f"{name}: picture", rule, data, message=index)
        else:
            yield unknown_media(f"{name}: {media or 'file'}", message=index)


def _texts(
    counter: PartCounter, kind: PartKind, name: str, texts: list[str], *, message: int | None = None
) -> RequestPart:
    """Return texts that are counted one by one as one part."""
    tokens = sum(counter.exact(text) for text in texts)
    part = counter.part(kind, name, "\n".join(texts), formula=GEMINI, message=message)
    return RequestPart(
        kind, name, Span(tokens, tokens), "formula", GEMINI, text=part.text, message=message, secrets=part.secrets
    )


def _declaration(declaration: Mapping[str, Any]) -> Iterator[str]:
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
