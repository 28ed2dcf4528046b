"""Chat Completions of OpenAI's models without a public template: by formulas of its cookbook and of measured cases.

Tool definitions are exact by measured cases, or a range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..costs import Span
from .formulas import (
    CALLS,
    CALLS_RANGE,
    CHAT_FORMAT,
    CHAT_FORMAT_RANGE,
    FUNCTION_CALL,
    FUNCTIONS,
    SCHEMA_RANGE,
    TOOLS,
    TOOLS_RANGE,
    Formula,
)
from .media import PictureRule, count_picture, find_picture_rule, split_data_url, unknown_media
from .parts import Basis, PartCounter, PartKind, RequestPart, number_names
from .typescript import ToolText, write_tools
from .values import compact_json, hide_secrets, join_parts, mapping, objects, parse_json, text_of

FRAME = 9
"""Tokens that definitions of functions take beside their text."""
SYSTEM = ("system", "developer")
PER_MESSAGE = 3
PER_ANSWER = 3
LEAST_CALL, MOST_CALL = -4, 7
"""By how many tokens the formula of a call missed the measured cases."""


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


def count_chat(counter: PartCounter, body: Mapping[str, Any]) -> list[RequestPart]:
    """Return the parts of a body of Chat Completions."""
    messages = objects(body.get("messages"))
    rule = find_picture_rule(counter.model, body)
    parts: list[RequestPart] = []
    for index, message in enumerate(messages):
        parts += _message(counter, message, index, rule)
    system = next((join_parts(one.get("content")) for one in messages if one.get("role") in SYSTEM), None)
    if functions := objects(body.get("functions")):
        parts += count_tools(counter, functions, body.get("function_call"), legacy=True, system=system)
    else:
        tools = [mapping(tool.get("function")) for tool in objects(body.get("tools"))]
        parts += count_tools(counter, tools, body.get("tool_choice"), system=system)
    schema = mapping(mapping(body.get("response_format")).get("json_schema")).get("schema")
    return [*parts, *count_schema(counter, schema), *count_format(counter, messages)]


def count_format(counter: PartCounter, messages: Sequence[Mapping[str, Any]]) -> list[RequestPart]:
    """Return the tokens that the chat format adds to messages, and those that begin the answer."""
    tokens = 0
    for message in messages:
        name = text_of(message.get("name"))
        tokens += PER_MESSAGE + counter.exact(text_of(message.get("role")))
        tokens += counter.exact(name) + 1 if name else 0
        tokens -= {"function": 2, "tool": 1}.get(text_of(message.get("role")), 0)
    if counter.model.family == "measured":
        fixed = Span(tokens, tokens)
        answer = Span(PER_ANSWER, PER_ANSWER)
        basis: Basis = "formula"
        formula = CHAT_FORMAT
    else:
        fixed = Span(0, tokens + len(messages))
        answer = Span(0, PER_ANSWER)
        basis = "range"
        formula = CHAT_FORMAT_RANGE
    return [
        RequestPart("format", "Roles and marks of messages", fixed, basis, formula),
        RequestPart("prompt", "Beginning of the answer", answer, basis, formula),
    ]


def _message(
    counter: PartCounter, message: Mapping[str, Any], index: int, rule: PictureRule | None
) -> Iterator[RequestPart]:
    role = text_of(message.get("role")) or "unnamed role"
    kind: PartKind = "system" if role in SYSTEM else "result" if role in ("tool", "function") else "message"
    name = f"{index + 1} · {role}"
    content = message.get("content")
    if text := join_parts(content):
        yield _judged(counter.part(kind, name, text, message=index), counter)
    for part in objects(content):
        yield from count_content_part(part, name, index, rule)
    calls = objects(message.get("tool_calls"))
    for number, call in enumerate(calls):
        function = mapping(call.get("function"))
        # Measured: a message with several calls takes 23 tokens more and 5 less for each of them.
        more = 23 - 5 * len(calls) if len(calls) > 1 and number == 0 else 0
        yield _call(counter, function, f"{name} calls {text_of(function.get('name'))}", index, more=more)
    if function := mapping(message.get("function_call")):
        yield _function_call(counter, function, f"{name} calls {text_of(function.get('name'))}", index)


def _judged(part: RequestPart, counter: PartCounter) -> RequestPart:
    """Return a text as certain as the tokenizer: its tokens are exact, though what is around them may not be."""
    return part if counter.model.own else replace(part, basis="range")


def count_content_part(
    part: Mapping[str, Any], name: str, index: int, rule: PictureRule | None
) -> Iterator[RequestPart]:
    """Yield a part of a content that is no text: a picture, a sound, a file."""
    kind = part.get("type")
    if kind in ("image_url", "input_image"):
        image = part.get("image_url")
        url = text_of(mapping(image).get("url")) or text_of(image)
        detail = text_of(mapping(image).get("detail")) or text_of(part.get("detail"))
        yield count_picture(f"{name}: picture", rule, split_data_url(url), detail=detail, message=index)
    elif kind in ("input_audio", "audio"):
        yield unknown_media(f"{name}: sound", message=index)
    elif kind in ("file", "input_file"):
        yield unknown_media(f"{name}: file", message=index)


def _call(counter: PartCounter, function: Mapping[str, Any], name: str, index: int, *, more: int) -> RequestPart:
    """Return a call of a tool; `more` tokens are around all calls of a message."""
    arguments = text_of(function.get("arguments"))
    part = counter.part("call", name, arguments, message=index)
    written = counter.exact(write_arguments(arguments)) if arguments != "{}" else 0
    tokens = 2 * counter.exact(text_of(function.get("name"))) + 4 + written + more
    if counter.model.family == "measured":
        return replace(part, tokens=Span(max(0, tokens + LEAST_CALL), tokens + MOST_CALL), basis="range", formula=CALLS)
    least = counter.exact(arguments)
    return replace(part, tokens=Span(least, max(least, tokens) + MOST_CALL), basis="range", formula=CALLS_RANGE)


def _function_call(counter: PartCounter, function: Mapping[str, Any], name: str, index: int) -> RequestPart:
    arguments = text_of(function.get("arguments"))
    part = counter.part("call", name, arguments, message=index)
    tokens = counter.exact(text_of(function.get("name"))) + counter.exact(arguments) + 3
    formula: Formula = FUNCTION_CALL if counter.model.family == "measured" else CALLS_RANGE
    basis: Basis = "formula" if counter.model.family == "measured" else "range"
    return replace(part, tokens=Span(tokens, tokens), basis=basis, formula=formula)


def write_arguments(arguments: str) -> str:
    r"""Return the arguments of a call as they are counted: objects on lines, numbers in quotes.

    >>> write_arguments('{"a": 1, "b": ["c"]}')
    '{\n"a":"1","b":["c"]\n}'
    """
    try:
        value = parse_json(arguments)
    except ValueError:
        return arguments
    return _write_value(value) if isinstance(value, dict) else compact_json(value)


def _write_value(value: Any) -> str:
    match value:
        case dict():
            inner = ",".join(f'"{key}":{_write_value(item)}' for key, item in value.items())
            return f"{{\n{inner}\n}}"
        case list():
            return f"[{','.join(map(_write_value, value))}]"
        case str() if "\n" in value:
            return f"```\n{compact_json(value)}\n```"
        case bool() | None:
            return "null"
        case _:
            return f'"{value}"'
