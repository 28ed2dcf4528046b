"""The atlas of languages: every tokenizer of the store over every declaration."""

import os
from collections.abc import Iterator

from tokenarium.lab.languages.atlas import columns
from tokenarium.settings import Settings

from benchmarks.measure import Figure, seconds

SECONDS = 60.0


def figures() -> Iterator[Figure]:
    counted = []
    taken = seconds(lambda: counted.extend(columns(Settings())))
    assert all(len(column.tokens) == len(counted[0].tokens) for column in counted)
    tokens = sum(sum(column.tokens) for column in counted)
    note = f"{len(counted[0].tokens)} languages, {len(counted)} tokenizers, {tokens:,} tokens, {os.cpu_count()} cores"
    yield Figure("the atlas of languages, seconds", taken, f"<= {SECONDS:.0f}", taken <= SECONDS, note)
