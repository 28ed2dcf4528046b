"""list: the tokenizers of the store."""

import argparse

from ..registry import Registry
from ..settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def run(args: argparse.Namespace) -> None:
    """Print a line for each tokenizer: its id, family, vocabulary size and engines."""
    for info in Registry(Settings.from_env()).infos():
        print(f"{info.id:20} {info.family:13} {info.vocab_size or 'grows':>8}  {', '.join(info.engines)}")
