"""conformance: compare the engines on generated texts."""

import argparse
from dataclasses import asdict

from ..lab.conformance import conformance, list_unrecorded, save
from ..registry import Registry
from ..settings import Settings
from .output import write_value


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", help="only these tokenizers")
    parser.add_argument("--n", type=int, default=20_000, help="texts for each tokenizer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help="save each result for the page /conformance")
    parser.add_argument(
        "--resume", action="store_true", help="leave out those recorded with as many texts and the same libraries"
    )
    parser.add_argument("--json", action="store_true", help="print each result as JSON on a line")


def run(args: argparse.Namespace) -> None:
    """Print a line for each tokenizer, and the differences; exit with status 1 if there are any."""
    settings = Settings.from_env()
    registry = Registry(settings)
    mismatches = 0
    names = args.names
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
