"""vendor: rebuild the store and the front-end files from their packages."""

import argparse

from ..settings import Settings
from ..vendor import vendor


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", help="only these")


def run(args: argparse.Namespace) -> None:
    """Rebuild the files, and print a line for each."""
    for line in vendor(Settings.from_env().store, args.names):
        print(line, flush=True)
