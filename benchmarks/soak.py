"""`make soak`: a server under ten times what it lets in, for MINUTES: nobody is answered wrongly, and nothing grows.

The server admits 32 requests; 320 clients come, three in four of them good. After 20 seconds it is warm. Memory and
open files are counted then and at the end, once all clients are gone and each worker has had every request.
"""

import argparse
import http.client
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks import load
from benchmarks.load import Tally
from benchmarks.load_requests import LoadRequest, load_requests
from benchmarks.measure import HEADER, Figure, seconds
from benchmarks.processes import alive, descriptors, family, memory
from benchmarks.server import health_of
from benchmarks.start import server

CAPACITY = 32
CLIENTS = 10 * CAPACITY
LIMITS = {"TOKENARIUM_CONCURRENCY": str(CAPACITY), "TOKENARIUM_SLOTS": "2", "TOKENARIUM_WAITING": "16"}
FINE = frozenset({"right", "shed", "gone"})


class HeldBytes(NamedTuple):
    """What the server and its workers hold when idle."""

    megabytes: float
    files: int


def figures(minutes: float, warm_seconds: float) -> Iterator[Figure]:
    with TemporaryDirectory() as folder, ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        requests = load_requests(Path(folder))
        with server(TOKENARIUM_LOCAL=folder, **LIMITS) as (port, pid):
            pool.submit(load.run, port, requests, CLIENTS, warm_seconds).result()
            quiet, before = settled(port, pid, requests)
            sent = pool.submit(load.run, port, requests, CLIENTS, 60 * minutes)
            times = health(port, sent.done)
            tally = sent.result()
            at_last, after = settled(port, pid, requests)
            members = family(pid)
        yield from answers(tally, quiet + at_last, minutes)
        yield latency(times)
        yield from growth(before, after)
        yield orphans(members)


def settled(port: int, pid: int, requests: Sequence[LoadRequest]) -> tuple[Tally, HeldBytes]:
    """Send every request to each worker, and return what is held once the server is idle."""
    tally = load.settle(port, requests)
    time.sleep(2)
    return tally, HeldBytes(memory(pid), descriptors(pid))


def health(port: int, over: Callable[[], bool]) -> list[float]:
    """Milliseconds that /healthz takes, fifty times a second, over a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    times = []
    while not over():
        times.append(1000 * seconds(lambda: health_of(connection)))
        time.sleep(0.02)
    connection.close()
    return times


def answers(tally: Tally, quiet: Tally, minutes: float) -> Iterator[Figure]:
    """Return the wrong answers, under load and alone."""
    counts: Counter[str] = Counter()
    for (_, outcome), times in tally.items():
        counts[outcome] += times
    note = f"{counts['right']:,} right, {counts['shed']:,} shed, {counts['gone']:,} gone, in {minutes:g} minutes"
    wrong = {key: times for key, times in tally.items() if key[1] not in FINE}
    wrong |= {key: times for key, times in quiet.items() if key[1] != "right"}
    failed = sum(times for (_, outcome), times in wrong.items() if outcome.startswith("5"))
    other = sum(wrong.values()) - failed
    yield Figure("soak: answers of 500 and more but shed ones", failed, "0", failed == 0, note)
    details = "; ".join(f"{name}: {outcome}, {times} times" for (name, outcome), times in sorted(wrong.items()))
    yield Figure("soak: other answers that are not the right ones", other, "0", other == 0, details)


def latency(times: list[float]) -> Figure:
    times = sorted(times)
    slow = times[int(0.99 * len(times))]
    note = f"median {times[len(times) // 2]:.1f} ms, slowest {times[-1]:.1f} ms of {len(times):,}"
    return Figure("soak: /healthz, p99, ms", slow, "<= 100", slow <= 100, note)


def growth(before: HeldBytes, after: HeldBytes) -> Iterator[Figure]:
    percent = 100 * (after.megabytes / before.megabytes - 1)
    note = f"from {before.megabytes:.0f} MB to {after.megabytes:.0f} MB, server and workers"
    yield Figure("soak: growth of memory, %", percent, "<= 5", percent <= 5, note)
    more = after.files - before.files
    yield Figure("soak: more files open", more, "<= 0", more <= 0, f"from {before.files} to {after.files}")


def orphans(members: Sequence[int]) -> Figure:
    """Processes that are left five seconds after the server ended."""
    until = time.monotonic() + 5
    while (left := alive(members)) and time.monotonic() < until:
        time.sleep(0.05)
    return Figure("soak: processes left after SIGTERM", len(left), "0", not left, f"of {len(members)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--warm", type=float, default=20, help="seconds until memory is counted first")
    parser.add_argument("--lenient", action="store_true", help="judge neither times, memory nor differences")
    args = parser.parse_args()
    print(HEADER)
    missed = []
    for figure in figures(args.minutes, args.warm):
        print(figure.row(), flush=True)
        if not figure.met and not (args.lenient and figure.name.endswith(("ms", "%", "right ones"))):
            missed.append(figure.name)
    raise SystemExit(bool(missed))


if __name__ == "__main__":
    main()
