"""Read JSON that may have any shape: what is not of the expected kind is empty."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 100
"""Levels of lists and objects in each other."""
MAX_NUMBER = 10**12
TOO_DEEP = "The JSON is nested too deep."


def mapping(value: Any) -> Mapping[str, Any]:
    """Return an object, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def objects(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list; other items become empty objects, so that the places stay."""
    return [mapping(item) for item in value] if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """Return a text, or an empty one."""
    return value if isinstance(value, str) else ""


def number_of(value: Any) -> int:
    """Return a whole number up to `MAX_NUMBER`, or 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_NUMBER else 0


def parse_json(text: str) -> Any:
    """Return JSON as data. Raises `ValueError` for a text that is none, or that is nested more than `MAX_DEPTH` deep.

    >>> parse_json('{"a": [1]}')
    {'a': [1]}
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    check_depth(value)
    return value


def check_depth(value: Any) -> None:
    """Raise `ValueError` for a value that is nested more than `MAX_DEPTH` deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        inner = (one.values() if isinstance(one, Mapping) else one for one in level if isinstance(one, Mapping | list))
        level = [item for items in inner for item in items]
        if not level:
            return
    raise ValueError(TOO_DEEP)


def compact_json(value: Any) -> str:
    """Return a value as JSON without spaces.

    >>> compact_json({"a": [1, "é"]})
    '{"a":[1,"é"]}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def join_parts(content: Any) -> str:
    """Return the text of a content: a string, or the texts of its parts.

    >>> join_parts([{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}])
    'ab'
    """
    return content if isinstance(content, str) else "".join(text_of(part.get("text")) for part in objects(content))
