"""Prompt caches over the requests of a log: how much of each body begins as the one before, and where they part.

A vendor's cache serves the longest common beginning of two prompts: first the tools, then the system prompt, then the
messages. Bodies are compared, not prompts: a chat template may write an earlier turn in another way once a later one
follows, so that less is shared than the bodies say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..prices import MILLION
from .bill import CacheRule, find_cache_rule, read_usage
from .conversions import to_chat
from .parts import PartCounter, RequestCount
from .recognition import ModelCall
from .values import compact_json, hide_secrets, join_parts, mapping, objects, text_of

AROUND = 40
"""Characters that are shown on both sides of the first difference."""


@dataclass(frozen=True, slots=True)
class PromptBlock:
    """A piece of a prompt in the order in which a cache reads it: a name, and the text that is compared."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class CacheCheck:
    """A request of a log beside the one before it with the same model.

    `common` of the `total` tokens of its body are the same beginning; `cacheable` is what the vendor's rules allow of
    that, and an upper bound. `block`
    names the first piece that differs, `before` and `after` are what stands there, without secrets.
    """

    total: int
    common: int
    cacheable: int
    block: str
    before: str
    after: str
    cause: str
    cached: int | None = None
    saved: float | None = None

    @property
    def share(self) -> float:
        """The share of the request that could have come from the cache."""
        return self.cacheable / self.total if self.total else 0.0


def list_blocks(call: ModelCall) -> list[PromptBlock]:
    """Return the pieces of a prompt, tools first, as caches read it."""
    body = to_chat(call.body, call.format)
    system = [m for m in objects(body.get("messages")) if m.get("role") in ("system", "developer")]
    others = [m for m in objects(body.get("messages")) if m.get("role") not in ("system", "developer")]
    tools = objects(body.get("tools")) + objects(body.get("functions"))
    pieces = [PromptBlock(f"tool {_tool_name(tool)}", compact_json(tool)) for tool in tools]
    pieces += [PromptBlock("the system prompt", _message_text(message)) for message in system]
    pieces += [
        PromptBlock(f"message {number} ({text_of(message.get('role'))})", _message_text(message))
        for number, message in enumerate(others, 1)
    ]
    return pieces


def _tool_name(tool: Mapping[str, Any]) -> str:
    return text_of(mapping(tool.get("function")).get("name")) or text_of(tool.get("name")) or "unnamed"


def _message_text(message: Mapping[str, Any]) -> str:
    """Return a message as one text: its role, what it says, and what else it carries."""
    rest = {key: value for key, value in message.items() if key not in ("role", "content")}
    content = message.get("content")
    others = [part for part in objects(content) if "text" not in part]
    tail = compact_json([others, rest]) if others or rest else ""
    return f"{text_of(message.get('role'))}\n{join_parts(content)}{tail}"


def check_cache(older: Sequence[PromptBlock], count: RequestCount, counter: PartCounter) -> CacheCheck:
    """Return a request compared with the pieces of the one before it to the same model.

    Tokens are those of the counter's tokenizer, which need not be the model's own.
    """
    newer = list_blocks(count.call)
    same = 0
    while same < min(len(older), len(newer)) and older[same].text == newer[same].text:
        same += 1
    common = sum(counter.exact(block.text) for block in newer[:same])
    total = sum(counter.exact(block.text) for block in newer)
    old = older[same].text if same < len(older) else ""
    new = newer[same].text if same < len(newer) else ""
    place = _first_difference(old, new)
    common += _common_tokens(counter, old, new)
    rule = find_cache_rule(count.model)
    cacheable = rule.round_down(common) if rule else common
    billed = read_usage(count.call.usage)
    return CacheCheck(
        total=total,
        common=common,
        cacheable=cacheable,
        block=newer[same].name if new else older[same].name if old else "",
        before=_show(old, place),
        after=_show(new, place),
        cause=_explain(older, newer, same, old, new, place),
        cached=billed.cached if billed else None,
        saved=_saved(count, rule, cacheable),
    )


def _first_difference(old: str, new: str) -> int:
    """Return the place of the first character in which two texts differ.

    >>> _first_difference("It is 10:00", "It is 10:01"), _first_difference("ab", "abc")
    (10, 2)
    """
    low, high = 0, min(len(old), len(new))
    while low < high:  # comparing halves is much faster than comparing characters
        middle = (low + high + 1) // 2
        low, high = (middle, high) if old[low:middle] == new[low:middle] else (low, middle - 1)
    return low


def _common_tokens(counter: PartCounter, old: str, new: str) -> int:
    """Return how many leading tokens two texts share."""
    if not old or not new:
        return 0
    first, second = (counter.tokenize(text).encoding.ids for text in (old, new))
    size = min(len(first), len(second))
    differing = (first[:size] != second[:size]).nonzero()[0]
    return int(differing[0]) if len(differing) else size


def _show(text: str, place: int) -> str:
    """Return the text around a place, without secrets."""
    hidden, secrets = hide_secrets(text)
    place = min(place, len(hidden)) if secrets else place
    start = max(0, place - AROUND)
    shown = hidden[start : place + AROUND]
    return f"{'…' if start else ''}{shown}{'…' if place + AROUND < len(hidden) else ''}"


def _explain(
    older: Sequence[PromptBlock], newer: Sequence[PromptBlock], same: int, old: str, new: str, place: int
) -> str:
    """Return in a sentence why two prompts part where they do."""
    if not old:
        return "The bodies begin alike; whether the chat template rewrites earlier turns is not checked."
    if not new:
        return "The request ends before the one before it: messages or tools were left out."
    later = {block.text for block in newer[same:]}
    if old in later and newer[same].text in {block.text for block in older[same:]}:
        return f"The order changed: {newer[same].name} stands where {older[same].name} stood."
    if _is_time(old, place) and _is_time(new, place):
        return f"A date or a time in {newer[same].name} changes with each request. Move it to the end."
    if old in later:
        return f"{newer[same].name[:1].upper()}{newer[same].name[1:]} was put in before what was sent already."
    return f"{newer[same].name[:1].upper()}{newer[same].name[1:]} was changed."


def _is_time(text: str, place: int) -> bool:
    """True if a place lies in a date, a time or a long number.

    >>> _is_time("It is 10:04 now", 10), _is_time("Room 7", 5)
    (True, False)
    """
    start = end = place
    allowed = "0123456789:-./T+Z"
    while start and text[start - 1] in allowed:
        start -= 1
    while end < len(text) and text[end] in allowed:
        end += 1
    return sum(char.isdigit() for char in text[start:end]) >= 3


def _saved(count: RequestCount, rule: CacheRule | None, cacheable: int) -> float | None:
    """Return the dollars that the cache would have saved at most; None if price or rule are not known."""
    price, _ = count.model.money.rates(int(count.tokens.low))
    return None if price is None or rule is None else cacheable * price * (1 - rule.read) / MILLION
