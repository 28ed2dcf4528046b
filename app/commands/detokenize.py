"""detokenize: ids back to text."""

import argparse
from functools import partial
from typing import Any

from ..errors import Invalid
from ..lab.detokenize import detokenize
from ..registry import get_registry
from ..serialize.columns import serialize_detokenization
from ..serialize.json import parse
from ..settings import Settings
from . import inputs, tokenizer_options
from .output import write, write_json, write_problem


def options(parser: argparse.ArgumentParser) -> None:
    inputs.options(parser, what="list of ids")
    tokenizer_options.add_tokenizers(parser, one="ids are of one vocabulary")
    tokenizer_options.add_engine(parser)


def run(args: argparse.Namespace) -> None:
    """Print the bytes of ids and nothing else; with --lines, a line feed after those of each line."""
    registry = get_registry(Settings.from_env())
    read = inputs.CommandInputs(args, texts=False)
    (id,) = tokenizer_options.resolve_tokenizers(registry, args)
    registry.get(id, args.engine)
    for one in read:
        with read.catch_errors(one, partial(write_problem, read) if args.json else None):
            detokenization = detokenize(registry, ids(one.text), tokenizer=id, engine=args.engine)
            if args.json:
                write_json(read, one, serialize_detokenization(detokenization))
            else:
                write(detokenization.raw + b"\n" * args.lines)
    read.finish()


def ids(text: str) -> list[int]:
    """Return ids that are written as numbers, as a JSON list, or as an answer of /tokenize.

    Raises `Invalid`, `BadRequest`.

    >>> ids("9906, 11"), ids("[9906, 11]"), ids('{"count": 2, "ids": [9906, 11]}')
    ([9906, 11], [9906, 11], [9906, 11])
    """
    text = text.removeprefix("\ufeff")
    values: Any = text.replace(",", " ").split()
    if text.lstrip()[:1] in ("[", "{"):
        values = parse(text.encode(), part="input")
        values = values.get("ids") if isinstance(values, dict) else values
    if not isinstance(values, list):
        raise Invalid("There is no list of ids.")
    return [_id(index, value) for index, value in enumerate(values)]


def _id(index: int, value: Any) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**32:
        raise Invalid(f"Number {index + 1} is no id: ids are whole numbers from 0 to {2**32 - 1}.")
    return value
