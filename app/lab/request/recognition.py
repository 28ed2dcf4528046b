"""Find requests to models in JSON: the bodies of five APIs, alone, with their answers, or in the records of loggers.

A body is recognized by its keys. `recognize` returns one `ModelCall` for each request that a value holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any, Literal

from ...errors import Invalid, join_names
from ..tokenize import utf8_length
from .values import check_depth, compact_json, mapping, number_of, objects, parse_json

ApiFormat = Literal["chat", "responses", "anthropic", "gemini"]
FORMATS: Mapping[ApiFormat, str] = {
    "chat": "Chat Completions",
    "responses": "Responses",
    "anthropic": "Anthropic’s Messages",
    "gemini": "Gemini’s generateContent",
}
KEYS = ("messages", "input", "contents")
"""The keys by which a body is recognized; `instructions`, `system` and others tell the formats apart."""
ENVELOPES = ("body", "request", "request_body", "log")
ANTHROPIC_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "document")
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A request to a model: its body, the answer if there is one, and the `usage` that was billed.

    `recorder` names the kind of record that it was found in, "" for a plain body. `id` and `time` are those of the
    record.
    """

    format: ApiFormat
    body: Json
    answer: Json | None = None
    usage: Json | None = None
    recorder: str = ""
    id: str = ""
    time: str = ""

    @property
    def model(self) -> str:
        """The name of the model; "" if neither the body nor the answer has one."""
        named = (one.get(key) for one in (self.body, self.answer or {}) for key in ("model", "modelVersion"))
        return next((name for name in named if isinstance(name, str) and name), "")

    @property
    def title(self) -> str:
        return f"{FORMATS[self.format]}{f', from {self.recorder}' if self.recorder else ''}"


def recognize(value: Any) -> list[ModelCall]:
    """Return the requests in a JSON value: a body, a record of a logger, or a list of these.

    >>> [(call.format, call.model) for call in recognize({"model": "gpt-4o", "messages": []})]
    [('chat', 'gpt-4o')]

    Raises `Invalid`, which names the keys that were looked for.
    """
    try:
        check_depth(value)
    except ValueError as error:
        raise Invalid(str(error), pointer="/request") from None
    items = value if isinstance(value, list) else [value]
    # A bare list of messages is a conversation without a model.
    if items and all(isinstance(one, Mapping) and "role" in one and "content" in one for one in items):
        items = [{"messages": items}]
    calls = [call for item in items for call in _calls(item)]
    if not calls:
        detail = (  # without the keys that are there, which may be what was to be secret
            f"This is no request to a model: looked for {join_names(KEYS)} of a body, and for {join_names(ENVELOPES)} "
            "of a record around one."
        )
        raise Invalid(detail, pointer="/request")
    return calls


def _calls(item: Any) -> list[ModelCall]:
    """Return the requests of one value: those of an HTTP archive, or the one of the first kind of record that it is."""
    calls = (call for read in RECORDS if (call := read(mapping(item))))
    return [*_read_har(mapping(item))] or [*islice(calls, 1)]


NO_RECORD: Json = MappingProxyType({})


def _make(
    body: Any, answer: Any = None, usage: Any = None, *, recorder: str = "", record: Json = NO_RECORD
) -> ModelCall | None:
    """Return the request of a body and an answer, which may be JSON in a string; None if the body is none."""
    body = mapping(_loaded(body))
    if (format := _format(body)) is None:
        return None
    answer = mapping(_loaded(answer)) or None
    utf8_length(compact_json(body), pointer="/request")  # a lone surrogate cannot be shown
    found = (usage, *(one.get(key) for one in (answer or {}, body) for key in ("usage", "usageMetadata")))
    used = next((one for one in found if isinstance(one, Mapping)), None)
    id = next((str(record[key]) for key in ("custom_id", "request_id", "id") if record.get(key)), "")
    times = ("timestamp", "startTime", "created_at", "startedDateTime", "time")
    time = next((str(record[key]) for key in times if isinstance(record.get(key), str | int | float)), "")
    id, time = (one[:most].encode(errors="replace").decode() for one, most in ((id, 100), (time, 40)))
    return ModelCall(format, body, answer, used, recorder, id, time)


