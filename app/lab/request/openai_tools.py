"""Tool definitions of OpenAI's models without a public template: exact by measured cases, or a range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..costs import Span
from .formulas import FUNCTIONS, SCHEMA_RANGE, TOOLS, TOOLS_RANGE
from .parts import PartCounter, RequestPart, number_names
from .secret_texts import hide_secrets
from .typescript import ToolText, write_tools
from .values import compact_json, mapping, text_of

FRAME = 9
"""Tokens that definitions of functions take beside their text."""


def count_tools(
    counter: PartCounter,
    tools: Sequence[Mapping[str, Any]],
    choice: Any,
    *,
    legacy: bool = False,
    system: str | None = None,
) -> list[RequestPart]:
    """Return the definitions of functions as parts, and what they add to the format.

    `system` is the text of the first system message, None if there is none.
    """
    if not tools:
        return []
    if counter.model.family != "measured":
        return [_ranged(counter, tool) for tool in tools]
    written = write_tools(tools, legacy=legacy)
    parts = _written(counter, tools, written, legacy=legacy)
    frame = FRAME + _count_choice(counter, choice, legacy=legacy)
    if system is not None:
        frame += counter.exact(f"{system}\n") - counter.exact(system) - 4
    rest = counter.exact(written.text) - int(sum(part.tokens.low for part in parts if part.tokens))
    formula = FUNCTIONS if legacy else TOOLS
    total = frame + rest
    return [*parts, RequestPart("format", "Around the tool definitions", Span(total, total), "formula", formula)]


def _written(
    counter: PartCounter, tools: Sequence[Mapping[str, Any]], written: ToolText, *, legacy: bool
) -> list[RequestPart]:
    """Return each definition with the tokens that begin in it."""
    tokenization = counter.tokenize(written.text)
    starts = tokenization.encoding.char_starts
    parts = []
    names = number_names([text_of(tool.get("name")) or "unnamed" for tool in tools])
    for name, (start, stop) in zip(names, written.spans, strict=True):
        first, last = (int(starts.searchsorted(place)) for place in (start, stop))
        hidden, secrets = hide_secrets(written.text[start:stop])
        parts.append(
            RequestPart(
                kind="tool",
                name=name,
                tokens=Span(last - first, last - first),
                basis="formula",
                formula=FUNCTIONS if legacy else TOOLS,
                text=hidden,
                shown=None if secrets else tokenization,
                rows=((first, last),),
                secrets=secrets,
            )
        )
    return parts


def _count_choice(counter: PartCounter, choice: Any, *, legacy: bool) -> int:
    """Return the tokens of `tool_choice`."""
    if choice == "none":
        return 1
    name = text_of(mapping(choice).get("name")) or text_of(mapping(mapping(choice).get("function")).get("name"))
    return counter.exact(name) + (4 if legacy else 7) if name else 0


def _ranged(counter: PartCounter, tool: Mapping[str, Any]) -> RequestPart:
    """Return a definition whose form is not known, between the shortest and the longest of three."""
    known = {key: tool[key] for key in ("name", "description", "parameters") if tool.get(key) is not None}
    forms = [compact_json(known), write_tools([tool]).text, write_tools([tool], legacy=True).text]
    counts = [counter.exact(form) for form in forms]
    hidden, secrets = hide_secrets(forms[0])
    name = text_of(tool.get("name")) or "unnamed"
    tokens = Span(min(counts), max(counts) + FRAME)
    return RequestPart("tool", name, tokens, "range", TOOLS_RANGE, text=hidden, secrets=secrets)


def count_schema(counter: PartCounter, schema: Any) -> list[RequestPart]:
    """Return the schema of a structured output as a part, empty if there is none."""
    if not isinstance(schema, Mapping) or not schema:
        return []
    text = compact_json(schema)
    hidden, secrets = hide_secrets(text)
    tokens = Span(0, counter.exact(text) + FRAME)
    return [RequestPart("tool", "Structured output", tokens, "range", SCHEMA_RANGE, text=hidden, secrets=secrets)]
