"""atlas: count the tokens of every language for the page /languages."""

import argparse

from app.settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    """It takes none."""


def run(args: argparse.Namespace) -> None:
    """Count every language in every tokenizer, print a line a tokenizer, and keep the counts."""
    from app.lab.languages.atlas import columns
    from app.lab.languages.record import save
    from app.registry import Registry

    settings, done = Settings.from_env(), []
    total = sum(not info.trained for info in Registry(settings).infos())
    for column in columns(settings):
        done.append(column)
        versions = f"{column.engine} {column.version}"
        print(f"{len(done):>3} of {total}  {column.id:20} {sum(column.tokens):>10,} tokens  {versions}", flush=True)
    save(settings.store, done)
    print(f"{len(done[0].tokens)} languages, {len(done)} tokenizers, every cell counted.")
