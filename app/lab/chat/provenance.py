"""Provenance: texts that know of each of their characters where it comes from, also after a template worked on them.

What is known is known for certain. A way to make texts that is not followed here gives a plain one, of unknown origin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Literal, NamedTuple, SupportsIndex

Kind = Literal["template", "role", "text", "tools", "option"]


class Origin(NamedTuple):
    """Where characters come from; `message` counts from 0 in the conversation."""

    kind: Kind
    message: int | None = None


Runs = tuple[tuple[int, Origin | None], ...]
"""How many characters, and where they come from; None where that is unknown."""

TEMPLATE = Origin("template")


class Sourced(str):
    """A text and the origins of its characters.

    >>> name = Sourced.of("Ada ", Origin("text", 0))
    >>> greeting = Sourced.of("Hello, ", TEMPLATE) + name.strip() + "!"
    >>> greeting, [length for length, _ in runs(greeting)]
    ('Hello, Ada!', [7, 3, 1])
    """

    __slots__ = ("_runs",)
    _runs: Runs

    def __new__(cls, text: str = "") -> Sourced:
        """A text of unknown origin, as those are that a library makes of one of ours."""
        new = super().__new__(cls, text)
        new._runs = ((len(new), None),) if new else ()
        return new

    @classmethod
    def of(cls, text: str, origin: Origin | None) -> Sourced:
        """A text all of one origin."""
        return cls.made(str.__str__(text), ((len(text), origin),))

    @classmethod
    def made(cls, text: str, found: Iterable[tuple[int, Origin | None]]) -> Sourced:
        """A text with the runs that it is made of; neighbours of one origin become one."""
        new = cls(text)
        grouped = groupby((run for run in found if run[0]), key=lambda run: run[1])
        new._runs = tuple((sum(length for length, _ in same), origin) for origin, same in grouped)
        return new

    def __str__(self) -> Sourced:
        return self

    def __iter__(self) -> Iterator[Sourced]:
        at = 0
        for length, origin in self._runs:
            yield from (Sourced.of(char, origin) for char in str.__str__(self)[at : at + length])
            at += length

    def __getitem__(self, place: SupportsIndex | slice) -> Sourced:
        found = str.__getitem__(self, place)
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            return _part(self, start, max(start, stop)) if step == 1 else Sourced.of(found, sole(self))
        start = range(len(self))[place]
        return _part(self, start, start + 1)

    def __add__(self, other: str) -> Sourced:
        return joined((self, other)) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: str) -> Sourced:
        return joined((other, self)) if isinstance(other, str) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> Sourced:
        return Sourced.made(str.__mul__(self, times), self._runs * int(times))

    __rmul__ = __mul__

    def strip(self, chars: str | None = None) -> Sourced:
        return self.lstrip(chars).rstrip(chars)

    def lstrip(self, chars: str | None = None) -> Sourced:
        return self[len(self) - len(str.lstrip(self, chars)) :]

    def rstrip(self, chars: str | None = None) -> Sourced:
        return self[: len(str.rstrip(self, chars))]

    def join(self, texts: Iterable[str]) -> Sourced:
        return joined(_interleaved(self, texts))

    def replace(self, old: str, new: str, count: SupportsIndex = -1) -> Sourced:
        if not old:
            return Sourced.of(str.replace(self, old, new, count), None)
        return joined(_interleaved(new, self.split(old, count)))

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[Sourced]:  # type: ignore[override]
        found, at = [], 0
        for piece in str.split(self, sep, maxsplit):
            at = str.index(self, piece, at) if sep is None else at
            found.append(self[at : at + len(piece)])
            at += len(piece) + len(sep or "")
        return found

    def upper(self) -> Sourced:
        return Sourced.of(str.upper(self), sole(self))

    def lower(self) -> Sourced:
        return Sourced.of(str.lower(self), sole(self))

    def capitalize(self) -> Sourced:
        return Sourced.of(str.capitalize(self), sole(self))

    def title(self) -> Sourced:
        return Sourced.of(str.title(self), sole(self))


class SourcedDict(dict[Any, Any]):
    """An object that knows where it comes from, even if there is no text in it."""

    __slots__ = ("_origin",)

    def __init__(self, origin: Origin, items: Mapping[Any, Any]) -> None:
        super().__init__(items)
        self._origin = origin


class SourcedList(list[Any]):
    """A list that knows where it comes from, even if there is no text in it."""

    __slots__ = ("_origin",)

    def __init__(self, origin: Origin, items: Iterable[Any]) -> None:
        super().__init__(items)
        self._origin = origin


def origin_of(value: Any) -> Origin | None:
    """Where a value comes from as a whole."""
    return value._origin if isinstance(value, SourcedDict | SourcedList) else None


def runs(text: str) -> Runs:
    """The origins of a text's characters; a plain one has an unknown origin."""
    return text._runs if isinstance(text, Sourced) else ((len(text), None),) if text else ()


def sole(text: str) -> Origin | None:
    """The origin of a text that has only one."""
    found = runs(text)
    return found[0][1] if len(found) == 1 else None


def joined(texts: Iterable[str]) -> Sourced:
    """Texts one after another."""
    parts = list(texts)
    return Sourced.made("".join(parts), (run for part in parts for run in runs(part)))


def sourced(value: Any, origin: Origin) -> Any:
    """Plain data whose texts, keys too, know that they come from there."""
    match value:
        case str():
            return Sourced.of(value, origin)
        case dict():
            return SourcedDict(origin, {sourced(key, origin): sourced(item, origin) for key, item in value.items()})
        case list():
            return SourcedList(origin, [sourced(item, origin) for item in value])
        case _:
            return value


def _interleaved(separator: str, texts: Iterable[str]) -> Iterator[str]:
    for i, text in enumerate(texts):
        if i:
            yield separator
        yield text


def _part(text: Sourced, start: int, stop: int) -> Sourced:
    """The characters from start to stop."""
    return Sourced.made(str.__getitem__(text, slice(start, stop)), _cut(text._runs, start, stop))


def _cut(found: Runs, start: int, stop: int) -> Iterator[tuple[int, Origin | None]]:
    at = 0
    for length, origin in found:
        first, last = max(at, start), min(at + length, stop)
        if first < last:
            yield last - first, origin
        at += length
