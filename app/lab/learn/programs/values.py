"""What a program of a learner can call: a few builtins, and a few methods of each type. Nothing else has a name.

No value gives access to an attribute, a module, a file or the frame of a caller, and each result has a limited size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

MAX_ITEMS = 10_000
"""Items of the longest list and characters of the longest string."""
MAX_BITS = 256
"""Size of the largest whole number."""
METHODS: Mapping[type, frozenset[str]] = {
    list: frozenset({"append", "copy", "count", "extend", "index", "insert", "pop", "reverse"}),
    tuple: frozenset({"count", "index"}),
    Counter: frozenset({"copy", "get", "items", "keys", "most_common", "pop", "setdefault", "values"}),
    dict: frozenset({"copy", "get", "items", "keys", "pop", "setdefault", "values"}),
    set: frozenset({"add", "copy", "discard"}),
    str: frozenset({"count", "endswith", "index", "join", "lower", "split", "startswith", "strip", "upper"}),
}
QUICK = frozenset({"add", "append", "discard", "get", "pop", "setdefault"})
"""Methods that take no longer with a long value."""
SIZED = (list, tuple, dict, set, str)
VIEWS = frozenset({"items", "keys", "values"})
"""Methods whose result is copied to a list."""
MODULES = {"collections": {"Counter"}, "itertools": {"pairwise"}}
"""What a program may import; it has these names without an import, too."""


class ProgramFault(Exception):
    """A program cannot go on: a message, and the number of the line, 0 if none is known."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def _listed(make: Callable[..., Iterable[Any]]) -> Callable[..., list[Any]]:
    return lambda *values: [*make(*values)]


def _range(*bounds: int) -> range:
    """Return a range that a program may go through."""
    made = range(*bounds)
    if not -(2**MAX_BITS) < made.start < 2**MAX_BITS or made[MAX_ITEMS:]:
        raise ProgramFault(f"A range has at most {MAX_ITEMS:,} numbers here.")
    return made


def _spell(value: Any) -> str:
    if isinstance(value, str | int | float):
        return str(value)
    raise ProgramFault("str() takes a number or a string here.")


def _number(value: Any) -> int:
    if isinstance(value, int | float):
        return int(value)
    raise ProgramFault("int() takes a number here.")


BUILTINS: Mapping[str, Callable[..., Any]] = {
    **{kind.__name__: kind for kind in (bool, dict, list, set, tuple, Counter)},
    **{function.__name__: function for function in (abs, all, any, len, max, min, sorted)},
    **{kind.__name__: _listed(kind) for kind in (enumerate, pairwise, reversed, zip)},
    "int": _number,
    "range": _range,
    "str": _spell,
    "sum": lambda values: sum(values),
}


class BoundMethod:
    """A method of a value, as in `counts.get`, before it is called."""

    def __init__(self, value: Any, name: str) -> None:
        kind = next((kind for kind in METHODS if isinstance(value, kind)), None)
        if kind is None or name not in METHODS[kind]:
            known = f" It has {', '.join(sorted(METHODS[kind]))}." if kind else ""
            raise ProgramFault(f"A {type(value).__name__} has no {name} here.{known}")
        self.value = value
        self.name = name

    def __call__(self, *values: Any) -> Any:
        if self.name == "join":
            values = ([*values[0]],) if len(values) == 1 else values
            check_length(sum(len(one) + len(self.value) for value in values for one in value))
        result = getattr(self.value, self.name)(*values)
        check_size(self.value)
        return [*result] if self.name in VIEWS else result


def check_length(length: int) -> None:
    """Raise `ProgramFault` if a value would be longer than a program may make it."""
    if length > MAX_ITEMS:
        raise ProgramFault(f"A value has at most {MAX_ITEMS:,} items here.")


def check_size(value: Any) -> Any:
    """Return a value. Raises `ProgramFault` if it is larger than a program may make it."""
    if isinstance(value, SIZED):
        check_length(len(value))
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ProgramFault("A number is too large here.")
    return value


def weigh(value: Any, limit: int) -> int:
    """Return how many values a value contains, counted up to a limit, however deep they are; a long string is several.

    >>> weigh([(1, 2), "a" * 640], 100)
    15
    """
    weight = 1 + len(value) // 64 if isinstance(value, str) else 1
    if isinstance(value, list | tuple | set | dict):
        for one in value.items() if isinstance(value, dict) else value:
            weight += weigh(one, limit - weight)
            if weight > limit:
                break
    return weight
