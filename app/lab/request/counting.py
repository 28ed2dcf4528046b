"""Count a request: one counter of what a prompt is, for every page, address and command that has one.

Each part says how it is known: exactly, as this model's own template writes it; by the template of another model; by a
formula with its source, its day and its error; as a range; or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...errors import TooLarge
from ...registry import Registry
from ..costs import Span
from ..tokenize import check_length
from .claude import count_claude
from .conversions import to_chat
from .formulas import FORMULAS
from .gemini import count_gemini
from .media import count_piece
from .open_models import count_open
from .openai import count_openai
from .parts import KnownTexts, PartCounter, RequestCount, RequestPart
from .phi import count_phi
from .pieces import list_pieces
from .recognition import FORMATS, ApiFormat, ModelCall
from .targets import Family, find_target
from .values import compact_json, objects

MAX_ITEMS = 20_000
"""Messages of a request, and tools of one."""
NATIVE: Mapping[Family, ApiFormat] = {"claude": "anthropic", "gemini": "gemini"}
"""The formats of APIs that have one of their own; all others read chats."""


def count_texts(counter: PartCounter, chat: Mapping[str, Any]) -> Iterator[RequestPart]:
    """Yield the parts of a chat without a known format: one text for a vocabulary is all of its prompt."""
    pieces = [*list_pieces(chat)]
    for piece in pieces:
        if piece.type in ("media", "uncounted"):
            yield count_piece(piece, None)
        else:
            text = piece.value if isinstance(piece.value, str) else compact_json(piece.value)
            yield counter.part(piece.kind, piece.name, text, formula=FORMULAS["no-format"], message=piece.message)
    roles = {message.get("role") for message in objects(chat.get("messages"))}
    if len(pieces) > 1 or roles - {"user"} or counter.model.name != counter.model.tokenizer:
        yield RequestPart("format", "Roles and turns", None, "unknown", FORMULAS["no-format"])
    elif added := counter.count_added():
        yield RequestPart("format", "Added by the tokenizer", Span(added, added), "exact")


CLOSED: Mapping[Family, Callable[[PartCounter, Mapping[str, Any]], Iterator[RequestPart]]] = {
    "measured": count_openai,
    "openai": count_openai,
    "claude": count_claude,
    "gemini": count_gemini,
    "phi": count_phi,
    "vocabulary": count_texts,
}


def count_request(
    registry: Registry,
    call: ModelCall,
    *,
    model: str = "",
    ratio: tuple[float, float] | None = None,
    limit: int,
    known: KnownTexts | None = None,
    pointer: str = "/request",
) -> RequestCount:
    """Return the parts of a request and their tokens.

    `model` replaces the model that the request names, `ratio` the published range of one without a public tokenizer;
    `limit` is the length of a prompt in bytes, `pointer` the place of the request in what was sent. `known` keeps the
    tokens of texts for other requests of a log.

    Raises `Invalid`, `UnknownTokenizer`, `TooLarge`, `LoneSurrogate`.
    """
    target = find_target(registry, model or call.model, call.format, ratio=ratio)
    counter = PartCounter(registry, target, {} if known is None else known)
    size = max(len(objects(call.body.get(key))) for key in ("messages", "input", "contents", "tools"))
    if size > MAX_ITEMS:
        raise TooLarge(
            f"A request has at most {MAX_ITEMS:,} messages and {MAX_ITEMS:,} tools here.",
            pointer=pointer,
            limit=MAX_ITEMS,
        )
    native = NATIVE.get(target.family, "chat")
    notes = [target.reason] if target.reason else []
    if native != call.format and call.format != "responses":
        notes.append(f"The request is one of {FORMATS[call.format]}; it is counted as {FORMATS[native]} has it.")
    chat = to_chat(call.body, call.format)
    if target.family == "open":
        counted = count_open(counter, call, chat, limit=limit)
        return replace(counted, notes=(*notes, *counted.notes))
    return RequestCount(call, target, tuple(CLOSED[target.family](counter, chat)), tuple(notes))


def count_prompt(registry: Registry, call: ModelCall, *, model: str, limit: int, pointer: str) -> RequestCount:
    """Return the parts of a prompt that a client sends to be counted, whose texts have at most `limit` bytes in total.

    Raises what `count_request` raises.
    """
    pieces = list_pieces(to_chat(call.body, call.format))
    check_length([piece.value for piece in pieces if isinstance(piece.value, str)], limit=limit, pointer=pointer)
    return count_request(registry, call, model=model, limit=limit, pointer=pointer)
