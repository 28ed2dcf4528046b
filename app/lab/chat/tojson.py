"""The filter `tojson` of chat templates, plain and with the origin of each character."""

import json
import re
from collections.abc import Iterator
from typing import Any

from .attribution import TEMPLATE, Origin, Sourced, get_origin, runs
from .limits import charge, charge_items, charge_pieces, check_size, weigh

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Return a value as JSON. Unlike Jinja's own `tojson`, this does not escape HTML, as in transformers.

    Raises `TemplateLimit` for a value that is too large, and what `json.dumps` raises.

    >>> tojson({"a": "<é>"})
    '{"a": "<é>"}'
    """
    size, count = weigh(value)
    separator_length = sum(map(len, separators or ()))
    check_size(size + separator_length * count)
    options: dict[str, Any] = {"ensure_ascii": ensure_ascii, "separators": separators, "sort_keys": sort_keys}
    if indent is None:
        return json.dumps(value, **options)
    check_size(indent if isinstance(indent, int) else len(indent))
    # In pieces, since indentation depends on the depth: the size is known only while the JSON is written.
    pieces = json.JSONEncoder(indent=indent, **options).iterencode(value)
    return "".join(charge_pieces(charge_items(pieces)))


def serialize_sourced(value: Any, **options: Any) -> Sourced:
    """Return a value as JSON whose strings keep their origins.

    The other characters, and keys from the template, have the origin of the value, or else the only origin of its
    strings apart from the template; it is None if there is no such origin.
    """
    text = tojson(value, **options)
    strings = list(_strings(value, sort=bool(options.get("sort_keys"))))
    charge(4 * len(strings))
    matches = list(STRING.finditer(text))
    # Separators or an indentation that contain quotes make the two differ. Then no origin is certain.
    if len(matches) != len(strings):
        return Sourced.of(text, None)
    origins = {origin for string in strings for _, origin in runs(string)}
    default = get_origin(value) or _single(origins - {TEMPLATE} or origins)
    spans: list[tuple[int, Origin | None]] = []
    position = 0
    for match, string in zip(matches, strings, strict=True):
        own = {origin for _, origin in runs(string)}
        spans.append((match.start() - position, default))
        spans.append((len(match.group()), default if own <= {TEMPLATE} else _single(own)))
        position = match.end()
    return Sourced.from_runs(text, [*spans, (len(text) - position, default)])


def _single(origins: set[Origin | None]) -> Origin | None:
    """Return the only origin of a set, that of all tools for several tools, or None if there is not exactly one."""
    if origins and all(origin and origin.kind == "tools" for origin in origins):
        return next(iter(origins)) if len(origins) == 1 else Origin("tools")
    return next(iter(origins)) if len(origins) == 1 else None


def _strings(value: Any, *, sort: bool) -> Iterator[str]:
    """Yield the strings of a value in the order of its JSON, including keys; keys of other types become strings."""
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
