"""Chat Completions of OpenAI's models without a public template: by formulas of its cookbook and of measured cases.

Tool definitions are exact by measured cases, or a range.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..costs import Span
from .formulas import FORMULAS
from .media import count_piece, find_picture_rule
from .parts import Basis, PartCounter, RequestPart, number_names
from .pieces import SYSTEM, PromptPiece, list_pieces
from .typescript import write_tools
from .values import compact_json, hide_secrets, join_parts, mapping, objects, parse_json, text_of

FRAME = 9
"""Tokens that definitions of functions take beside their text."""
PER_MESSAGE = 3
PER_ANSWER = 3
LEAST_CALL, MOST_CALL = -4, 7
"""By how many tokens the formula of a call missed the measured cases."""


def count_openai(counter: PartCounter, chat: Mapping[str, Any]) -> Iterator[RequestPart]:
    """Yield the parts of a chat; the reasoning of an earlier answer is not sent to these models."""
    rule = find_picture_rule(counter.model, chat)
    pieces = [*list_pieces(chat)]
    calls = Counter(piece.message for piece in pieces if piece.type == "call")
    for piece in pieces:
        match piece.type:
            case "text":
                yield counter.part(piece.kind, piece.name, piece.value, message=piece.message)
            case "call":
                # Measured: a message with several calls takes 23 tokens more and 5 less for each of them.
                several = calls.pop(piece.message, 0)
                yield _call(counter, piece, more=23 - 5 * several if several > 1 else 0)
            case "function_call":
                yield _function_call(counter, piece)
            case "schema":
                text = compact_json(piece.value)
                tokens = Span(0, counter.exact(text) + FRAME)
                yield counter.part(
                    "tool", piece.name, text, tokens=tokens, basis="range", formula=FORMULAS["schema-range"]
                )
            case "media" | "uncounted":
                yield count_piece(piece, rule)
    yield from _count_tools(counter, chat, [piece for piece in pieces if piece.type in ("tool", "function")])
    yield from _count_format(counter, objects(chat.get("messages")))


def _count_tools(counter: PartCounter, chat: Mapping[str, Any], tools: Sequence[PromptPiece]) -> Iterator[RequestPart]:
    """Yield the definitions of functions, and what they add to the format."""
    if counter.model.family != "measured":
        yield from (_ranged(counter, tool) for tool in tools)
        return
    if not tools:
        return
    legacy = any(tool.type == "function" for tool in tools)
    tools = [tool for tool in tools if not legacy or tool.type == "function"]
    written = write_tools([tool.value for tool in tools], legacy=legacy)
    formula = FORMULAS["functions"] if legacy else FORMULAS["tools"]
    tokenization = counter.tokenize(written.text)
    starts = tokenization.encoding.char_starts
    within = 0
    # Each definition has the tokens that begin in it.
    for name, (start, stop) in zip(number_names([tool.name for tool in tools]), written.spans, strict=True):
        first, last = (int(starts.searchsorted(place)) for place in (start, stop))
        within += last - first
        hidden, secrets = hide_secrets(written.text[start:stop])
        yield RequestPart(
            kind="tool",
            name=name,
            tokens=Span(last - first, last - first),
            basis="formula",
            formula=formula,
            text=hidden,
            shown=None if secrets else tokenization,
            rows=((first, last),),
            secrets=secrets,
        )
    frame = FRAME + _count_choice(counter, chat.get("function_call" if legacy else "tool_choice"), legacy=legacy)
    messages = objects(chat.get("messages"))
    system = next((join_parts(one.get("content")) for one in messages if one.get("role") in SYSTEM), None)
    if system is not None:
        frame += counter.exact(f"{system}\n") - counter.exact(system) - 4
    total = frame + counter.exact(written.text) - within
    yield RequestPart("format", "Around the tool definitions", Span(total, total), "formula", formula)


def _count_choice(counter: PartCounter, choice: Any, *, legacy: bool) -> int:
    """Return the tokens of `tool_choice`."""
    if choice == "none":
        return 1
    name = text_of(mapping(choice).get("name")) or text_of(mapping(mapping(choice).get("function")).get("name"))
    return counter.exact(name) + (4 if legacy else 7) if name else 0


def _ranged(counter: PartCounter, tool: PromptPiece) -> RequestPart:
    """Return a definition whose form is not known, between the shortest and the longest of three."""
    keys = ("name", "description", "parameters")
    known = {key: tool.value[key] for key in keys if tool.value.get(key) is not None}
    forms = [compact_json(known), write_tools([tool.value]).text, write_tools([tool.value], legacy=True).text]
    counts = [counter.exact(form) for form in forms]
    tokens = Span(min(counts), max(counts) + FRAME)
    return counter.part("tool", tool.name, forms[0], tokens=tokens, basis="range", formula=FORMULAS["tools-range"])


def _count_format(counter: PartCounter, messages: Sequence[Mapping[str, Any]]) -> Iterator[RequestPart]:
    """Yield the tokens that the chat format adds to messages, and those that begin the answer."""
    tokens = 0
    for message in messages:
        name = text_of(message.get("name"))
        tokens += PER_MESSAGE + counter.exact(text_of(message.get("role")))
        tokens += counter.exact(name) + 1 if name else 0
        tokens -= {"function": 2, "tool": 1}.get(text_of(message.get("role")), 0)
    measured = counter.model.family == "measured"
    fixed = Span(tokens, tokens) if measured else Span(0, tokens + len(messages))
    answer = Span(PER_ANSWER if measured else 0, PER_ANSWER)
    basis: Basis = "formula" if measured else "range"
    formula = FORMULAS["chat-format"] if measured else FORMULAS["chat-format-range"]
    yield RequestPart("format", "Roles and marks of messages", fixed, basis, formula)
    yield RequestPart("prompt", "Beginning of the answer", answer, basis, formula)


def _call(counter: PartCounter, piece: PromptPiece, *, more: int) -> RequestPart:
    """Return a call of a tool; `more` tokens are around all calls of a message."""
    arguments = text_of(piece.value.get("arguments"))
    written = counter.exact(write_arguments(arguments)) if arguments != "{}" else 0
    tokens = 2 * counter.exact(text_of(piece.value.get("name"))) + 4 + written + more
    least = counter.exact(arguments)
    span, formula = Span(least, max(least, tokens) + MOST_CALL), FORMULAS["calls-range"]
    if counter.model.family == "measured":
        span, formula = Span(max(0, tokens + LEAST_CALL), tokens + MOST_CALL), FORMULAS["calls"]
    part = counter.part("call", piece.name, arguments, basis="range", formula=formula, message=piece.message)
    return replace(part, tokens=span)


def _function_call(counter: PartCounter, piece: PromptPiece) -> RequestPart:
    arguments = text_of(piece.value.get("arguments"))
    tokens = counter.exact(text_of(piece.value.get("name"))) + counter.exact(arguments) + 3
    measured = counter.model.family == "measured"
    basis: Basis = "formula" if measured else "range"
    formula = FORMULAS["function-call"] if measured else FORMULAS["calls-range"]
    part = counter.part("call", piece.name, arguments, basis=basis, formula=formula, message=piece.message)
    return replace(part, tokens=Span(tokens, tokens))


def called(function: Mapping[str, Any]) -> Any:
    """Return the arguments of a call as data; those that are no JSON stay a text."""
    arguments = function.get("arguments")
    try:
        return parse_json(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return arguments


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
