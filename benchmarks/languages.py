"""The atlas of languages: every tokenizer of the store over every declaration."""

import os
from collections.abc import Iterator

from tokenarium.lab.languages.atlas import ENGLISH, AtlasColumn, column, columns
from tokenarium.lab.languages.declarations import declarations
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.measure import Figure, scaled, seconds

SECONDS = 60.0


def figures() -> Iterator[Figure]:
    counted = list[AtlasColumn]()
    taken = seconds(lambda: counted.extend(scaled(columns, one_column)(Settings())))
    assert all(len(column.tokens) == len(counted[0].tokens) for column in counted)
    tokens = sum(sum(column.tokens) for column in counted)
    note = f"{len(counted[0].tokens)} languages, {len(counted)} tokenizers, {tokens:,} tokens, {os.cpu_count()} cores"
    yield Figure("the atlas of languages, seconds", taken, f"<= {SECONDS:.0f}", taken <= SECONDS, note)


def one_column(settings: Settings) -> Iterator[AtlasColumn]:
    """Yield the counts of one tokenizer in two languages."""
    english = declarations(settings.store)[ENGLISH]
    yield column(Registry(settings), "bytes", [english, english], english)
