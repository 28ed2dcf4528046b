"""Where a value stands in the text of a JSON document."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 60
"""Characters that an excerpt has before a place, of its line, and after it."""
BLANK = " \t\n\r"
_decoder = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class JsonPlace:
    """A place in a text: line and column, from 1, and what stands around it."""

    line: int
    column: int
    excerpt: str


def find_place(text: str, path: Sequence[str | int]) -> JsonPlace | None:
    """Return where the value at a path begins, with its name; None if there is none.

    >>> find_place('{\\n  "model": {"merges": ["a b", "c d"]}\\n}', ["model", "merges", 1])
    JsonPlace(line=2, column=31, excerpt='"model": {"merges": ["a b", "c d"]} }')
    """
    at = named = _skip(text, 0)
    try:
        for step in path:
            found = _find_member(text, at, step) if isinstance(step, str) else _find_item(text, at, step)
            if found is None:
                return None
            named, at = found
    except (ValueError, IndexError):
        return None
    start = text.rfind("\n", 0, named) + 1
    excerpt = text[max(start, named - WIDTH) : named + WIDTH]
    return JsonPlace(text.count("\n", 0, named) + 1, named - start + 1, " ".join(excerpt.split()))


def _skip(text: str, at: int) -> int:
    while text[at] in BLANK:
        at += 1
    return at


def _find_member(text: str, at: int, name: str) -> tuple[int, int] | None:
    """Return where the last member of a name begins in the object at a place, and where its value does."""
    if text[at] != "{":
        return None
    found = None
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, end = _decoder.raw_decode(text, at)
        value = _skip(text, _skip(text, end) + 1)
        if key == name:
            found = (at, value)
        at = _after(text, value)
    return found


def _find_item(text: str, at: int, index: int) -> tuple[int, int] | None:
    """Return twice where an item of the array at a place begins."""
    if text[at] != "[":
        return None
    at = _skip(text, at + 1)
    for _ in range(index):
        if text[at] == "]":
            return None
        at = _after(text, at)
    return (at, at) if text[at] != "]" else None


def _after(text: str, at: int) -> int:
    """Return where what follows a value begins: the next member or item, or the end."""
    end = _skip(text, _decoder.raw_decode(text, at)[1])
    return _skip(text, end + 1) if text[end] == "," else end
