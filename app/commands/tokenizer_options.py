"""Options of the commands that tokenize: those of POST /tokenize."""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..lab.models import resolve_model
from ..lab.tokenize import Tokenization, tokenize
from ..registry import Registry
from ..settings import Settings

DEFAULT = "o200k_base"
"""The tokenizer of commands that are told none."""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a tokenizer and its treatment of special tokens."""
    add_tokenizer_options(parser)
    add_special_option(parser)
    parser.add_argument(
        "--template", action="store_true", help="add special tokens around the text, such as [CLS] … [SEP]"
    )


def add_tokenizer_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a tokenizer and its engine."""
    add_one(parser, DEFAULT)
    parser.add_argument("--engine", help="reference, scratch, or an engine by name; else the reference")


def add_one(parser: argparse.ArgumentParser, default: str) -> None:
    """Add the option that names one tokenizer."""
    help = f"an id of list, or the name of a model; else {default}"
    parser.add_argument("-t", "--tokenizer", metavar="ID", action=_OneTokenizer, default=default, help=help)


class _OneTokenizer(argparse.Action):
    """Takes one name, and refuses several instead of using the last."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        if "," in values or getattr(namespace, "named", False):
            parser.error("-t names one tokenizer here; `tokenarium compare` and `corpus count` take several")
        namespace.named = True
        setattr(namespace, self.dest, values)


def add_several(parser: argparse.ArgumentParser, default: Sequence[str] = (), *, help: str = "") -> None:
    """Add the option that names several tokenizers: `-t a,b`, or `-t a -t b`."""
    if default:
        help = f"{help or 'ids of list, or names of models'}, with commas or several times; else {', '.join(default)}"
    parser.add_argument(
        "-t", "--tokenizer", metavar="IDS", action="extend", type=split_names, help=help, required=not default
    )
    parser.set_defaults(default_tokenizers=(*default,))


def split_names(names: str) -> list[str]:
    """Return names with commas between them.

    >>> split_names("gpt2, qwen3,")
    ['gpt2', 'qwen3']
    """
    return [name.strip() for name in names.split(",") if name.strip()]


def get_names(args: argparse.Namespace) -> list[str]:
    """Return the names of the tokenizers of `add_several`, each once."""
    return [*dict.fromkeys(args.tokenizer or args.default_tokenizers)]


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
