"""scale: train on the bundled book by all learners, and measure what the page /learn/at-scale shows."""

import argparse

from ..lab.learn.at_scale import measure, save
from ..registry import get_registry
from ..settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def run(args: argparse.Namespace) -> None:
    """Measure, save the figures, and print the work of each learner."""
    settings = Settings.from_env()
    figures = measure(settings.store, get_registry(settings))
    save(settings.store, figures)
    print("merges    pairs: text           table         index    seconds: index     fast")
    for one in figures.work:
        counts = f"{one.merges:6,} {one.text:16,} {one.table:15,} {one.index:13,}"
        print(f"{counts} {one.index_seconds:17.2f} {one.fast_seconds:8.2f}")
    print(f"Measured on {figures.machine}, {figures.date}.")
