"""`make soak`: a server under ten times what it lets in, for MINUTES: nobody is answered wrongly, and nothing grows.

The server lets 32 requests in; 320 clients come, three in four of them good. After 20 seconds it is warm. Memory and
open files are counted then and at the end, once all clients are gone and each worker has been asked everything.
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

from benchmarks import crowd
from benchmarks.asks import Ask, asks
from benchmarks.crowd import Tally
from benchmarks.family import alive, descriptors, family, memory
from benchmarks.measure import HEADER, Figure, seconds
from benchmarks.server import health_of
from benchmarks.start import server

CAPACITY = 32
CLIENTS = 10 * CAPACITY
LIMITS = {"TOKENARIUM_CONCURRENCY": str(CAPACITY), "TOKENARIUM_SLOTS": "2", "TOKENARIUM_WAITING": "16"}
WARM = 20.0
"""Seconds until the server has seen everything."""
FINE = frozenset({"right", "shed", "gone"})


class Held(NamedTuple):
    """What the server and its workers hold while nobody asks."""

    megabytes: float
    files: int


def figures(minutes: float) -> Iterator[Figure]:
    with TemporaryDirectory() as folder, ProcessPoolExecutor(1, mp_context=get_context("spawn")) as people:
        asked = asks(Path(folder))
        with server(TOKENARIUM_LOCAL=folder, **LIMITS) as (port, pid):
            people.submit(crowd.run, port, asked, CLIENTS, WARM).result()
            quiet, before = settled(port, pid, asked)
            sent = people.submit(crowd.run, port, asked, CLIENTS, 60 * minutes)
            times = health(port, sent.done)
            tally = sent.result()
            at_last, after = settled(port, pid, asked)
            members = family(pid)
        yield from answers(tally, quiet + at_last, minutes)
        yield fastness(times)
        yield from growth(before, after)
        yield orphans(members)


def settled(port: int, pid: int, asked: Sequence[Ask]) -> tuple[Tally, Held]:
    """Ask everything of each worker, and see what is held when all is quiet."""
    tally = crowd.settle(port, asked)
    time.sleep(2)
    return tally, Held(memory(pid), descriptors(pid))


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
    """What was answered otherwise than it should be, under load or alone."""
    counts: Counter[str] = Counter()
    for (_, outcome), times in tally.items():
        counts[outcome] += times
    note = f"{counts['right']:,} right, {counts['shed']:,} shed, {counts['gone']:,} gone, in {minutes:g} minutes"
    wrong = {key: times for key, times in tally.items() if key[1] not in FINE}
    wrong |= {key: times for key, times in quiet.items() if key[1] != "right"}
    failed = sum(times for (_, outcome), times in wrong.items() if outcome.startswith("5"))
    other = sum(wrong.values()) - failed
    yield Figure("soak: answers of 500 and more but shed ones", failed, "0", failed == 0, note)
    told = "; ".join(f"{name}: {outcome}, {times} times" for (name, outcome), times in sorted(wrong.items()))
    yield Figure("soak: other answers that are not the right ones", other, "0", other == 0, told)


def fastness(times: list[float]) -> Figure:
    times = sorted(times)
    slow = times[int(0.99 * len(times))]
    note = f"median {times[len(times) // 2]:.1f} ms, slowest {times[-1]:.1f} ms of {len(times):,}"
    return Figure("soak: /healthz, p99, ms", slow, "<= 100", slow <= 100, note)


def growth(before: Held, after: Held) -> Iterator[Figure]:
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
    parser.add_argument("--lenient", action="store_true", help="judge neither times, memory nor differences")
    args = parser.parse_args()
    print(HEADER)
    missed = []
    for figure in figures(args.minutes):
        print(figure.row(), flush=True)
        if not figure.met and not (args.lenient and figure.name.endswith(("ms", "%", "right ones"))):
            missed.append(figure.name)
    raise SystemExit(bool(missed))


if __name__ == "__main__":
    main()
