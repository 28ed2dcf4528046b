"""extend: extend a copy of a BPE tokenizer by merges that are learned from a corpus."""

import argparse

from .surgery_arguments import add_arguments, operate_on


def options(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, "extend")


def run(args: argparse.Namespace) -> None:
    """Extend."""
    operate_on(args, "extend")
