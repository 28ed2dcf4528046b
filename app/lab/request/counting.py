"""Count a request: choose the model and the way of counting, and return its parts with their tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import TooLarge
from ...registry import Registry
from .anthropic import count_anthropic
from .conversions import convert_body, is_function
from .gemini import count_gemini
from .open_models import count_open
from .openai_chat import count_chat
from .parts import KnownTexts, PartCounter, RequestCount, RequestPart
from .recognition import FORMATS, ApiFormat, ModelCall
from .targets import Family, find_target
from .values import objects

MAX_ITEMS = 20_000
"""Messages of a request, and tools of one."""
NATIVE: Mapping[Family, ApiFormat] = {"claude": "anthropic", "gemini": "gemini"}
"""The formats of APIs that have one of their own; all others read chats."""
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
