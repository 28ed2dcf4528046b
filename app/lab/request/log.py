"""Read what someone pastes or drops: one request, or a log with a request on each line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...errors import Invalid, TooLarge
from .recognition import ModelCall, recognize
from .values import parse_json

MAX_CALLS = 20_000
"""Requests of one log."""
MAX_LISTED = 20
"""Broken lines that are listed; the others are counted."""


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line of a log that has no request, and why."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class RequestLog:
    """The requests of a text, each with the number of its line, and the lines that have none."""

    calls: tuple[ModelCall, ...]
    lines: tuple[int, ...]
    broken: tuple[BrokenLine, ...] = ()
    broken_count: int = 0


def read_requests(text: str, recognize: Callable[[Any], list[ModelCall]] = recognize) -> RequestLog:
    """Return the requests in a text: one JSON value, or one on each line; `recognize` finds those of a value.

    Raises `Invalid` with line and column if the text is neither, or with the keys that were looked for.
    """
    text = text.removeprefix("\ufeff")
    try:
        value = _parse(text)
    except json.JSONDecodeError as error:
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) < 2 or not any(_is_value(line) for _, line in lines[:10]):
            raise Invalid(
                f"This is not JSON: {_reason(error)} in line {error.lineno}, column {error.colno}.", pointer="/text"
            ) from None
        return _read_lines(lines, recognize)
    calls = recognize(value)
    check_calls(len(calls))
    return RequestLog(tuple(calls), (1,) * len(calls))


def check_calls(count: int, limit: int = MAX_CALLS) -> None:
    """Raise `TooLarge` for too many requests."""
    if count > limit:
        raise TooLarge(f"At most {limit:,} requests are counted here at once.", pointer="/request", limit=limit)


def _parse(text: str) -> Any:
    """Return JSON as data. Raises `json.JSONDecodeError`, and `Invalid` for what is nested too deep."""
    try:
        return parse_json(text)
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise Invalid(str(error), pointer="/text") from None


def _reason(error: json.JSONDecodeError) -> str:
    return error.msg[:1].lower() + error.msg[1:]


def _is_value(line: str) -> bool:
    try:
        return isinstance(_parse(line), dict | list)
    except (json.JSONDecodeError, Invalid):
        return False


def _read_lines(lines: list[tuple[int, str]], recognize: Callable[[Any], list[ModelCall]]) -> RequestLog:
    calls: list[ModelCall] = []
    numbers: list[int] = []
    broken: list[BrokenLine] = []
    count = 0
    for number, line in lines:
        try:
            found = recognize(_parse(line))
        except json.JSONDecodeError as error:
            reason = f"Not JSON: {_reason(error)} in column {error.colno}."
        except Invalid as error:
            reason = error.detail
        else:
            calls += found
            numbers += [number] * len(found)
            check_calls(len(calls))
            continue
        count += 1
        if len(broken) < MAX_LISTED:
            broken.append(BrokenLine(number, reason))
    if not calls:
        raise Invalid(f"No line has a request. Line {broken[0].number}: {broken[0].reason}", pointer="/text")
    return RequestLog(tuple(calls), tuple(numbers), tuple(broken), count)
