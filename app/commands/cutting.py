"""How the commands cut a text: the options of /tokenize."""

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from app.settings import Settings

if TYPE_CHECKING:
    from app.lab.tokenize import Tokenization


def options(parser: argparse.ArgumentParser) -> None:
    """Which tokenizer, and what it does with special tokens."""
    which(parser)
    special(parser)
    parser.add_argument("--template", action="store_true", help="add the special tokens that models expect")


def which(parser: argparse.ArgumentParser) -> None:
    """The tokenizer and its engine."""
    parser.add_argument(
        "-t",
        "--tokenizer",
        metavar="ID",
        default="o200k_base",
        help="an id of list, or the name of a model; else o200k_base",
    )
    parser.add_argument("--engine", help="reference, scratch, or an engine by name; else the reference")


def special(parser: argparse.ArgumentParser) -> None:
    """What becomes of special tokens that are spelled in a text."""
    parser.add_argument(
        "--special",
        default="text",
        choices=["text", "parse", "refuse"],
        help="what becomes of special tokens spelled in a text; else text",
    )


def cutter(args: argparse.Namespace) -> Callable[[str], "Tokenization"]:
    """What cuts a text as the options say. Raises `UnknownTokenizer`, `UnknownEngine`, `Unavailable`."""
    from app.lab.models import resolved
    from app.lab.tokenize import tokenize
    from app.registry import Registry

    registry = Registry(Settings.from_env())
    id = resolved(registry, args.tokenizer)
    registry.get(id, args.engine)
    how = {"tokenizer": id, "engine": args.engine, "special": args.special, "template": args.template}
    return partial(tokenize, registry, **how)
