"""Metrics of one server process, and their sum over the processes of `serve --workers N`.

They are plain numbers here, so that neither a request nor the start waits for prometheus_client; `exposition` converts
them. Each of several processes writes its numbers to a file in a shared folder, and any of them returns the sum.
"""

import asyncio
import os
import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import orjson

from ..atomic_files import replace_file
from .request_records import RequestRecord

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds, in seconds, of the buckets of the histogram; one more bucket holds the rest."""


class Family(NamedTuple):
    """A metric whose values are distinguished by labels. A counter only grows; a gauge has its present value alone."""

    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: tuple[str, ...] = ()


FAMILIES: Mapping[str, Family] = {
    "requests": Family("counter", "Requests answered, by route, method and status.", ("route", "method", "status")),
    "request_seconds": Family("histogram", "Seconds from a request to the end of its answer.", ("route",)),
    "requests_in_flight": Family("gauge", "Requests being answered."),
    "streams": Family("gauge", "Bodies that are read part by part, being answered."),
    "viewers": Family("gauge", "Streams of the events of a job."),
    "sheds": Family("counter", "Requests refused because of too many others."),
    "worker_kills": Family("counter", "Workers that were killed with their work, or died."),
    "worker_starts": Family("counter", "Workers started, including replacements."),
    "tokenizer_loads": Family("counter", "Tokenizers loaded by the server process; workers load their own."),
    "tokenizer_evictions": Family("counter", "Tokenizers evicted from its memory to make room."),
    "tokenizers_loaded": Family("gauge", "Tokenizers in its memory."),
    "loaded_bytes": Family("gauge", "Memory of these in bytes, estimated."),
}

WRITE_SECONDS = 1.0
"""Seconds from the first request after a write of the numbers to the next write."""
Numbers = dict[str, dict[tuple[str, ...], float]]
"""Values by family and labels. A histogram has one more label: the index of a bucket, or `sum`."""


class RequestMetrics:
    """Counts the requests of one app. An `Observer`."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, ...]] = Counter()
        self.seconds: defaultdict[tuple[str, ...], float] = defaultdict(float)
        self.in_flight = 0

    def on_begin(self) -> None:
        self.in_flight += 1

    def on_end(self, record: RequestRecord) -> None:
        self.in_flight -= 1
        self.requests[record.route, record.method, str(record.status)] += 1
        self.seconds[record.route, str(bisect_left(BOUNDS, record.seconds))] += 1
        self.seconds[record.route, "sum"] += record.seconds


class MultiprocessMetrics:
    """Shares the numbers of one process with others in a folder. An `Observer`: it writes them soon after a request."""

    def __init__(self, folder: Path, own: Callable[[], Numbers]) -> None:
        self.folder = folder
        self.own = own
        self._due = False

    def on_begin(self) -> None:
        self._schedule_write()

    def on_end(self, record: RequestRecord) -> None:
        self._schedule_write()

    def _schedule_write(self) -> None:
        if not self._due:
            self._due = True
            asyncio.get_running_loop().call_later(WRITE_SECONDS, self.write)

    def write(self) -> None:
        """Write the numbers of this process, atomically."""
        self._due = False
        rows = {name: [[*labels, value] for labels, value in values.items()] for name, values in self.own().items()}
        with replace_file(self.folder / f"{os.getpid()}.json") as file:
            file.write(orjson.dumps(rows))

    def total(self) -> Numbers:
        """Return the sum over all processes. The counters of those that have ended still count, their gauges do not."""
        sums = self.own()
        for path in self.folder.glob("*.json"):
            process = int(path.stem)
            if process == os.getpid():
                continue
            for name, rows in orjson.loads(path.read_bytes()).items():
                if FAMILIES[name].kind != "gauge" or _is_alive(process):
                    for *labels, value in rows:
                        sums[name][tuple(labels)] = sums[name].get(tuple(labels), 0) + value
        return sums


def _is_alive(process: int) -> bool:
    if sys.platform == "win32":  # os.kill would end it there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
