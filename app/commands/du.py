"""du: the tokens of folders and files, as du counts their bytes; for budgets in continuous integration, too."""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..corpus.folder.budgets import TokenBudget, find_excesses, parse_count, read_budget
from ..corpus.folder.listing import FolderFile, FolderListing, find_changes, list_files, write_contents
from ..corpus.folder.usage import USAGE_GROUPS, USAGE_ORDERS, Counted, FolderUsage, TokenUsage, measure
from ..corpus.results import ResultCache, find_cache
from ..errors import Invalid, plural
from ..registry import Registry, get_registry
from ..settings import Settings
from .option_arguments import at_least_one
from .output import write_columns, write_value
from .tokenizer_options import add_special, add_tokenizers, resolve_tokenizers, split_names

NAMED_FILES = 5
"""Skipped files of a reason that are named, unless all are to be listed."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="folders and files; by default .")
    add_tokenizers(parser)
    add_special(parser)
    parser.add_argument("--by", choices=USAGE_GROUPS, default="folder", help="what a row is; by default a folder")
    parser.add_argument(
        "--depth", type=at_least_one, default=1, metavar="N", help="folders shown below each other; by default 1"
    )
    parser.add_argument("--top", type=at_least_one, metavar="N", help="show the first N rows")
    parser.add_argument("--sort", choices=USAGE_ORDERS, default="tokens", help="by tokens, most first, or by …")
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="PATTERN", help="leave out, as .gitignore does"
    )
    parser.add_argument("--no-ignore", action="store_true", help="count what .gitignore and .ignore leave out, too")
    parser.add_argument("--skipped", action="store_true", help="list every file that is not counted")
    parser.add_argument("--since", metavar="REV", help="count what was added since this branch left a git revision")
    parser.add_argument("--max", metavar="TOKENS", help="exit with 1 if there are more in total, such as 200k")
    parser.add_argument("--budget", metavar="FILE", help="a TOML file of limits; exit with 1 if one is exceeded")
    parser.add_argument("--html", metavar="FILE", help="write a treemap with search as one HTML file")
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")
    parser.add_argument("--workers", type=at_least_one, metavar="N", help="processes; by default one a core")
    parser.add_argument("--reference", action="store_true", help="use no faster engine than the reference library")
    help = "count all files, also those that have not changed, and keep nothing"
    parser.add_argument("--again", "--no-cache", action="store_true", help=help)
    clear = "delete what is kept of earlier runs, also of `corpus`"
    parser.add_argument("--clear-cache", action="store_true", help=clear)


def run(args: argparse.Namespace) -> None:
    """Print a table or JSON; exit with 1 if a limit is exceeded or a file cannot be read."""
    cache = find_cache()
    if args.clear_cache:
        cache.clear()
        print(f"{cache.path} is deleted.")
        return
    if args.html and args.since:
        raise Invalid("--html shows all files; leave --since out.")
    most = None if args.max is None else parse_count(args.max)
    budget = read_budget(args.budget) if args.budget else TokenBudget("/")
    if budget.tokenizer and "named" not in args:
        args.tokenizers = split_names(budget.tokenizer)
    registry = get_registry(Settings.from_env())
    tokenizers = resolve_tokenizers(registry, args)
    usage = count_usage(args, registry, tokenizers, cache)
    excesses = [*find_excesses(budget, usage.files)]
    if most is not None and (tokens := usage.total.tokens[0]) > most:
        excesses.append(f"The total has {plural(tokens, 'token')}, {tokens - most:,} more than the limit of {most:,}.")
    if args.html:
        write_treemap(args.html, usage, args.paths)
    write_usage(args, usage, excesses)
    for line in [*usage.unreadable, *(excesses if not args.json else ())]:
        print(f"tokenarium: {line}", file=sys.stderr)
    if usage.unreadable or excesses:
        raise SystemExit(1)


def count_usage(
    args: argparse.Namespace, registry: Registry, tokenizers: Sequence[str], cache: ResultCache
) -> FolderUsage:
    """Return the tokens of the files that the arguments name, or what was added to them since a revision."""
    listing = list_files(args.paths, ignore=not args.no_ignore, exclude=args.exclude)
    tops = [os.path.realpath(path) for path in args.paths]

    def count(files: Sequence[FolderFile], keys: Sequence[bytes]) -> Counted:
        # What counts takes longer to import than what was counted before takes to look up.
        counting = import_module(".du_counting", __package__)
        counted: Counted = counting.count(args, tokenizers, files, keys, cache)
        return counted

    kept = None if args.again else cache

    def get_usage(listing: FolderListing, tops: Sequence[str]) -> FolderUsage:
        return measure(listing, registry, tokenizers, count, cache=kept, tops=tops, special=args.special)

    if not args.since:
        return get_usage(listing, tops)
    new, old = find_changes(args.paths, args.since, listing, exclude=args.exclude)
    with TemporaryDirectory(prefix="tokenarium-") as folder:
        before = get_usage(FolderListing(write_contents(old, Path(folder))), ())
    paths = {file.name: file.path for file in old}
    for file in before.files:
        file.path = paths[file.name]
    return get_usage(FolderListing(new, unreadable=listing.unreadable), tops).subtract(before)


def write_treemap(path: str, usage: FolderUsage, paths: Sequence[str]) -> None:
    """Write the treemap, the tables below it, and the search as one HTML file. Raises `OSError`."""
    names = ", ".join(os.path.basename(os.path.realpath(one)) or one for one in paths)
    page = import_module("..serialize.folder", __package__).render_folder(usage, f"Tokens in {names}")
    Path(path).write_text(page, encoding="utf-8")
    print(f"The treemap is in {path}.", file=sys.stderr)


def write_usage(args: argparse.Namespace, usage: FolderUsage, excesses: Sequence[str]) -> None:
    """Print the rows, what is notebooks and lock files, and what was skipped."""
    rows = usage.group(args.by, depth=args.depth, order=args.sort)
    shown = rows[: args.top]
    if args.json:
        write_value(make_answer(args, usage, shown, excesses))
        return
    sign = "+" if args.since else ""
    cells = [_cells(row, sign) for row in [*shown, usage.total]]
    write_columns([[*usage.tokenizers, "files", "bytes", args.by], *cells])
    if len(shown) < len(rows):
        print(f"The first {len(shown):,} of {len(rows):,} rows.")
    for noun, named in (("Notebooks", usage.of_kind("notebook")), ("Lock files", usage.of_kind("lock"))):
        if named.files:
            print(f"{noun}, of these: {', '.join(f'{count:{sign},}' for count in named.tokens)} in {named.files:,}.")
    for line in list_skipped(usage, every=args.skipped):
        print(line)


def _cells(row: TokenUsage, sign: str) -> list[str]:
    return [*(f"{count:{sign},}" for count in row.tokens), f"{row.files:,}", f"{row.bytes:{sign},}", row.name]


def list_skipped(usage: FolderUsage, *, every: bool) -> Iterator[str]:
    """Yield a sentence for each reason for which files were skipped, with their names."""
    for why, count in usage.skipped_by_reason().most_common():
        names = (one.name for one in usage.skipped if one.why == why)
        few = [*(names if every else islice(names, NAMED_FILES))]
        more = f", and {count - len(few):,} more (--skipped lists all)" if len(few) < count else ""
        yield f"Not counted, {why}: {count:,}: {', '.join(few)}{more}"


def make_answer(
    args: argparse.Namespace, usage: FolderUsage, rows: Iterable[TokenUsage], excesses: Sequence[str]
) -> dict[str, Any]:
    """Return everything that is known, for JSON."""

    def figures(row: TokenUsage) -> dict[str, Any]:
        tokens = dict(zip(usage.tokenizers, row.tokens, strict=True))
        return {args.by: row.name, "tokens": tokens, "files": row.files, "bytes": row.bytes}

    total = figures(usage.total)
    del total[args.by]
    kinds = {"notebooks": usage.of_kind("notebook"), "lock_files": usage.of_kind("lock")}
    listed = [{"file": one.name, "reason": one.why, "bytes": one.bytes} for one in usage.skipped]
    return {
        "tokenizers": [*usage.tokenizers],
        **({"since": args.since} if args.since else {}),
        "total": total,
        **{name: dict(zip(usage.tokenizers, kind.tokens, strict=True)) for name, kind in kinds.items()},
        "rows": [figures(row) for row in rows],
        "skipped": listed,
        "unreadable": usage.unreadable,
        "exceeded": [*excesses],
        "notes": usage.notes,
    }
