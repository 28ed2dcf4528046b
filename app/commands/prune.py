"""prune: prune a copy of a tokenizer to the tokens of a corpus or of scripts."""

import argparse
import sys
from pathlib import Path

from .surgery_arguments import add_arguments, operate_on


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
    parser.add_argument(
        "--profile",
        type=Path,
        metavar="FILE",
        help="keep the tokens that `corpus profile --out FILE` counted",
    )
    add_arguments(parser, "prune")


def run(args: argparse.Namespace) -> None:
    """Prune, or with `--job` do what the spec on standard input says, which may be another operation."""
    if args.job:
        from ..lab.surgery import job_process

        job_process.run(args.job, sys.stdin.buffer)
        return
    operate_on(args, "prune")
