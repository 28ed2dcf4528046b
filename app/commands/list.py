"""list: the tokenizers of the store."""

import argparse

from app.settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    """It takes none."""


def run(args: argparse.Namespace) -> None:
    """Print the ids of the tokenizers, one a line."""
    from app.registry import Registry

    for info in Registry(Settings.from_env()).infos():
        print(f"{info.id:20} {info.family:10} {info.vocab_size or 'grows':>8}  {', '.join(info.engines)}")
