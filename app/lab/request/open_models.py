"""Requests to models whose chat template is here: the whole prompt, exactly, and what each token comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import BadTemplate, Invalid, TooLarge
from ..chat.attribution import Origin
from ..chat.conversation import Conversation, is_media
from ..chat.rendering import Rendering, choose_template, render
from ..chat.templates import fit_template
from ..chat.tokens import ChatTokens, tokenize_chat
from ..chat.warnings import warn_left_out
from ..costs import Span
from .formulas import FORMULAS, describe_template
from .media import unknown_piece
from .parts import Basis, PartCounter, PartKind, RequestCount, RequestPart
from .pieces import kind_of, list_pieces, name_of
from .recognition import ModelCall
from .values import compact_json, hide_secrets, join_parts, mapping, objects, text_of

NOT_KNOWN = "The rule of the model’s own processor is not applied here."
OTHER_TEMPLATE = (
    "The request has a chat template of its own, which is not used: the tokens are those of the shipped one."
)


def count_open(counter: PartCounter, call: ModelCall, body: Mapping[str, Any], *, limit: int) -> RequestCount:
    """Return the parts of a request, whose `body` is a chat; if the template fails, texts alone and its own error.

    `limit` is the length of the rendered text in bytes. Raises `TooLarge`, `LoneSurrogate`.
    """
    media = [*_media(body)]
    notes = [OTHER_TEMPLATE] if "chat_template" in body else []
    conversation = replace(make_conversation(body), model=counter.model.name)
    try:
        rendering = render(counter.registry, counter.model.tokenizer, conversation)
        chat = tokenize_chat(counter.registry, counter.model.tokenizer, rendering, limit=limit)
        begin = _answer_start(counter, conversation, rendering)
    except TooLarge:
        raise
    except (BadTemplate, Invalid) as error:
        parts = [*_alone(counter, body), *media]
        failed = RequestPart("format", "Chat template", None, "unknown", FORMULAS["template-fails"], error.detail)
        notes.append(error.detail)
        return RequestCount(call, counter.model, (*parts, failed), tuple(notes), error.detail)
    template = choose_template(counter.registry, counter.model.tokenizer, conversation)
    fit = fit_template(template, counter.model.name, counter.model.tokenizer)
    notes += [] if fit.exact else [f"Counted with the {fit.text}."]
    notes += [warning.detail for warning in warn_left_out(chat.written, conversation)]
    basis: Basis = "exact" if fit.exact else "template"
    formula = describe_template(fit)
    parts = [replace(part, basis=basis, formula=formula) for part in _attributed(chat, conversation, begin)]
    return RequestCount(call, counter.model, (*parts, *media), tuple(notes))


def make_conversation(body: Mapping[str, Any]) -> Conversation:
    """Return the conversation of a body as the template is to see it, without pictures and sounds."""
    options = mapping(body.get("chat_template_kwargs"))
    continued = body.get("continue_final_message") is True
    prompted = body.get("add_generation_prompt", not continued) is True
    tools = [tool for tool in objects(body.get("tools")) if tool]
    return Conversation(
        [_without_media(message) for message in objects(body.get("messages"))],
        tools or None,
        add_generation_prompt=prompted,
        continue_final_message=continued,
        options=options,
    )


def _without_media(message: Mapping[str, Any]) -> Mapping[str, Any]:
    content = message.get("content")
    if not isinstance(content, list) or not any(map(is_media, content)):
        return message
    return {**message, "content": [part for part in content if not is_media(part)]}


def _media(body: Mapping[str, Any]) -> Iterator[RequestPart]:
    for piece in list_pieces(body):
        if piece.type in ("media", "uncounted"):
            yield unknown_piece(piece, NOT_KNOWN if piece.type == "media" else "")


def _answer_start(counter: PartCounter, conversation: Conversation, rendering: Rendering) -> int:
    """Return where the generation prompt begins in the rendered text, its end if there is none."""
    if not conversation.add_generation_prompt:
        return len(rendering.text)
    without = replace(conversation, add_generation_prompt=False)
    try:
        text = render(counter.registry, counter.model.tokenizer, without).text
    except Invalid:
        return len(rendering.text)
    return len(text) if rendering.text.startswith(text) else len(rendering.text)


def _attributed(chat: ChatTokens, conversation: Conversation, begin: int) -> list[RequestPart]:
    """Return the tokens of a prompt in parts, by their origins."""
    codes = _part_codes(chat, begin)
    order = np.argsort(codes, kind="stable")
    sorted_codes = codes[order]
    bounds = np.flatnonzero(np.diff(sorted_codes, prepend=-1))
    parts = []
    for first, last in zip(bounds.tolist(), [*bounds[1:].tolist(), len(order)], strict=True):
        parts.append(_part(chat, conversation, int(sorted_codes[first]), order[first:last]))
    # In the order of the prompt; last, what the template adds.
    return sorted(parts, key=lambda part: (part.kind in ("format", "prompt"), part.rows[0]))


TEMPLATE_CODE, ANSWER_CODE, TOOLS_CODE, FIRST_CODE = range(4)
"""Codes of parts: of the template, the generation prompt, tools as a whole; then tools and messages in turn."""


def _part_codes(chat: ChatTokens, begin: int) -> Any:
    """Return for each token the code of its part: even numbers from `FIRST_CODE` are tools, odd ones messages."""
    of_origin = np.array([_code(origin) for origin in chat.origins], np.int64)
    encoding = chat.tokenization.encoding
    last = max(len(chat.origin_codes) - 1, 0)
    if not len(chat.origin_codes):
        return np.zeros(len(encoding), np.int64)
    codes = of_origin[chat.origin_codes[np.minimum(encoding.char_starts, last)]]
    # A token that spans several origins belongs to the message or the tool that it has characters of.
    ends = of_origin[chat.origin_codes[np.clip(encoding.char_ends - 1, 0, last)]]
    codes = np.where((codes == TEMPLATE_CODE) & (ends >= FIRST_CODE), ends, codes)
    codes[(encoding.char_starts >= begin) & (codes == TEMPLATE_CODE)] = ANSWER_CODE
    return codes


def _code(origin: Origin | None) -> int:
    match origin:
        case Origin("tools", tool=int(tool)):
            return FIRST_CODE + 2 * tool
        case Origin("tools"):
            return TOOLS_CODE
        case Origin("text", int(message)):
            return FIRST_CODE + 2 * message + 1
        case _:
            return TEMPLATE_CODE


def _part(chat: ChatTokens, conversation: Conversation, code: int, rows: Any) -> RequestPart:
    """Return the part of a code, with its tokens, which are rows of the encoding in rising order."""
    kind, name, message = _describe(conversation, code)
    breaks = np.flatnonzero(np.diff(rows) != 1) + 1
    runs = [(int(run[0]), int(run[-1]) + 1) for run in np.split(rows, breaks) if len(run)]
    encoding = chat.tokenization.encoding
    text = "".join(
        chat.tokenization.text[int(encoding.char_starts[start]) : int(encoding.char_ends[stop - 1])]
        for start, stop in runs
    )
    hidden, secrets = hide_secrets(text)
    return RequestPart(
        kind=kind,
        name=name,
        tokens=Span(len(rows), len(rows)),
        basis="exact",
        text=hidden,
        shown=None if secrets else chat.tokenization,
        rows=tuple(runs),
        message=message,
        secrets=secrets,
    )


def _describe(conversation: Conversation, code: int) -> tuple[PartKind, str, int | None]:
    """Return the kind and the name of a part, and its message."""
    fixed: dict[int, tuple[PartKind, str]] = {
        TEMPLATE_CODE: ("format", "Written by the chat template"),
        ANSWER_CODE: ("prompt", "Generation prompt"),
        TOOLS_CODE: ("format", "Around the tool definitions"),
    }
    if code in fixed:
        return *fixed[code], None
    index, is_message = divmod(code - FIRST_CODE, 2)
    if not is_message:
        return "tool", name_of((conversation.tools or [])[index]), None
    message = conversation.messages[index]
    only_calls = message.get("tool_calls") and not join_parts(message.get("content"))
    return "call" if only_calls else kind_of(message), f"{index + 1} · {text_of(message.get('role'))}", index


def _alone(counter: PartCounter, body: Mapping[str, Any]) -> Iterator[RequestPart]:
    """Yield texts and definitions without a template."""
    for piece in list_pieces(body):
        if piece.type == "text":
            yield counter.part(piece.kind, piece.name, piece.value, message=piece.message)
        elif piece.type in ("tool", "function", "call", "function_call"):
            yield counter.part(piece.kind, piece.name, compact_json(piece.value), message=piece.message)
