"""A conversation as a chat template sees it, and a transcript, which is how people type one line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

from ...errors import Invalid
from ...types import ChatTemplate
from .attribution import TEMPLATE, Origin

TAG = "CONTINUE_FINAL_MESSAGE_TAG "
"""Appended to the final message while rendering, to find where to stop; transformers uses the same."""
REASONING_KEYS = ("reasoning_content", "thinking", "reasoning")
"""Keys under which APIs put the reasoning of a message."""
FIELDS = {**dict.fromkeys(REASONING_KEYS, "reasoning"), "tool_calls": "tool_calls"}
"""The field of an origin, by key of a message; it is "" for all other keys."""

Mark = Callable[[Any, Origin], Any]
Speaker = Literal["system", "user", "assistant", "call", "tool"]
SPEAKERS: tuple[Speaker, ...] = get_args(Speaker)
CALL = re.compile(r"\s*([\w.-]+)\s*\((.*)\)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in the format of OpenAI's chat API, and options for rendering them.

    `continue_final_message` may name the field of the final message that is to be continued, as transformers allows.
    `template` replaces that of `model`, or without a name the tokenizer's own, `options` are further variables for it,
    and `now` is the time that the template sees as the current one.
    """

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] | None = None
    add_generation_prompt: bool = True
    continue_final_message: bool | str = False
    template: str | None = None
    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    now: datetime | None = None

    @property
    def continued_field(self) -> str:
        """The field of the final message that is to be continued."""
        return self.continue_final_message if isinstance(self.continue_final_message, str) else "content"


def variables(
    conversation: Conversation,
    template: ChatTemplate,
    *,
    parts: bool,
    texts: bool = False,
    mark: Mark = lambda value, origin: value,
) -> dict[str, Any]:
    """Return the variables of a chat template.

    `parts` is True if the template handles contents that are lists of parts; otherwise these are joined. `texts` is
    True if it takes the arguments of calls as texts only. `mark` attaches its origin to a value. Raises `Invalid` for a
    conversation that cannot be rendered so.
    """
    messages = [template_message(message, parts=parts, texts=texts) for message in conversation.messages]
    if conversation.continue_final_message:
        messages = [*messages[:-1], _tag_final_message(messages, conversation.continued_field)]
    return {
        **{name: mark(token, TEMPLATE) for name, token in template.variables.items()},
        "tools": None if conversation.tools is None else _attach_tool_origins(conversation.tools, mark),
        "documents": None,  # transformers always defines it, and templates test for it
        "add_generation_prompt": conversation.add_generation_prompt,
        **mark(dict(conversation.options), Origin("option")),
        "messages": [_attach_origins(message, i, mark) for i, message in enumerate(messages)],
    }


def template_message(message: Mapping[str, Any], *, parts: bool = True, texts: bool = False) -> dict[str, Any]:
    """Return a message as templates expect it: reasoning under all its keys, arguments of tool calls as data, or as
    JSON where a template takes only `texts`.

    A tool's result that is JSON is parsed into `content_json` as well, for the templates of this project.

    >>> template_message({"role": "tool", "content": "[1]"})["content_json"]
    [1]
    """
    result = dict(message)
    reasoning = next((message[key] for key in REASONING_KEYS if message.get(key) is not None), None)
    # Which key a template reads depends on its model; a request may use any of them.
    if reasoning is not None:
        result = {"thinking": reasoning, **result, "reasoning_content": reasoning}
    if isinstance(calls := message.get("tool_calls"), list):
        result["tool_calls"] = [_adapt_call(call, texts=texts) for call in calls]
    content = message.get("content")
    if message.get("role") == "tool" and isinstance(content, str):
        result["content_json"] = _parse_json(content)
    if not parts and isinstance(content, list):
        result["content"] = "\n".join(_text(part) for part in content if not is_media(part))
    return result


