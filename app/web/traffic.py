"""Traffic: what a server does, in plain numbers: counting costs a request next to nothing, and the start no library."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from app.web.exchanges import Exchange

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds, the upper bounds of the buckets that answers are counted in; one more bucket holds the rest."""


class Family(NamedTuple):
    """Numbers of one kind, told apart by their labels. A counter only grows; of a gauge, only the present is true."""

    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: tuple[str, ...] = ()


FAMILIES: Mapping[str, Family] = {
    "requests": Family("counter", "Requests answered, by what took them.", ("route", "method", "status")),
    "request_seconds": Family("histogram", "Seconds from a request to the end of its answer.", ("route",)),
    "requests_in_flight": Family("gauge", "Requests under way."),
    "sheds": Family("counter", "Requests refused because too much was under way."),
    "worker_kills": Family("counter", "Workers that died before their time: stopped with their work, or killed."),
    "worker_starts": Family("counter", "Workers started, also in the place of others."),
    "tokenizer_loads": Family("counter", "Tokenizers loaded by the process that serves; workers load their own."),
    "tokenizer_evictions": Family("counter", "Tokenizers that it forgot to make room."),
    "tokenizers_loaded": Family("gauge", "Tokenizers in its memory."),
    "loaded_bytes": Family("gauge", "Bytes of memory that these take, estimated."),
}

Numbers = dict[str, dict[tuple[str, ...], float]]
"""By family, and in it by labels. A histogram has one more label: the place of a bucket, or `sum`."""


class Traffic:
    """The requests of one app. It observes exchanges."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, ...]] = Counter()
        self.seconds: defaultdict[tuple[str, ...], float] = defaultdict(float)
        self.in_flight = 0

    def began(self) -> None:
        self.in_flight += 1

    def ended(self, exchange: Exchange) -> None:
        self.in_flight -= 1
        self.requests[exchange.route, exchange.method, str(exchange.status)] += 1
        self.seconds[exchange.route, str(bisect_left(BOUNDS, exchange.seconds))] += 1
        self.seconds[exchange.route, "sum"] += exchange.seconds


def numbers(state: Any) -> Numbers:
    """What an app did so far. Copies are taken at once, since requests go on being counted."""
    traffic, registry = state.traffic, state.registry
    gate, workers = getattr(state, "gate", None), getattr(state, "workers", None)
    alone = {
        "requests_in_flight": traffic.in_flight,
        "sheds": getattr(gate, "shed", 0),
        "worker_kills": getattr(workers, "killed", 0),
        "worker_starts": getattr(workers, "started", 0),
        "tokenizer_loads": registry.loads,
        "tokenizer_evictions": registry.evictions,
        "tokenizers_loaded": len(registry.loaded()),
        "loaded_bytes": registry.nbytes,
    }
    counted: Numbers = {"requests": dict(traffic.requests), "request_seconds": dict(traffic.seconds)}
    return counted | {name: {(): value} for name, value in alone.items()}
