"""`make bench`: every figure as a ratio inside this run, one line each; a part that fails is reported, others go on.

`python -m benchmarks --tiny start page` runs two of the parts with tiny sizes, which shows only that they work.
"""

import argparse
import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module

from benchmarks.measure import HEADER, TINY, Figure

PARTS = (
    "encode",
    "scratch",
    "open_models",
    "start",
    "server",
    "first_page",
    "page",
    "typing",
    "pipeline",
    "steps",
    "compare",
    "sharing",
    "languages",
    "chunks",
    "stream",
    "hall",
    "train",
    "train_unigram",
    "vocabularies",
    "vocabulary",
    "vocabulary_search",
)
BROWSER = "first_page", "page", "typing", "steps"
"""The parts that need a browser, named by the environment variable CHROMIUM."""
Part = Callable[[], Iterator[Figure]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"all by default: {', '.join(PARTS)}")
    parser.add_argument("--tiny", action="store_true", help="tiny sizes, to see that each part works")
    args = parser.parse_args()
    if args.tiny:
        os.environ[TINY] = "1"
    failed = run({name: partial(figures_of, name) for name in args.parts or PARTS})
    if failed:
        raise SystemExit(f"Failed: {', '.join(failed)}.")


def figures_of(name: str) -> Iterator[Figure]:
    """Yield the figures of a part, which is imported only now: one that cannot be imported stops no other."""
    part: Part = import_module(f"benchmarks.{name}").figures
    yield from part()


def run(parts: Mapping[str, Part]) -> list[str]:
    """Print the figures of all parts, and the traceback of each that fails; return the names of those."""
    print(HEADER)
    failed = []
    for name, figures in parts.items():
        try:
            for figure in figures():
                print(figure.row(), flush=True)
        except Exception:
            failed.append(name)
            print(f"{name} failed:\n{traceback.format_exc()}", flush=True)
    return failed


if __name__ == "__main__":
    main()
