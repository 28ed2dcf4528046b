"""Options on the command line, generated from an option schema."""

import argparse
from collections.abc import Collection
from typing import Any, TypeVar

from ..errors import join_names
from ..lab.option_schema import Option, Options, from_mapping, get_option_fields

Schema = TypeVar("Schema", bound=Options)


def add_options(parser: argparse.ArgumentParser, schema: type, *, without: Collection[str] = ()) -> None:
    """Add an argument for each option of a schema; its former names are accepted but not listed."""
    for option in get_option_fields(schema).values():
        if option.name in without:
            continue
        parser.add_argument(_flag(option.name), dest=option.name, **_settings(option), help=_help(option))
        for alias in option.aliases:
            parser.add_argument(_flag(alias), dest=alias, **_settings(option), help=argparse.SUPPRESS)


def options_from(args: argparse.Namespace, schema: type[Schema], **others: Any) -> Schema:
    """The options that were given, others by default.

    Raises `Invalid` if one is given under two names with different values.
    """
    names = [name for option in get_option_fields(schema).values() for name in (option.name, *option.aliases)]
    # What was not given is None: only so can an option be told from its former name.
    given = {name: getattr(args, name) for name in names if getattr(args, name, None) is not None}
    return from_mapping(schema, {**given, **others})


def at_least_one(text: str) -> int:
    """Return a whole number from 1. Raises `ArgumentTypeError`, of which argparse says the option."""
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text[:20]!r}")
    return int(text)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _settings(option: Option) -> dict[str, Any]:
    """The arguments of `add_argument`."""
    if option.kind == "switch":
        return {"action": "store_true", "default": None}
    if option.kind == "choice":
        return {"metavar": "PATTERN"} if option.custom else {"choices": [*(option.choices or ())]}
    if option.kind == "list":
        return {"nargs": "*", "metavar": option.name.removesuffix("s").rpartition("_")[2].upper()}
    return {"type": {"integer": int, "decimal": float}.get(option.kind, str)}


def _help(option: Option) -> str:
    parts = [option.label, option.help.rstrip(".")]
    if option.custom:
        parts.append(f"{join_names(option.choices or ())}, or a {option.custom}")
    if option.kind not in ("switch", "list") and option.default not in (None, ""):
        parts.append(f"default: {option.default}")
    return "; ".join(filter(None, parts)).replace("%", "%%")
