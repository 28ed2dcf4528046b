"""Options of the commands that tokenize: those of POST /tokenize."""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from ..errors import UnknownTokenizer
from ..lab.models import resolve_here
from ..lab.prices import TokenRange
from ..lab.token_ranges import resolve_counter
from ..registry import Registry, get_registry
from ..settings import Settings
from ..types import SpecialPolicy

if TYPE_CHECKING:
    from ..lab.tokenize import Tokenization

Resolved = TypeVar("Resolved")
DEFAULT_TOKENIZERS = ("o200k_base",)
"""The tokenizers of commands that are told none."""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose tokenizers and their treatment of special tokens."""
    add_tokenizers(parser)
    add_engine(parser)
    add_special(parser, ", or reject (refuse)", get_args(SpecialPolicy))
    parser.add_argument(
        "--template", action="store_true", help="add special tokens around the text, such as [CLS] … [SEP]"
    )


def add_special(
    parser: argparse.ArgumentParser, further: str = "", choices: Sequence[SpecialPolicy] = ("text", "parse")
) -> None:
    """Add the option for special tokens that are spelled in the input; `further` explains further choices."""
    about = f"special tokens in the input: treat as text (the default), recognize (parse){further}"
    parser.add_argument("--special", default="text", choices=choices, help=about)


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses an engine."""
    parser.add_argument("--engine", help="reference, scratch, or an engine by name; else the reference")


def add_tokenizers(
    parser: argparse.ArgumentParser, default: Sequence[str] = DEFAULT_TOKENIZERS, *, one: str = ""
) -> None:
    """Add the option that names tokenizers: `-t a,b`, or `-t a -t b`. `one` says why there can be only one.

    The names are in `tokenizers`, and in `named` those that are not by default.
    """
    several = "" if one else "; several with commas, or repeated"
    parser.add_argument(
        "-t",
        "--tokenizer",
        dest="tokenizers",
        metavar="ID" if one else "ID,…",
        action=_TokenizerNames,
        const=one,
        default=[*default],
        help=f"an id of list, or the name of a model{several}; else {', '.join(default)}",
    )


class _TokenizerNames(argparse.Action):
    """Collects names, each once; several are refused where `const` says why."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        if not (names := split_names(values)):
            parser.error("-t names no tokenizer.")
        namespace.named = [*dict.fromkeys([*getattr(namespace, "named", ()), *names])]
        if self.const and len(namespace.named) > 1:
            parser.error(f"-t names one tokenizer here: {self.const}")
        setattr(namespace, self.dest, namespace.named)


def split_names(names: str) -> list[str]:
    """Return names with commas between them.

    >>> split_names("gpt2, qwen3,")
    ['gpt2', 'qwen3']
    """
    return [name.strip() for name in names.split(",") if name.strip()]


def resolve_tokenizers(registry: Registry, args: argparse.Namespace) -> list[str]:
    """Return the ids of the tokenizers of `add_tokenizers`, each once.

    Raises `UnknownTokenizer`, which of several names says which it is about.
    """
    return _resolve_each(registry, args, resolve_here)


def _resolve_each(
    registry: Registry, args: argparse.Namespace, resolve: Callable[[Registry, str], Resolved]
) -> list[Resolved]:
    found: dict[Resolved, None] = {}
    for name in args.tokenizers:
        try:
            found[resolve(registry, name)] = None
        except UnknownTokenizer as error:
            about = f"{name[:80]}: " if len(args.tokenizers) > 1 else ""
            raise UnknownTokenizer(f"{about}{error.detail}", pointer=error.pointer, fetch=error.fetch) from None
    return [*found]


def tokenize_functions(args: argparse.Namespace) -> "list[Callable[[str], Tokenization]]":
    """Return a function for each tokenizer. Raises what `get_tokenize_options` raises."""
    from ..lab.tokenize import tokenize  # with numpy, which a count is spared

    registry, each = get_tokenize_options(args)
    return [partial(tokenize, registry, **options) for options in each]


def get_tokenize_options(args: argparse.Namespace) -> tuple[Registry, list[dict[str, Any]]]:
    """Return a registry, and for each tokenizer the options of `tokenize`.

    Raises `UnknownTokenizer`, `UnknownEngine`, `Unavailable`.
    """
    registry = get_registry(Settings.from_env())
    return registry, _load_each(registry, args, resolve_tokenizers(registry, args))


def get_count_options(args: argparse.Namespace) -> tuple[Registry, list[tuple[dict[str, Any], TokenRange | None]]]:
    """Return a registry, and for each model the options of `count_tokens`, with the range that is made of the count.

    Raises what `get_tokenize_options` raises.
    """
    registry = get_registry(Settings.from_env())
    counters = _resolve_each(registry, args, partial(resolve_counter, resolve=resolve_here))
    options = _load_each(registry, args, [id for id, _ in counters])
    return registry, [*zip(options, (one for _, one in counters), strict=True)]


def _load_each(registry: Registry, args: argparse.Namespace, ids: Sequence[str]) -> list[dict[str, Any]]:
    for id in ids:
        registry.get(id, args.engine)
    shared = {"engine": args.engine, "special": args.special, "add_special_tokens": args.template}
    return [{"tokenizer": id, **shared} for id in ids]
