"""Metrics in the format of Prometheus.

Where `PROMETHEUS_MULTIPROC_DIR` is set before this is imported, prometheus_client keeps the numbers of each process in
that folder, and any of those that serve together tells the sum of all.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from .request_records import RequestRecord
from .services import Services

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds, in seconds, of the buckets of the histogram; one more bucket holds the rest."""
COUNTED: Mapping[str, tuple[str, Callable[[Services], float]]] = {
    "sheds": ("Requests refused because of too many others.", lambda s: s.limiter.refused if s.limiter else 0),
    "worker_kills": (
        "Workers that were killed with their work, or died.",
        lambda s: s.workers.killed if s.workers else 0,
    ),
    "worker_starts": (
        "Workers started, including replacements.",
        lambda s: s.workers.started if s.workers else 0,
    ),
    "tokenizer_loads": (
        "Tokenizers loaded by the server process; workers load their own.",
        lambda s: s.registry.loads,
    ),
    "tokenizer_evictions": ("Tokenizers evicted from its memory to make room.", lambda s: s.registry.evictions),
}
"""What other parts of the server count, which only grows: help, and how it is read."""
PRESENT: Mapping[str, tuple[str, Callable[[Services], float]]] = {
    "streams": (
        "Bodies that are read part by part, being answered.",
        lambda s: s.limiter.streams.total if s.limiter else 0,
    ),
    "viewers": ("Streams of the events of a job.", lambda s: s.limiter.viewers.total if s.limiter else 0),
    "tokenizers_loaded": ("Tokenizers in its memory.", lambda s: len(s.registry.list_loaded())),
    "loaded_bytes": ("Memory of these in bytes, estimated.", lambda s: s.registry.nbytes),
}
"""What is present at other parts of the server: help, and how it is read."""
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The metrics of one app. An `Observer`."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
        self.registry = registry = CollectorRegistry()
        if not self.folder:
            ProcessCollector(registry=registry)
        labels = ("route", "method", "status")
        what = "Requests answered, by route, method and status."
        self.requests = Counter("tokenarium_requests", what, labels, registry=registry)
        what = "Seconds from a request to the end of its answer."
        self.seconds = Histogram("tokenarium_request_seconds", what, ("route",), buckets=BUCKETS, registry=registry)
        self.in_flight = self._gauge("requests_in_flight", "Requests being answered.")
        self.counters = {
            name: Counter(f"tokenarium_{name}", what, registry=registry) for name, (what, _) in COUNTED.items()
        }
        self.gauges = {name: self._gauge(name, what) for name, (what, _) in PRESENT.items()}
        self._counted = dict.fromkeys(COUNTED, 0.0)

    def _gauge(self, name: str, what: str) -> Gauge:
        return Gauge(f"tokenarium_{name}", what, registry=self.registry, multiprocess_mode="livesum")

    def on_begin(self) -> None:
        self.in_flight.inc()

    def on_end(self, record: RequestRecord) -> None:
        self.in_flight.dec()
        self.requests.labels(record.route, record.method, record.status).inc()
        self.seconds.labels(record.route).observe(record.seconds)
        if self.folder:  # another process may be asked next
            self._read()

    def _read(self) -> None:
        """Take the numbers of other parts of the server."""
        for name, (_, read) in COUNTED.items():
            count = read(self.services)
            self.counters[name].inc(count - self._counted[name])
            self._counted[name] = count
        for name, (_, read) in PRESENT.items():
            self.gauges[name].set(read(self.services))

    def expose(self) -> bytes:
        """Return the metrics: of all processes that serve together, or of the only one, whose memory and processor time
        are then included."""
        self._read()
        if not self.folder:
            return generate_latest(self.registry)
        for path in Path(self.folder).glob("gauge_live*.db"):
            process = int(path.stem.rpartition("_")[2])
            if not is_alive(process):
                mark_process_dead(process, self.folder)  # type: ignore[no-untyped-call]
        shared = CollectorRegistry()
        MultiProcessCollector(shared, self.folder)  # type: ignore[no-untyped-call]
        return generate_latest(shared)


def is_alive(process: int) -> bool:
    """True if a process of this user runs."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
