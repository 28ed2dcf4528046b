"""prune: prune a copy of a tokenizer to the tokens of a corpus or of scripts."""

import argparse
from pathlib import Path

from .surgery_arguments import add_arguments, operate_on


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile",
        type=Path,
        metavar="FILE",
        help="keep the tokens that `corpus profile --out FILE` counted",
    )
    add_arguments(parser, "prune")


def run(args: argparse.Namespace) -> None:
    """Prune."""
    operate_on(args, "prune")
