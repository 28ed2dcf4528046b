"""atlas: count the tokens of every language for the page /languages."""

import argparse

from ..lab.languages.atlas import columns, save
from ..registry import get_registry
from ..settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def run(args: argparse.Namespace) -> None:
    """Count every language in every tokenizer, print a line for each tokenizer, and save the counts."""
    settings = Settings.from_env()
    counted = []
    total = sum(not info.trained for info in get_registry(settings).infos())
    for column in columns(settings):
        counted.append(column)
        versions = f"{column.engine} {column.version}"
        print(f"{len(counted):>3} of {total}  {column.id:20} {sum(column.tokens):>10,} tokens  {versions}", flush=True)
    save(settings.store, counted)
    print(f"{len(counted[0].tokens)} languages, {len(counted)} tokenizers, every cell counted.")
