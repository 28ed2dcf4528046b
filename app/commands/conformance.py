"""conformance: compare the engines on generated texts."""

import argparse

from app.settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", help="only these tokenizers")
    parser.add_argument("--n", type=int, default=20_000, help="texts a tokenizer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help="keep the outcome for the page /conformance")


def run(args: argparse.Namespace) -> None:
    """Print a line a tokenizer and the differences; exit 1 if there are any."""
    from app.lab.conformance import conformance
    from app.lab.record import save
    from app.registry import Registry

    settings, wrong = Settings.from_env(), 0
    for row in conformance(Registry(settings), n=args.n, seed=args.seed, tokenizers=args.names):
        outcome = f"{row.mismatches:>6} differ {row.failures:>5} failed"
        print(f"{row.tokenizer:20} {row.engine:8} {row.count:>9} texts {outcome}  {row.versions}", flush=True)
        for found in row.differences:
            print(f"    {found.stage}: {found.text!a}", flush=True)
        wrong += row.mismatches
        if args.record:
            save(settings.store, [row])
    if wrong:
        raise SystemExit(1)
