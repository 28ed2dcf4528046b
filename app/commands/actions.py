"""actions: train the vocabulary of movements of the page /beyond/actions."""

import argparse

from ..lab.beyond.actions.analysis import MOVEMENTS, save, train_vocabulary
from ..settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def run(args: argparse.Namespace) -> None:
    """Train the vocabulary on movements made by formula, and save it in the store."""
    ranks = train_vocabulary()
    path = save(Settings.from_env().store, ranks)
    print(f"{len(ranks):,} tokens from {MOVEMENTS:,} movements, {path.stat().st_size:,} bytes in {path}")
