"""The analysis of vocabularies: processor seconds for a witness or a reason of every token, loading included."""

import time
from collections.abc import Iterator

from tokenarium.lab.vocabulary.analysing import analyse_vocabulary
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.measure import Figure, scaled

MOST = 20.0
"""Seconds on one core for the largest vocabularies, which have a quarter of a million tokens."""


def figures() -> Iterator[Figure]:
    for id in scaled(("cl100k_base", "gemma4"), ("bytes",)):
        registry = Registry(Settings(max_loaded=10**12))
        start = time.process_time()
        analysis = analyse_vocabulary(registry.record(id), registry.get(id))
        taken = time.process_time() - start
        found = int((analysis.ends >= 0).sum())
        note = f"{len(analysis.ids):,} tokens, {found:,} with a witness"
        yield Figure(f"analysis of {id}, CPU s", taken, f"<= {MOST:.0f}", taken <= MOST, note)
