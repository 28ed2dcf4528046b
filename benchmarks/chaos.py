"""A worker killed with -9 every second, for a minute: what others notice, and how soon another is there."""

import argparse
import http.client
import os
import re
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import crowd
from benchmarks.asks import asks
from benchmarks.family import workers
from benchmarks.measure import HEADER, Figure
from benchmarks.start import server

PEOPLE = 4
"""Clients: fewer than are let in, so that none is shed."""
STARTS = re.compile(rb"^tokenarium_worker_starts_total ([\d.]+)", re.MULTILINE)


def figures(duration: int) -> Iterator[Figure]:
    with TemporaryDirectory() as folder, ProcessPoolExecutor(1, mp_context=get_context("spawn")) as people:
        good = [ask for ask in asks(Path(folder)) if ask.status == 200 and ask.often > 1]
        with server(TOKENARIUM_LOCAL=folder, TOKENARIUM_SLOTS="2") as (port, pid):
            people.submit(crowd.settle, port, good).result()
            sent = people.submit(crowd.run, port, good, PEOPLE, duration, crowd.KINDS[:1])
            times = [replaced(port, pid, number) for number in range(duration)]
            tally = sent.result()
    harmed = {key: many for key, many in tally.items() if key[1] != "right"}
    note = f"{tally.total() - sum(harmed.values()):,} right" + "".join(
        f"; {key}: {many}" for key, many in harmed.items()
    )
    yield Figure("chaos: answers that are not the right ones", sum(harmed.values()), "0", not harmed, note)
    times.sort()
    typical = times[len(times) // 2]
    note = f"slowest {times[-1]:.0f} ms of {len(times)} killed, {sum(one <= 200 for one in times)} within 200 ms"
    yield Figure("chaos: until another worker is ready, median, ms", typical, "<= 200", typical <= 200, note)


def replaced(port: int, pid: int, number: int) -> float:
    """Kill a worker, and say after how many milliseconds another is ready; a second passes in all."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    before, there = starts(connection), workers(pid)
    begun = time.perf_counter()
    os.kill(there[number % len(there)], signal.SIGKILL)
    while starts(connection) == before:
        time.sleep(0.005)
    passed = time.perf_counter() - begun
    connection.close()
    time.sleep(max(0, 1 - passed))
    return 1000 * passed


def starts(connection: http.client.HTTPConnection) -> float:
    """Workers started so far, as the server counts them."""
    connection.request("GET", "/metrics")
    found = STARTS.search(connection.getresponse().read())
    assert found, "The server counts its workers."
    return float(found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    print(HEADER)
    told = list(figures(parser.parse_args().seconds))
    for figure in told:
        print(figure.row(), flush=True)
    raise SystemExit(not all(figure.met for figure in told))


if __name__ == "__main__":
    main()
