"""Search through the vocabulary of o200k_base once it has been read: text, bytes, sorting, a pattern, one token."""

import statistics
from collections.abc import Callable, Iterator
from functools import partial

from tokenarium.lab.vocabulary.columns import load_columns
from tokenarium.lab.vocabulary.entry import token_entry
from tokenarium.lab.vocabulary.merges import load_merges
from tokenarium.lab.vocabulary.search import Query, search
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.measure import Figure, scaled, seconds

MOST = 100.0
"""Milliseconds of a search."""
MOST_PATTERN = 1000.0
"""Milliseconds of a regular expression, which is searched with a time limit in one token after another."""
QUERIES = {
    "a text": Query(q="the"),
    "ignoring case": Query(q="the", ignore_case=True),
    "bytes": Query(q="20 74", by="bytes"),
    "sorted by text": Query(sort="text", descending=True),
}
PATTERN = Query(q=r"^\s+\p{Lu}", by="regex")


def figures() -> Iterator[Figure]:
    registry = Registry(Settings(workers=0))
    id = scaled("o200k_base", "bert-base-uncased")
    tokenizer, record = registry.get(id), registry.record(id)
    columns = load_columns(tokenizer)
    times = {name: _milliseconds(partial(search, columns, query)) for name, query in QUERIES.items()}
    slowest = max(times, key=times.__getitem__)
    note = ", ".join(f"{name} {time:.0f}" for name, time in times.items())
    yield Figure("slowest search of o200k_base, ms", times[slowest], f"<= {MOST:.0f}", times[slowest] <= MOST, note)
    pattern = _milliseconds(lambda: search(columns, PATTERN))
    yield Figure("a pattern in o200k_base, ms", pattern, f"<= {MOST_PATTERN:.0f}", pattern <= MOST_PATTERN)
    merges = load_merges(record, columns)
    one = _milliseconds(lambda: token_entry(columns, merges, 290))
    yield Figure("one token of o200k_base, ms", one, f"<= {MOST:.0f}", one <= MOST, "with all that is made of it")


def _milliseconds(work: Callable[[], object]) -> float:
    """Return the median of several runs after the first."""
    work()
    return 1000 * statistics.median(seconds(work) for _ in range(scaled(5, 1)))