def _loaded(value: Any) -> Any:
    """Return JSON in a string as data, any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        return parse_json(value)
    except ValueError:
        return value


def _format(body: Json) -> ApiFormat | None:
    if isinstance(body.get("contents"), list):
        return "gemini"
    if isinstance(body.get("messages"), list):
        return "anthropic" if _is_anthropic(body) else "chat"
    return "responses" if isinstance(body.get("input"), str | list) else None


def _is_anthropic(body: Json) -> bool:
    if not body.keys().isdisjoint(("system", "anthropic_version", "stop_sequences")):
        return True
    if any("input_schema" in tool for tool in objects(body.get("tools"))):
        return True
    if any(block.get("type") in ANTHROPIC_BLOCKS or "source" in block for block in _list_blocks(body)):
        return True
    return "claude" in str(body.get("model", "")).casefold() and not _is_chat(body)


def _is_chat(body: Json) -> bool:
    """True if a body has what only Chat Completions have."""
    if any("function" in tool for tool in objects(body.get("tools"))):
        return True
    messages = objects(body["messages"])
    if any("tool_calls" in one or one.get("role") in ("system", "developer", "tool") for one in messages):
        return True
    return any("image_url" in block for block in _list_blocks(body))


def _list_blocks(body: Json) -> Iterator[Json]:
    """Yield the parts of all contents that have some."""
    for message in objects(body["messages"]):
        yield from objects(message.get("content"))


def _read_har(item: Json) -> Iterator[ModelCall]:
    """Yield the requests of an HTTP archive, which a browser or a proxy has saved."""
    for entry in objects(mapping(item.get("log")).get("entries")):
        text = mapping(mapping(entry.get("request")).get("postData")).get("text")
        answer = mapping(mapping(entry.get("response")).get("content")).get("text")
        if call := _make(text, answer, recorder="an HTTP archive", record=entry):
            yield call


def _from_litellm(item: Json) -> ModelCall | None:
    if "call_type" not in item or not isinstance(item.get("messages"), list):
        return None
    body = {**mapping(item.get("model_parameters"))}
    body |= {key: item[key] for key in ("model", "messages") if key in item}
    usage = None
    if isinstance(item.get("prompt_tokens"), int):
        usage = {"prompt_tokens": item["prompt_tokens"], "completion_tokens": item.get("completion_tokens", 0)}
    return _make(body, item.get("response"), usage, recorder="LiteLLM", record=item)


def _from_langfuse(item: Json) -> ModelCall | None:
    if item.get("type") != "GENERATION" or "input" not in item:
        return None
    sent = _loaded(item["input"])
    body = {**sent} if isinstance(sent, Mapping) else {"messages": sent}
    details = item.get("usageDetails")
    usage = None
    if isinstance(details, Mapping):
        cached = number_of(details.get("input_cached_tokens")) or number_of(details.get("cache_read_input_tokens"))
        usage = {"prompt_tokens": number_of(details.get("input")) + cached, "completion_tokens": details.get("output")}
        usage |= {"prompt_tokens_details": {"cached_tokens": cached}} if cached else {}
    body = {"model": item.get("model", ""), **body}
    return _make(body, mapping(item.get("output")), usage, recorder="Langfuse", record=item)


def _from_envelope(item: Json) -> ModelCall | None:
    """Return the request of a record that has it beside its answer: OpenAI's batches, Helicone, a log of one's own."""
    batch = "custom_id" in item
    helicone = "request_body" in item
    sent = _loaded(item.get("request_body", item.get("body", item.get("request"))))
    if not isinstance(sent, Mapping):
        return None
    answer = _loaded(item.get("response_body", item.get("response", item.get("answer"))))
    for holder in (sent.get("body"), sent):
        reply = answer.get("body", answer) if isinstance(answer, Mapping) else None
        recorder = "a batch" if batch else "Helicone" if helicone else "a record"
        if call := _make(holder, reply, item.get("usage"), recorder=recorder, record=item):
            return call
    return None


def _from_body(item: Json) -> ModelCall | None:
    inner = item.get("generateContentRequest")
    answer = item if any(key in item for key in ("choices", "candidates", "output", "stop_reason")) else None
    return _make(inner if isinstance(inner, Mapping) else item, answer)


RECORDS = (_from_litellm, _from_langfuse, _from_envelope, _from_body)
