"""Requests to Claude: every text has the range of Claude's tokens, and tools what Anthropic's documentation says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..costs import Span
from .formulas import FORMULAS
from .media import count_piece, find_picture_rule
from .openai import called
from .parts import PartCounter, RequestPart
from .pieces import PromptPiece, list_pieces
from .rules import find_rule
from .targets import TargetModel
from .values import compact_json, mapping


def count_claude(counter: PartCounter, chat: Mapping[str, Any]) -> Iterator[RequestPart]:
    """Yield the parts of a chat as Claude reads it."""
    rule = find_picture_rule(counter.model, chat)
    for piece in list_pieces(chat):
        match piece.type:
            case "text" | "thinking":
                yield counter.part(piece.kind, piece.name, piece.value, message=piece.message)
            case "call" | "function_call":
                text = compact_json({"name": piece.value.get("name"), "input": called(piece.value)})
                yield counter.part("call", piece.name, text, message=piece.message)
            case "tool" | "function" | "schema":
                yield _definition(counter, piece)
            case _:
                yield count_piece(piece, rule)
    if chat.get("tools"):
        yield _instructions(counter.model, chat.get("tool_choice"))
    yield RequestPart("format", "Roles and turns", None, "unknown", FORMULAS["claude-format"])


def _definition(counter: PartCounter, piece: PromptPiece) -> RequestPart:
    """Return a definition between compact and indented JSON."""
    keys = {"name": "name", "description": "description", "parameters": "input_schema"}
    known = {key: piece.value[one] for one, key in keys.items() if piece.value.get(one)} or piece.value
    text = compact_json(known)
    least, most = counter.count(text), counter.count(json.dumps(known, ensure_ascii=False, indent=2))
    tokens = Span(least.low, most.high)
    return counter.part("tool", piece.name, text, tokens=tokens, basis="range", formula=FORMULAS["claude-definitions"])


def _instructions(model: TargetModel, choice: Any) -> RequestPart:
    """Return the tokens that tools add to a request by the documentation; unknown for a model that it does not name."""
    forced = mapping(choice).get("type") in ("any", "tool", "function") or choice == "required"
    if (rule := find_rule("tools", model)) is None:
        return RequestPart("format", "Instructions for tools", None, "unknown", FORMULAS["claude-tools"])
    count = rule["named" if forced else "auto"]
    return RequestPart("format", "Instructions for tools", Span(count, count), "formula", FORMULAS["claude-tools"])
