"""Options of the commands that tokenize: those of POST /tokenize."""

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from ..lab.models import resolve_model
from ..lab.tokenize import Tokenization, tokenize
from ..registry import Registry
from ..settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a tokenizer and its treatment of special tokens."""
    add_tokenizer_options(parser)
    add_special_option(parser)
    parser.add_argument(
        "--template", action="store_true", help="add special tokens around the text, such as [CLS] … [SEP]"
    )


def add_tokenizer_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a tokenizer and its engine."""
    parser.add_argument(
        "-t",
        "--tokenizer",
        metavar="ID",
        default="o200k_base",
        help="an id of list, or the name of a model; else o200k_base",
    )
    parser.add_argument("--engine", help="reference, scratch, or an engine by name; else the reference")


def add_special_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that says how special tokens in the input are read."""
    parser.add_argument(
        "--special",
        default="text",
        choices=["text", "parse", "refuse"],
        help="special tokens in the input: as plain text (the default), parse, or refuse with an error",
    )


def tokenize_function(args: argparse.Namespace) -> Callable[[str], "Tokenization"]:
    """Return a function that tokenizes a text as the options say. Raises what `get_tokenize_options` raises."""
    registry, options = get_tokenize_options(args)
    return partial(tokenize, registry, **options)


def get_tokenize_options(args: argparse.Namespace) -> tuple["Registry", dict[str, Any]]:
    """Return a registry, and the options of `tokenize` and `count_tokens`.

    Raises `UnknownTokenizer`, `UnknownEngine`, `Unavailable`.
    """
    registry = Registry(Settings.from_env())
    id = resolve_model(registry, args.tokenizer)
    registry.get(id, args.engine)
    options = {"tokenizer": id, "engine": args.engine, "special": args.special, "add_special_tokens": args.template}
    return registry, options
