"""conformance: compare the engines on generated texts, also one of others that is installed."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from ..errors import Invalid, Unavailable, join_names
from ..lab.conformance import comparable, conformance, list_unrecorded, save
from ..lab.models import resolve_here
from ..lab.other_engines import OTHER_ENGINES, compare_engine
from ..registry import Registry
from ..settings import Settings
from .inputs import print_error
from .option_arguments import at_least_one
from .output import write_value


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", help="only these tokenizers")
    parser.add_argument("--n", type=at_least_one, default=20_000, help="texts for each tokenizer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=OTHER_ENGINES, help="an engine of others, compared with the reference")
    parser.add_argument("--record", action="store_true", help="save each result for the page /conformance")
    parser.add_argument(
        "--resume", action="store_true", help="leave out those recorded with as many texts and the same libraries"
    )
    parser.add_argument("--json", action="store_true", help="print each result as JSON on a line")


def run(args: argparse.Namespace) -> None:
    """Print a line for each tokenizer, and the differences; exit with status 1 if there are any.

    Raises `UnknownTokenizer` for a name that none has, and `Invalid` for one without a second engine.
    """
    settings = Settings.from_env()
    registry = Registry(settings)
    mismatches = 0
    names = [resolve_here(registry, name) for name in args.names]
    if args.engine:
        _compare_with_other(args, registry, names or [info.id for info in registry.infos() if not info.trained])
        return
    if alone := sorted({*names} - {*comparable(registry, names)}):
        raise Invalid(f"There is only one engine for {join_names(alone)}: nothing can be compared.")
    if args.resume and not (names := list_unrecorded(registry, settings.store, n=args.n, tokenizers=names)):
        print("The record has all of them.")
        return
    for row in conformance(registry, n=args.n, seed=args.seed, tokenizers=names):
        mismatches += row.mismatches
        if args.record:
            save(settings.store, [row])
        if args.json:
            write_value(asdict(row))
            continue
        outcome = f"{row.mismatches:>6} differ {row.failures:>5} failed"
        print(f"{row.tokenizer:20} {row.engine:8} {row.count:>9} texts {outcome}  {row.versions}", flush=True)
        for difference in row.differences:
            print(f"    {difference.stage}: {difference.text!a}", flush=True)
    if mismatches:
        raise SystemExit(1)


def _compare_with_other(args: argparse.Namespace, registry: Registry, names: Sequence[str]) -> None:
    """Print a line for each tokenizer that an engine of others can read; exit with 1 if any text differs."""
    if args.record or args.resume:
        raise Invalid("--record and --resume are for the engines of Tokenarium; leave --engine out.")
    mismatches = 0
    for name in names:
        try:
            row = compare_engine(registry, name, args.engine, n=args.n, seed=args.seed)
        except Unavailable as error:
            print_error(error.detail)
            continue
        mismatches += row.mismatches
        if args.json:
            write_value(asdict(row))
            continue
        outcome = f"{row.mismatches:>6} differ {row.failures:>5} failed, {row.speed:.2f} × the speed of {row.reference}"
        print(f"{row.tokenizer:20} {row.engine:18} {row.count:>9} texts {outcome}", flush=True)
        if row.smallest is not None:
            print(f"    the smallest: {row.smallest!a}", flush=True)
    if mismatches:
        raise SystemExit(1)
