"""Prompt caches over the requests of a log: how much of each body begins as the one before, and where they part.

A vendor's cache serves the longest common beginning of two prompts: first the tools, then the system prompt, then the
messages. A chat template may write an earlier turn in another way once a later one follows: where the model's own is
here, the ids of the prompts are compared. Of other models the bodies are, of which less may be shared than they say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...errors import TokenariumError
from ..prices import MILLION
from ..turns.causes import find_cause
from ..turns.lanes import TurnRenderer, check_prefix
from ..turns.prefixes import RenderedSequence, common_length, count_equal
from .bill import CacheRule, find_cache_rule, read_usage
from .conversions import to_chat
from .open_models import make_conversation
from .parts import PartCounter, RequestCount
from .recognition import ModelCall
from .values import compact_json, hide_secrets, join_parts, mapping, objects, text_of

KEPT = "The prompt before begins this one."
AROUND = 40
"""Characters that are shown on both sides of the first difference."""


@dataclass(frozen=True, slots=True)
class PromptBlock:
    """A piece of a prompt in the order in which a cache reads it: a name, and the text that is compared."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """What a request sends: the pieces of its body, and the ids of its prompt; None without the model's template."""

    blocks: Sequence[PromptBlock]
    sequence: RenderedSequence | None = None


@dataclass(frozen=True, slots=True)
class CacheCheck:
    """A request of a log beside the one before it with the same model.

    `common` of the `total` tokens are the same beginning: of the prompts if they are `rendered`, else of the bodies,
    which is an upper bound. `cacheable` is what the vendor's rules allow of that. `block` names the first piece of the
    body that differs, `before` and `after` are what stands there, without secrets.
    """

    total: int
    block: str
    before: str
    after: str
    cause: str
    common: int = 0
    cacheable: int = 0
    rendered: bool = False
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


def cut_after_mark(call: ModelCall) -> ModelCall:
    """Return a request up to its last `cache_control`, to which Claude's cache reaches, in the order of a prompt.

    One of the whole body reaches to its end, and so do the caches of other vendors, which need no mark. Without a mark
    nothing is left.

    >>> marked = {"name": "f", "cache_control": {"type": "ephemeral"}}
    >>> cut_after_mark(ModelCall("anthropic", {"tools": [marked], "system": "Be brief.", "messages": []})).body
    {'tools': [{'name': 'f', 'cache_control': {'type': 'ephemeral'}}], 'system': [], 'messages': []}
    """
    if call.format != "anthropic" or "cache_control" in call.body:
        return call
    messages = objects(call.body.get("messages"))
    lists = [call.body.get("tools", []), call.body.get("system", []), *(one.get("content", []) for one in messages)]
    marks = [
        (at, place)
        for at, each in enumerate(lists)
        for place, one in enumerate(objects(each))
        if one.get("cache_control")
    ]
    last, stop = max(marks, default=(-1, 0))
    kept = [each if at < last else each[: stop + 1] if at == last else [] for at, each in enumerate(lists)]
    cut = [{**message, "content": each} for message, each in zip(messages, kept[2:], strict=True) if each]
    return replace(call, body={**call.body, "tools": kept[0], "system": kept[1], "messages": cut})


def read_prompt(count: RequestCount, renderer: TurnRenderer) -> SentPrompt:
    """Return what a request sends: the ids of its prompt if the model's template is here and takes it."""
    blocks = list_blocks(count.call)
    if count.model.family != "open":
        return SentPrompt(blocks)
    try:
        body = to_chat(count.call.body, count.call.format)
        return SentPrompt(blocks, renderer.render(make_conversation(body)))
    except TokenariumError:
        return SentPrompt(blocks)


def check_cache(
    older: SentPrompt, newer: SentPrompt, count: RequestCount, counter: PartCounter, renderer: TurnRenderer
) -> CacheCheck:
    """Return a request compared with the one before it to the same model: their ids, or else their bodies.

    Tokens of bodies are those of the counter's tokenizer, which need not be the model's own.
    """
    bodies = _compare_bodies(older.blocks, newer.blocks, count, counter)
    if older.sequence is None or newer.sequence is None:
        return bodies
    check = check_prefix("prompt", older.sequence, newer.sequence)
    known = replace(bodies, total=len(newer.sequence), rendered=True)
    known = _with_common(known, count, check.shared)
    if bodies.block:  # the request itself is another
        return known
    if check.difference is None:
        return replace(known, cause=KEPT)
    difference = check.difference
    cause = find_cause(check, renderer.render_text).detail
    return replace(known, cause=cause, before=difference.before_text, after=difference.after_text)


def _compare_bodies(
    older: Sequence[PromptBlock], newer: Sequence[PromptBlock], count: RequestCount, counter: PartCounter
) -> CacheCheck:
    same = 0
    while same < min(len(older), len(newer)) and older[same].text == newer[same].text:
        same += 1
    common = sum(counter.exact(block.text) for block in newer[:same])
    old = older[same].text if same < len(older) else ""
    new = newer[same].text if same < len(newer) else ""
    place = common_length(old, new)
    if old and new:
        common += count_equal(*(counter.tokenize(text).encoding.ids for text in (old, new)))
    billed = read_usage(count.call.usage)
    check = CacheCheck(
        total=sum(counter.exact(block.text) for block in newer),
        block=(newer[same].name if new else older[same].name) if old else "",
        before=_show(old, place) if old else "",
        after=_show(new, place) if old else "",
        cause=_explain(older, newer, same, old, new, place),
        cached=billed.cached if billed else None,
    )
    if count.model.family == "claude":
        marked = list_blocks(cut_after_mark(count.call))
        common = min(common, sum(counter.exact(block.text) for block in marked))
    return _with_common(check, count, common)


def _with_common(check: CacheCheck, count: RequestCount, common: int) -> CacheCheck:
    """Return a check with the tokens that both requests begin with, and what the vendor's rules make of them."""
    rule = find_cache_rule(count.model)
    cacheable = rule.round_down(common) if rule else common
    return replace(check, common=common, cacheable=cacheable, saved=_saved(count, rule, cacheable))


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
        return "The bodies begin alike; how the model’s own format writes earlier turns is not known."
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
