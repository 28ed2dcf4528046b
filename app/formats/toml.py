"""TOML as the store's descriptions need it, which Python only reads: values of a table, and tables in it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def dump_toml(table: Mapping[str, Any]) -> str:
    r"""A table of texts, whole numbers, truth values, lists of them, and tables.

    >>> print(dump_toml({"id": "a\n", "sizes": [1, 2], "files": {"b.c": {"whole": True}}}), end="")
    "id" = "a\n"
    "sizes" = [1, 2]
    <BLANKLINE>
    ["files"."b.c"]
    "whole" = true
    """
    return "".join(f"{line}\n" for line in _lines(table, ()))


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    values = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    if path and (values or not table):
        yield from ("", f"[{'.'.join(map(_value, path))}]")
    yield from (f"{_value(key)} = {_value(value)}" for key, value in values.items())
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _lines(value, (*path, key))


def _value(value: Any) -> str:
    """A value; TOML escapes texts as JSON does, but for U+007F."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