def _adapt_call(call: Any, *, texts: bool) -> Any:
    """Return a tool call with its arguments as data or, for `texts`, as JSON, which is how OpenAI's API sends them."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return call
    arguments = function.get("arguments") or ("{}" if texts else "")
    if isinstance(arguments, str) is not texts:
        arguments = json.dumps(arguments, ensure_ascii=False) if texts else _parse_json(arguments)
    return {**call, "function": {**function, "arguments": arguments}}


def _parse_json(text: str) -> Any:
    """Return JSON as data, an empty text as an empty object, and a text that is not JSON as it is."""
    try:
        return json.loads(text or "{}")
    except (ValueError, RecursionError):
        return text


def is_media(part: Any) -> bool:
    """True for a part of a message that is no text: an image, a sound, a file.

    >>> is_media({"type": "image_url", "image_url": {"url": ""}}), is_media({"type": "text", "text": "Hi"})
    (True, False)
    """
    return isinstance(part, dict) and isinstance(part.get("type"), str) and "text" not in (part["type"], *part)


def _text(part: Any) -> str:
    if isinstance(part, dict) and isinstance(text := part.get("text"), str):
        return text
    raise Invalid("A part of a message has neither a text nor the type of another part.", pointer="/messages")


def _attach_origins(message: Mapping[str, Any], index: int, mark: Mark) -> dict[str, Any]:
    """Return a message whose values, and keys, have their origins attached."""
    origins = {key: Origin("text", index, field=FIELDS.get(key, "")) for key in message}
    return {
        mark(key, origins[key]): mark(value, Origin("role", index) if key == "role" else origins[key])
        for key, value in message.items()
    }


def _attach_tool_origins(tools: Sequence[Mapping[str, Any]], mark: Mark) -> Any:
    """Return the definitions in a list, each with an origin of its own."""
    marked = mark([], Origin("tools"))
    marked.extend(mark(tool, Origin("tools", tool=index)) for index, tool in enumerate(tools))
    return marked


def _tag_final_message(messages: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the final message with the tag after the text of a field. Raises `Invalid` if it has no text."""
    content = messages[-1].get(name) if messages else None
    if isinstance(content, list) and (last := _find_last_text(content)) is not None:
        part = {**content[last], "text": f"{content[last]['text']}{TAG}"}
        return {**messages[-1], name: [*content[:last], part, *content[last + 1 :]]}
    if not isinstance(content, str):
        raise Invalid("There is no final message with a text to continue.", pointer="/messages")
    # Reasoning is copied under several keys, of which a template reads one.
    keys = [key for key in REASONING_KEYS if messages[-1].get(key) == content] if name in REASONING_KEYS else [name]
    return {**messages[-1], **dict.fromkeys(keys, content + TAG)}


def _find_last_text(parts: Sequence[Any]) -> int | None:
    return max((i for i, part in enumerate(parts) if isinstance(part, dict) and "text" in part), default=None)


def truncate_at_tag(text: str, message: Mapping[str, Any], name: str = "content") -> str:
    """Return a rendered text up to the end of the final message, which is to be continued.

    >>> truncate_at_tag("[INST]Hi[/INST]Well, CONTINUE_FINAL_MESSAGE_TAG</s>", {"content": "Well,"})
    '[INST]Hi[/INST]Well,'

    Raises `Invalid` if the template did not write the final message, or only a part of it.
    """
    content = template_message(message).get(name)
    if isinstance(content, list):
        last = _find_last_text(content)
        content = content[last]["text"] if last is not None else ""
    end = text.rfind(TAG.rstrip())
    if end < 0 or str(content).strip() not in text:
        detail = "The template does not write the final message as it is, so it cannot be continued."
        raise Invalid(detail, pointer="/messages")
    # A template that trims contents has removed the tag's space, and with it the spaces before the tag.
    return text[:end] if text[end : end + len(TAG)] == TAG else text[:end].rstrip()


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """A line of a transcript. `call` is a tool call by the assistant, `name({…})`, and `tool` the tool's result."""

    speaker: Speaker
    text: str = ""


def messages(transcript: Sequence[TranscriptLine]) -> list[dict[str, Any]]:
    """Return the messages of a transcript. Calls are numbered; each result belongs to the first call without one.

    >>> messages([TranscriptLine("call", 'add({"a": 1})')])[0]["tool_calls"][0]["function"]
    {'name': 'add', 'arguments': '{"a": 1}'}

    Raises `Invalid` for a call that cannot be parsed.
    """
    result: list[dict[str, Any]] = []
    pending: list[str] = []
    for number, line in enumerate(transcript, 1):
        match line.speaker:
            case "call":
                pending.append(f"call{number:05}")
                call = _call(line.text, pending[-1], number)
                result.append({"role": "assistant", "content": "", "tool_calls": [call]})
            case "tool":
                # A result without a call still gets an id, since templates expect one.
                id = pending.pop(0) if pending else f"call{number:05}"
                result.append({"role": "tool", "tool_call_id": id, "content": line.text})
            case speaker:
                result.append({"role": speaker, "content": line.text})
    return result


def _call(text: str, id: str, number: int) -> dict[str, Any]:
    match = CALL.fullmatch(text)
    try:
        arguments = json.loads(match[2] or "{}") if match else None
    except (ValueError, RecursionError):
        arguments = None
    if match is None or not isinstance(arguments, dict):
        raise Invalid(f"Message {number} calls a tool: write its name and a JSON object, as in add({{…}}).")
    return {"id": id, "type": "function", "function": {"name": match[1], "arguments": match[2] or "{}"}}


def tool_definitions(text: str) -> list[dict[str, Any]] | None:
    """Parse tool definitions: a JSON list or a single object; None for an empty text. Raises `Invalid`."""
    if not text.strip():
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Invalid("The tools are not valid JSON.", pointer="/tools") from None
    tools = value if isinstance(value, list) else [value]
    if not all(isinstance(tool, dict) for tool in tools):
        raise Invalid("The tools are not a JSON list of definitions.", pointer="/tools")
    return tools
