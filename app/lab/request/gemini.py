"""Requests to Gemini: text by text, as Google's SDK counts on the client, and media by its documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..costs import Span
from .formulas import FORMULAS
from .media import count_piece, find_picture_rule
from .openai import called
from .parts import PartCounter, RequestPart
from .pieces import PromptPiece, list_pieces
from .values import mapping, objects, parse_json, text_of

MAX_DEPTH = 50


def count_gemini(counter: PartCounter, chat: Mapping[str, Any]) -> Iterator[RequestPart]:
    """Yield the parts of a chat as Gemini reads it; roles and turns take no tokens."""
    rule = find_picture_rule(counter.model, chat)
    messages = objects(chat.get("messages"))
    calls = [call for message in messages for call in objects(message.get("tool_calls"))]
    names = {text_of(call.get("id")): text_of(mapping(call.get("function")).get("name")) for call in calls}
    for piece in list_pieces(chat):
        texts = [*_texts(piece, messages, names)]
        if not texts:
            yield count_piece(piece, rule)
            continue
        tokens = sum(counter.exact(text) for text in texts)
        yield counter.part(
            piece.kind,
            piece.name,
            "\n".join(texts),
            tokens=None if len(texts) == 1 else Span(tokens, tokens),
            basis="formula",
            formula=FORMULAS["gemini"],
            message=piece.message,
        )
    yield RequestPart("format", "Roles and turns", Span(0, 0), "formula", FORMULAS["gemini"])


def _texts(piece: PromptPiece, messages: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> Iterator[str]:
    """Yield the texts of a piece that are counted one by one; none of media. `names` are those of calls by id."""
    message = messages[piece.message] if piece.message is not None else {}
    match piece.type:
        case "text" if piece.kind == "result":
            yield text_of(message.get("name")) or names.get(text_of(message.get("tool_call_id")), "")
            yield from _strings(_parsed(piece.value))
        case "text" if isinstance(parts := message.get("content"), list):
            yield from (part["text"] for part in objects(parts) if isinstance(part.get("text"), str))
        case "text" | "thinking":
            yield piece.value
        case "call" | "function_call":
            yield text_of(piece.value.get("name"))
            yield from _strings(called(piece.value))
        case "tool" | "function":
            yield text_of(piece.value.get("name"))
            yield text_of(piece.value.get("description"))
            for key in ("parameters", "response"):
                yield from _schema(mapping(piece.value.get(key)))
        case "schema":
            yield from _schema(piece.value)


def _parsed(text: str) -> Any:
    """Return the result of a function as data, a text that is no JSON as it is."""
    try:
        return parse_json(text)
    except ValueError:
        return text


def _schema(schema: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """Yield the texts of a schema that Google's SDK counts: all but types and numbers."""
    if depth >= MAX_DEPTH or not schema:
        return
    for key in ("format", "description"):
        yield text_of(schema.get(key))
    for key in ("enum", "required"):
        items = schema.get(key)
        yield from (text_of(item) for item in (items if isinstance(items, list) else []))
    yield from _schema(mapping(schema.get("items")), depth + 1)
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
