"""JSON as chat templates write it, with the origin of each part of it."""

import json
import re
from collections.abc import Iterator
from typing import Any

from app.lab.chat.provenance import TEMPLATE, Origin, Sourced, origin_of, runs

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """The `tojson` of chat templates, which unlike Jinja’s own leaves HTML’s characters alone.

    >>> tojson({"a": "<é>"})
    '{"a": "<é>"}'
    """
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def sourced_json(value: Any, **options: Any) -> Sourced:
    """`tojson` whose strings keep their origins.

    What stands between them, and names that the template gives, belong to what is written: to where the other strings
    come from, if that is one place.
    """
    text, strings = tojson(value, **options), list(_strings(value, sort=bool(options.get("sort_keys"))))
    places = list(STRING.finditer(text))
    if len(places) != len(strings):
        return Sourced.of(text, None)
    known = {origin for string in strings for _, origin in runs(string)}
    between = origin_of(value) or _only(known - {TEMPLATE} or known)
    found, at = [], 0
    for place, string in zip(places, strings, strict=True):
        own = {origin for _, origin in runs(string)}
        found += [(place.start() - at, between), (len(place.group()), between if own <= {TEMPLATE} else _only(own))]
        at = place.end()
    return Sourced.made(text, [*found, (len(text) - at, between)])


def _only(origins: set[Origin | None]) -> Origin | None:
    return next(iter(origins)) if len(origins) == 1 else None


def _strings(value: Any, *, sort: bool) -> Iterator[str]:
    """The strings of a value in the order in which JSON writes them; keys of other types are written as strings."""
    match value:
        case str():
            yield value
        case dict():
            for key, item in sorted(value.items()) if sort else value.items():
                yield key if isinstance(key, str) else str(key)
                yield from _strings(item, sort=sort)
        case list() | tuple():
            for item in value:
                yield from _strings(item, sort=sort)
