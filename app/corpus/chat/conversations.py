"""Conversations in the rows of training sets: messages, ShareGPT, Alpaca, prompt and completion, preference pairs.

The rows are read with their places from JSON Lines, JSON, CSV and Parquet, also compressed and at addresses.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import orjson

from ...errors import BadFile, Invalid, join_names
from ..addresses import describe_error
from ..arrow import parquet_dicts
from ..documents import MAX_DOCUMENT, line_bytes, open_uncompressed
from ..types import COMPRESSED, CorpusSource, ReadContext, SourcePart, strip_query

RowFormat = Literal["messages", "sharegpt", "alpaca", "preference", "completion"]
KEYS = (
    *("messages", "conversations", "instruction", "input", "output", "system", "prompt", "completion"),
    *("chosen", "rejected", "tools"),
)
"""The columns that a row is recognized by; a set may have others in their place."""
SHAREGPT_ROLES = {
    "human": "user",
    "gpt": "assistant",
    "bing": "assistant",
    "chatgpt": "assistant",
    "function_call": "assistant",
    "observation": "tool",
    "function_response": "tool",
}
Message = dict[str, Any]
PlacedRow = tuple[str, Any]
"""The place of a row, and its data."""
FORMATS = ("jsonl", "csv", "parquet")


@dataclass(frozen=True, slots=True)
class TrainingConversation:
    """A conversation to train on; `part` is "chosen" or "rejected" in a preference pair."""

    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]] | None = None
    part: str = ""


def recognize(row: Any, columns: Mapping[str, str]) -> tuple[RowFormat, list[TrainingConversation]]:
    """Return the format of a row and its conversations; `columns` names those that are called otherwise.

    >>> recognize({"instruction": "Add.", "input": "1 2", "output": "3"}, {})[1][0].messages
    [{'role': 'user', 'content': 'Add.\\n1 2'}, {'role': 'assistant', 'content': '3'}]
    >>> recognize({"q": "Hi", "a": "Hello"}, {"prompt": "q", "completion": "a"})[0]
    'completion'

    Raises `Invalid` for a row of no known format, with its columns.
    """
    if isinstance(row, list):
        row = {"messages": row}
    if not isinstance(row, dict):
        raise Invalid("The row is no JSON object.")
    fields = {name: row.get(columns.get(name, name)) for name in KEYS}
    given = {name for name, value in fields.items() if value is not None}
    tools = _read_tools(fields["tools"])
    if "messages" in given:
        return "messages", [TrainingConversation(_read_messages(fields["messages"]), tools)]
    if "conversations" in given:
        return "sharegpt", [TrainingConversation(_read_messages(fields["conversations"]), tools)]
    if {"chosen", "rejected"} <= given:
        prompt = _read_turn(fields["prompt"], "user")
        parts = (TrainingConversation([*prompt, *_read_turn(fields[part], "assistant")], tools, part) for part in PAIR)
        return "preference", [*parts]
    if {"instruction", "output"} <= given:
        return "alpaca", [TrainingConversation([*_read_alpaca(fields)], tools)]
    if {"prompt", "completion"} <= given:
        turns = [*_read_turn(fields["prompt"], "user"), *_read_turn(fields["completion"], "assistant")]
        return "completion", [TrainingConversation(turns, tools)]
    raise Invalid(
        "The row has no messages, no conversations, no instruction and output, no prompt and completion, and no chosen "
        f"and rejected; it has {join_names(str(name)[:40] for name in [*row][:20]) or 'no columns'}."
    )


PAIR = ("chosen", "rejected")


def _read_alpaca(fields: Mapping[str, Any]) -> Iterator[Message]:
    if fields["system"]:
        yield {"role": "system", "content": _text(fields["system"], "system")}
    texts = [_text(fields[name], name) for name in ("instruction", "input") if fields[name]]
    yield {"role": "user", "content": "\n".join(texts)}
    yield {"role": "assistant", "content": _text(fields["output"], "output")}


def _read_turn(value: Any, role: str) -> list[Message]:
    """Return the messages of a column that has a text or a list of them."""
    if value is None:
        return []
    return _read_messages(value) if isinstance(value, list) else [{"role": role, "content": _text(value, role)}]


def _read_messages(value: Any) -> list[Message]:
    if isinstance(value, str):  # tables often have them as JSON
        value = _parse(value)
    if not isinstance(value, list) or not value:
        raise Invalid("The messages are no list, or an empty one.")
    return [_read_message(one, number) for number, one in enumerate(value, 1)]


def _read_message(value: Any, number: int) -> Message:
    if not isinstance(value, dict):
        raise Invalid(f"Message {number} is no JSON object.")
    if "from" in value and "role" not in value:
        role = str(value["from"])
        return {"role": SHAREGPT_ROLES.get(role, role), "content": _text(value.get("value"), "value")}
    if not isinstance(value.get("role"), str):
        raise Invalid(f"Message {number} has no role.")
    return {name: one for name, one in value.items() if one is not None}  # tables fill in null


def _read_tools(value: Any) -> Sequence[Mapping[str, Any]] | None:
    tools = _parse(value) if isinstance(value, str) and value.strip() else value
    if not tools:
        return None
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise Invalid("The tools are no list of JSON objects.")
    return tools


def _parse(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise Invalid("A column that should have JSON has other text.") from None


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise Invalid(f"{name} is no text.")
    return value


def set_format(source: CorpusSource) -> CorpusSource:
    """Return a source that is read as rows: JSON Lines unless its ending says CSV, Parquet or JSON."""
    if source.format in FORMATS:
        return source
    if source.format == "arrow":
        raise Invalid(f"{source.path} is an Arrow file; conversations are read from JSON Lines, JSON, CSV and Parquet.")
    name = strip_query(source.path)
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return replace(source, format="text" if source.format == "json" or name.endswith(".json") else "jsonl")


def read_rows(part: SourcePart, reading: ReadContext) -> Iterator[PlacedRow]:
    """Yield the rows of a part; those that are no JSON are noted in `reading`. Raises `BadFile`."""
    try:
        match part.source.format:
            case "parquet":
                yield from parquet_dicts(part)
            case "csv":
                yield from _read_csv(part)
            case "text":
                yield from _read_json(part, reading)
            case _:
                yield from _read_lines(part, reading)
    except (OSError, EOFError, csv.Error, ValueError) as error:
        raise BadFile(f"{part.source.path} cannot be read: {describe_error(error)}.") from error


def _read_lines(part: SourcePart, reading: ReadContext) -> Iterator[PlacedRow]:
    for at, line in line_bytes(part, reading):
        if line.strip():
            place = f"{part.source.path}, byte {at:,}"
            try:
                yield place, orjson.loads(line)
            except orjson.JSONDecodeError as error:
                reading.unread.leave_out(place, f"it is not JSON: {error}")


def _read_json(part: SourcePart, reading: ReadContext) -> Iterator[PlacedRow]:
    """Yield the items of a file that is one list; otherwise its lines are read."""
    with open_uncompressed(part.source) as file:
        data = file.read(MAX_DOCUMENT + 1)
    if data.lstrip().startswith(b"[") and len(data) <= MAX_DOCUMENT:
        try:
            rows = orjson.loads(data)
        except orjson.JSONDecodeError:  # lists, one a line
            rows = None
        if isinstance(rows, list):
            yield from ((f"{part.source.path}, item {number:,}", row) for number, row in enumerate(rows))
            return
    yield from _read_lines(part, reading)


def _read_csv(part: SourcePart) -> Iterator[PlacedRow]:
    csv.field_size_limit(MAX_DOCUMENT)
    with open_uncompressed(part.source) as file, io.TextIOWrapper(file, "utf-8", newline="") as text:
        rows = csv.DictReader(text, strict=True)
        for row in rows:
            yield f"{part.source.path}, line {rows.line_num:,}", row
