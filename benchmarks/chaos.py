"""Kill a worker with SIGKILL every second for a minute: which requests fail, and how soon it is replaced."""

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

from benchmarks import load
from benchmarks.load_requests import load_requests
from benchmarks.measure import HEADER, Figure
from benchmarks.processes import workers
from benchmarks.start import server

CLIENTS = 4
"""Fewer than are admitted, so that none is shed."""
STARTS = re.compile(rb"^tokenarium_worker_starts_total ([\d.]+)", re.MULTILINE)


def figures(duration: int) -> Iterator[Figure]:
    with TemporaryDirectory() as folder, ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        good = [one for one in load_requests(Path(folder)) if one.status == 200 and one.weight > 1]
        with server(TOKENARIUM_LOCAL=folder, TOKENARIUM_SLOTS="2") as (port, pid):
            pool.submit(load.settle, port, good).result()
            sent = pool.submit(load.run, port, good, CLIENTS, duration, load.KINDS[:1])
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
    before, pids = starts(connection), workers(pid)
    begun = time.perf_counter()
    os.kill(pids[number % len(pids)], signal.SIGKILL)
    while starts(connection) == before:
        time.sleep(0.005)
    passed = time.perf_counter() - begun
    connection.close()
    time.sleep(max(0, 1 - passed))
    return 1000 * passed


def starts(connection: http.client.HTTPConnection) -> float:
    """Workers started so far, as the server counts them."""
    connection.request("GET", "/metrics")
    match = STARTS.search(connection.getresponse().read())
    assert match, "The server counts its workers."
    return float(match[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    print(HEADER)
    results = list(figures(parser.parse_args().seconds))
    for figure in results:
        print(figure.row(), flush=True)
    raise SystemExit(not all(figure.met for figure in results))


if __name__ == "__main__":
    main()
