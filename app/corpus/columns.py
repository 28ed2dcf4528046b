"""Columns of a row by name or path: `text`, `doc.text`, `messages[].content`."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import Invalid, join_names

EACH = "[]"
"""What stands behind the name of a list, of which each item is read; their texts are joined with line feeds."""


def get_column(row: Mapping[str, Any], name: str, path: str, *, missing: Any = None) -> Any:
    r"""Return a column of a row; `missing` if no column is asked for. Raises `Invalid`, with the columns there are.

    >>> get_column({"doc": {"text": "a"}}, "doc.text", "x.jsonl")
    'a'
    >>> get_column({"turns": [{"content": "a"}, {"content": None}, {"content": "b"}]}, "turns[].content", "x.jsonl")
    'a\nb'
    """
    if not name:
        return missing
    if name in row:
        return row[name]
    first, *rest = split_path(name)
    if first not in row:
        raise Invalid(f"{path} has no column {name!r}; it has {join_names([*map(str, row)])}.", pointer="/column")
    return follow(row[first], rest, name, path)


def keep_columns(row: Mapping[str, Any], names: Sequence[str], path: str) -> tuple[str | None, ...]:
    """Return the values of columns as texts, what is no text as JSON. Raises `Invalid`.

    >>> keep_columns({"id": 7, "url": "a", "tags": ["x"], "no": None}, ["id", "url", "tags", "no"], "x.jsonl")
    ('7', 'a', '["x"]', None)
    """
    return tuple(as_text(get_column(row, name, path)) for name in names)


def as_text(value: Any) -> str | None:
    """Return a value as text, what is no text as JSON, None as it is."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)


def find_top(names: Iterable[str], name: str, path: str) -> str:
    """Return the column at the top of a table in which a column is. Raises `Invalid`, with the columns there are."""
    there = dict.fromkeys(names)
    first = split_path(name)[0]
    get_column(there, name if name in there or first not in there else first, path)
    return name if name in there else first


def split_path(name: str) -> list[str]:
    """Return the steps of a path.

    >>> split_path("messages[].content")
    ['messages', '[]', 'content']
    """
    return [
        step for part in name.split(".") for step in (part.removesuffix(EACH), *[EACH] * part.endswith(EACH)) if step
    ]


def follow(value: Any, steps: Sequence[str], name: str, path: str) -> Any:
    """Return the value at the end of the steps of a column. Raises `Invalid` where there is no such column."""
    for number, step in enumerate(steps):
        if value is None:
            return None
        if step == EACH:
            if not isinstance(value, list):
                raise Invalid(f"{path} has no list at {EACH} of {name!r}.", pointer="/column")
            return _join([_follow_item(item, steps[number + 1 :], name, path) for item in value])
        if not isinstance(value, Mapping) or step not in value:
            every = split_path(name)
            where = ".".join(every[: len(every) - len(steps) + number]).replace(f".{EACH}", EACH)
            there = f"{where} has {join_names(value)}" if isinstance(value, Mapping) else f"{where} is no object"
            raise Invalid(f"{path} has no column {name!r}; {there}.", pointer="/column")
        value = value[step]
    return value


def _follow_item(item: Any, steps: Sequence[str], name: str, path: str) -> Any:
    """Return the value at the end of the steps in an item of a list; None where it has none."""
    lacks = bool(steps) and steps[0] != EACH and isinstance(item, Mapping) and steps[0] not in item
    return None if lacks else follow(item, steps, name, path)


def _join(values: Sequence[Any]) -> Any:
    """Return texts joined with line feeds, without those that there are not; anything else as it is."""
    texts = [value for value in values if value is not None]
    return "\n".join(texts) if all(isinstance(value, str) for value in texts) else texts
