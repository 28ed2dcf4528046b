"""Comparing: eight tokenizers against the sum of their bare encodes, and how soon a page of four answers."""

import statistics
from collections.abc import Iterator

import httpx
from tokenarium.lab.compare.comparison import Comparison, compare
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.measure import Figure, ratio, scaled, seconds
from benchmarks.start import server
from benchmarks.text import english, mixed

EIGHT = scaled(
    (
        "o200k_base",
        "cl100k_base",
        "gpt2",
        "tekken",
        "mistral-v1",
        "mistral-v3",
        "bert-base-uncased",
        "udhr-unigram-16k",
    ),
    ("gpt2", "bert-base-uncased"),
)
FOUR = EIGHT if len(EIGHT) < 4 else ("o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased")
SIZE, SMALL = scaled(100_000, 1_000), 2_000
LIMIT = 10**9


def figures() -> Iterator[Figure]:
    registry = Registry(Settings())
    for label, text in (("English", english(SIZE)), ("mixed scripts", mixed(SIZE))):
        yield eight(registry, label, text)
    with server() as (port, _):
        for label, text in (("English", english(SMALL)), ("mixed scripts", mixed(SMALL))):
            for view in ("text", "places"):
                yield first_answer(port, label, text, view)


def eight(registry: Registry, label: str, text: str) -> Figure:
    """Measures, agreement of every pair and every place of difference, over eight bare encodes one after another."""

    def bare() -> None:
        for id in EIGHT:
            registry.get(id).encode(text)

    def whole() -> Comparison:
        comparison = compare(registry, text, EIGHT, limit=LIMIT)
        assert comparison.agreement.size == len(EIGHT) ** 2
        assert len(comparison.differences)
        return comparison

    compared = [len(column.tokenization.encoding) for column in whole().tokenizations]
    assert compared == [len(registry.get(id).encode(text)) for id in EIGHT]
    return ratio(f"comparing 8 on 100 KB / their bare encodes, {label}", whole, bare, most=1.15, runs=9)


def first_answer(port: int, label: str, text: str, view: str) -> Figure:
    """Milliseconds from the form to the whole answer, tokenizers loaded."""
    form = {"text": text, "tokenizer": list(FOUR), "view": view}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"HX-Request": "true"}, timeout=60) as client:
        for _ in range(scaled(5, 1)):
            assert client.post("/compare", data=form).status_code == 200
        times = [1000 * seconds(lambda: client.post("/compare", data=form)) for _ in range(scaled(60, 2))]
    slow = sorted(times)[int(0.95 * len(times))]
    note = f"median {statistics.median(times):.0f} ms"
    return Figure(f"compare, 4 on 2 KB, {label}, {view}: p95, ms", slow, "<= 100", slow <= 100, note)
