"""Read JSON that may have any shape: what is not of the expected kind is empty."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


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
    """Return a whole number, or 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


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
