"""The atlas of languages: every tokenizer of the store over every declaration."""

import os
from collections.abc import Iterator

from app.lab.languages.atlas import columns
from app.settings import Settings
from benchmarks.measure import Figure, seconds

SECONDS = 60.0


def figures() -> Iterator[Figure]:
    done = []
    taken = seconds(lambda: done.extend(columns(Settings())))
    assert all(len(column.tokens) == len(done[0].tokens) for column in done)
    tokens = sum(sum(column.tokens) for column in done)
    note = f"{len(done[0].tokens)} languages, {len(done)} tokenizers, {tokens:,} tokens, {os.cpu_count()} cores"
    yield Figure("the atlas of languages, seconds", taken, f"<= {SECONDS:.0f}", taken <= SECONDS, note)
