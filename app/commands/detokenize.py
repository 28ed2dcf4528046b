"""detokenize: ids back to text."""

import argparse
from functools import partial
from typing import Any

from app.commands import cutting, inputs
from app.errors import Invalid
from app.settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    inputs.options(parser, what="list of ids")
    cutting.which(parser)


def run(args: argparse.Namespace) -> None:
    """Print the bytes that ids stand for, and nothing between or behind them; of --lines, a line feed behind each."""
    from app.commands.output import write, write_json, write_problem
    from app.lab.detokenize import detokenize
    from app.lab.models import resolved
    from app.registry import Registry
    from app.web.api.detokenize import answer

    registry, read = Registry(Settings.from_env()), inputs.Inputs(args)
    id = resolved(registry, args.tokenizer)
    registry.get(id, args.engine)
    for one in read:
        with read.trying(one, partial(write_problem, read) if args.json else None):
            done = detokenize(registry, ids(one.text), tokenizer=id, engine=args.engine)
            if args.json:
                write_json(read, one, answer(done))
            else:
                write(done.raw + b"\n" * args.lines)
    read.finish()


def ids(text: str) -> list[int]:
    """Ids as people and programs write them: numbers, a JSON list of numbers, or what /tokenize answers.

    Raises `Invalid`, `BadRequest`.

    >>> ids("9906, 11"), ids("[9906, 11]"), ids('{"count": 2, "ids": [9906, 11]}')
    ([9906, 11], [9906, 11], [9906, 11])
    """
    from app.web.body import parse

    found: Any = text.replace(",", " ").split()
    if text.lstrip()[:1] in ("[", "{"):
        found = parse(text.encode(), part="input")
        found = found.get("ids") if isinstance(found, dict) else found
    if not isinstance(found, list):
        raise Invalid("There is no list of ids.")
    return [_id(index, value) for index, value in enumerate(found)]


def _id(index: int, value: Any) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**32:
        raise Invalid(f"Number {index + 1} is no id: ids are whole numbers from 0 to {2**32 - 1}.")
    return value
