"""Strings that record the origin of each character and keep it through the operations of a chat template.

A recorded origin is certain. Operations that are not implemented here return characters of unknown origin.

The filter `tojson` writes JSON, plain or with these origins.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Literal, NamedTuple, SupportsIndex

Kind = Literal["template", "role", "text", "tools", "option"]
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class Origin(NamedTuple):
    """The origin of characters: the 0-based index of the message, or of the tool, that they are from, if any.

    `field` is "reasoning" or "tool_calls", "" for what else a message has, and "several" where these are mixed.
    """

    kind: Kind
    message: int | None = None
    tool: int | None = None
    field: str = ""


Runs = tuple[tuple[int, Origin | None], ...]
"""Pairs of a number of characters and their origin, which is None if unknown."""
TEMPLATE = Origin("template")


class Sourced(str):
    """A string with the origins of its characters.

    >>> name = Sourced.of("Ada ", Origin("text", 0))
    >>> greeting = Sourced.of("Hello, ", TEMPLATE) + name.strip() + "!"
    >>> greeting, [length for length, _ in runs(greeting)]
    ('Hello, Ada!', [7, 3, 1])
    """

    __slots__ = ("_runs",)
    _runs: Runs

    def __new__(cls, text: str = "") -> Sourced:
        """Return a string of unknown origin; this is also what a library makes of a `Sourced` string."""
        new = super().__new__(cls, text)
        new._runs = ((len(new), None),) if new else ()
        return new

    @classmethod
    def of(cls, text: str, origin: Origin | None) -> Sourced:
        """Return a string whose characters all have the same origin."""
        # `str.__str__`, since `str(text)` of a `Sourced` string returns it with its own origins.
        return cls.from_runs(str.__str__(text), ((len(text), origin),))

    @classmethod
    def from_runs(cls, text: str, runs: Iterable[tuple[int, Origin | None]]) -> Sourced:
        """Return a string with the given runs; adjacent runs of the same origin are merged."""
        new = cls(text)
        nonempty = [run for run in runs if run[0]]
        grouped = groupby(nonempty, key=lambda run: run[1])
        new._runs = tuple((sum(length for length, _ in same), origin) for origin, same in grouped)
        return new

    def __str__(self) -> Sourced:
        return self

    def __iter__(self) -> Iterator[Sourced]:
        position = 0
        for length, origin in self._runs:
            yield from (Sourced.of(char, origin) for char in str.__str__(self)[position : position + length])
            position += length

    def __getitem__(self, key: SupportsIndex | slice) -> Sourced:
        characters = str.__getitem__(self, key)
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                return _substring(self, start, max(start, stop))
            # Other steps are too rare to follow each character.
            return Sourced.of(characters, single_origin(self))
        start = range(len(self))[key]
        return _substring(self, start, start + 1)

    def __add__(self, other: str) -> Sourced:
        return concatenate((self, other)) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: str) -> Sourced:
        return concatenate((other, self)) if isinstance(other, str) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> Sourced:
        return Sourced.from_runs(str.__mul__(self, times), self._runs * int(times))

    __rmul__ = __mul__

    def strip(self, chars: str | None = None) -> Sourced:
        return self.lstrip(chars).rstrip(chars)

    def lstrip(self, chars: str | None = None) -> Sourced:
        return self[len(self) - len(str.lstrip(self, chars)) :]

    def rstrip(self, chars: str | None = None) -> Sourced:
        return self[: len(str.rstrip(self, chars))]

    def join(self, texts: Iterable[str]) -> Sourced:
        return concatenate(_interleave(self, texts))

    def replace(self, old: str, new: str, count: SupportsIndex = -1) -> Sourced:
        if not old:  # `split` does not accept an empty separator
            return Sourced.of(str.replace(self, old, new, count), None)
        return concatenate(_interleave(new, self.split(old, count)))

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[Sourced]:  # type: ignore[override]
        parts = []
        position = 0
        for piece in str.split(self, sep, maxsplit):
            position = str.index(self, piece, position) if sep is None else position
            parts.append(self[position : position + len(piece)])
            position += len(piece) + len(sep or "")
        return parts

    # A change of case can change the number of characters (ß → SS), so that runs do not carry over.
    def upper(self) -> Sourced:
        return Sourced.of(str.upper(self), single_origin(self))

    def lower(self) -> Sourced:
        return Sourced.of(str.lower(self), single_origin(self))

    def capitalize(self) -> Sourced:
        return Sourced.of(str.capitalize(self), single_origin(self))

    def title(self) -> Sourced:
        return Sourced.of(str.title(self), single_origin(self))


class SourcedDict(dict[Any, Any]):
    """A dict with an origin, which is kept even if no string is in it."""

    __slots__ = ("_origin",)

    def __init__(self, origin: Origin, items: Mapping[Any, Any]) -> None:
        super().__init__(items)
        self._origin = origin


class SourcedList(list[Any]):
    """A list with an origin, which is kept even if no string is in it."""

    __slots__ = ("_origin",)

    def __init__(self, origin: Origin, items: Iterable[Any]) -> None:
        super().__init__(items)
        self._origin = origin


def get_origin(value: Any) -> Origin | None:
    """Return the origin of a dict or list as a whole, or None if unknown."""
    return value._origin if isinstance(value, SourcedDict | SourcedList) else None


def runs(text: str) -> Runs:
    """Return the runs of a string; the origin of a plain `str` is unknown."""
    return text._runs if isinstance(text, Sourced) else ((len(text), None),) if text else ()


def single_origin(text: str) -> Origin | None:
    """Return the origin of a string that has only one, or else None."""
    text_runs = runs(text)
    return text_runs[0][1] if len(text_runs) == 1 else None


def concatenate(texts: Iterable[str]) -> Sourced:
    """Return the concatenation of strings, with their origins."""
    parts = list(texts)
    return Sourced.from_runs("".join(parts), (run for part in parts for run in runs(part)))


def attach_origin(value: Any, origin: Origin) -> Any:
    """Return JSON-like data in which all strings, including keys, have this origin."""
    match value:
        case str():
            return Sourced.of(value, origin)
        case dict():
            return SourcedDict(
                origin, {attach_origin(key, origin): attach_origin(item, origin) for key, item in value.items()}
            )
        case list():
            return SourcedList(origin, [attach_origin(item, origin) for item in value])
        case _:
            return value


def _interleave(separator: str, texts: Iterable[str]) -> Iterator[str]:
    """Yield the strings with the separator between them."""
    for i, text in enumerate(texts):
        if i:
            yield separator
        yield text


def _substring(text: Sourced, start: int, stop: int) -> Sourced:
    """Return the characters in [start, stop)."""
    return Sourced.from_runs(str.__getitem__(text, slice(start, stop)), _clip_runs(text._runs, start, stop))


def _clip_runs(text_runs: Runs, start: int, stop: int) -> Iterator[tuple[int, Origin | None]]:
    """Yield the runs of the characters in [start, stop)."""
    position = 0
    for length, origin in text_runs:
        first = max(position, start)
        last = min(position + length, stop)
        if first < last:
            yield last - first, origin
        position += length


def tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Return a value as JSON. Unlike Jinja's own `tojson`, this does not escape HTML, as in transformers.

    Raises what `json.dumps` raises.

    >>> tojson({"a": "<é>"})
    '{"a": "<é>"}'
    """
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def serialize_sourced(value: Any, **options: Any) -> Sourced:
    """Return a value as JSON whose strings keep their origins.

    The other characters, and keys from the template, have the origin of the value, or else the only origin of its
    strings apart from the template; it is None if there is no such origin.
    """
    text = tojson(value, **options)
    strings = list(_strings(value, sort=bool(options.get("sort_keys"))))
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
    """Return the only origin of a set, that of a message or of all tools for parts of it, or None if there is none."""
    if len(origins) > 1:  # parts of all tools, or fields of a message
        field = "" if all(origin and origin.kind == "tools" for origin in origins) else "several"
        origins = {origin and Origin(origin.kind, origin.message, field=field) for origin in origins}
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
