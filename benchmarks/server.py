"""The server under load on loopback, one process that listens: requests a second, and who must wait for whom.

The load is made by wrk, which `make bench` installs; where it is missing, only what needs no load is measured.
"""

import http.client
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

import httpx
import orjson
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.measure import Figure, scaled, seconds
from benchmarks.start import ask, free_port, server
from benchmarks.text import MEGABYTE, english

SERVE = (
    "import uvicorn; uvicorn.run('benchmarks.naive:app', port={}, loop='uvloop', http='httptools', access_log=False, "
    "log_level='warning')"
)
SHARES = scaled({200: 0.6, 10_000: 8.0, 1_000_000: 15.0}, {200: 0.45, 10_000: 8.0})
"""By bytes of text, the least of our requests a second for one of theirs: of the empty endpoint, then of the naive."""
ADAPTERS = (
    ("o200k_base", "reference"),
    ("mistral-v3", "reference"),
    ("bert-base-uncased", "reference"),
    ("mistral-v3", "scratch"),
    ("bert-base-uncased", "scratch"),
)
TURNS, CLIENTS = scaled(3, 1), 4
DURATION = scaled(2, 1)
"""Seconds of a turn."""
JSON = {"content-type": "application/json"}
Load = tuple[int, str, bytes]


def figures() -> Iterator[Figure]:
    with server() as (port, _):
        yield over_tokenizer(port)
        if shutil.which("wrk") is None:
            print("The server under load: skipped, since wrk is not installed (apt-get install wrk, brew install wrk).")
            return
        for id, engine in scaled(ADAPTERS, ADAPTERS[:1]):
            yield health(port, id, engine)
        with naive() as other:
            for size, least in SHARES.items():
                path = "/empty" if size == 200 else "/tokenize"
                base = (other, path, orjson.dumps({"text": english(size)}))
                yield share(size, (port, "/tokenize", body(size)), base, least)


@contextmanager
def naive() -> Iterator[int]:
    """The server of `benchmarks.naive`, as its port."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", SERVE.format(port)])
    try:
        while process.poll() is None:
            try:
                ask(port)
                break
            except OSError:
                time.sleep(0.01)
        yield port
    finally:
        process.terminate()
        process.wait()


def body(size: int, id: str = "o200k_base", **more: object) -> bytes:
    return orjson.dumps({"tokenizer": id, "text": english(size), **more})


def share(size: int, ours: Load, theirs: Load, least: float) -> Figure:
    """Requests a second for each of theirs, medians of turns; where theirs answers none, as if it had answered one."""
    duration, clients = (DURATION, CLIENTS) if size < 1_000_000 else (8, 1)
    warm(ours)
    warm(theirs)
    pairs = [(rate(ours, DURATION, clients), max(rate(theirs, duration, clients), 1 / duration)) for _ in range(TURNS)]
    mine, others = (statistics.median(column) for column in zip(*pairs, strict=True))
    name = f"/tokenize, {size:,} bytes: requests a second / {'empty' if size == 200 else 'naive'}"
    note = f"{mine:,.0f} against {others:,.1f}"
    return Figure(name, mine / others, f">= {least:.2f}", mine / others >= least, note)


def warm(load: Load) -> None:
    """Ask as many clients do at once, and wait for the answers, so that every worker has its tokenizer."""
    port, path, sent = load

    def post(_: int) -> int:
        return httpx.post(f"http://127.0.0.1:{port}{path}", content=sent, headers=JSON, timeout=60).status_code

    with ThreadPoolExecutor(CLIENTS) as clients:
        assert set(clients.map(post, range(2 * CLIENTS))) == {200}


def rate(load: Load, duration: int, clients: int = CLIENTS) -> float:
    """Requests a second that are answered with 200."""
    with script(load) as path:
        port, address, _ = load
        command = ["wrk", "-t1", f"-c{clients}", f"-d{duration}s", "--timeout", "60s", "-s", str(path)]
        report = subprocess.run(
            [*command, f"http://127.0.0.1:{port}{address}"], capture_output=True, text=True, check=True
        )
    assert "Non-2xx" not in report.stdout, report.stdout
    return float(re.search(r"Requests/sec:\s+([\d.]+)", report.stdout).group(1))  # type: ignore[union-attr]


@contextmanager
def script(load: Load) -> Iterator[Path]:
    """What wrk sends, as the file that it reads."""
    with TemporaryDirectory() as folder:
        sent, path = Path(folder, "body"), Path(folder, "load.lua")
        sent.write_bytes(load[2])
        lines = 'wrk.method = "POST"', 'wrk.headers["Content-Type"] = "application/json"'
        path.write_text("\n".join((*lines, f'wrk.body = io.open("{sent}"):read("*a")')))
        yield path


def over_tokenizer(port: int) -> Figure:
    """A megabyte over HTTP with its ids, against the bare tokenizer here."""
    text, sent = english(), body(MEGABYTE, include=["ids"])
    bare = Registry(Settings()).get("o200k_base").library.encode_ordinary  # type: ignore[attr-defined]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def post() -> None:
        connection.request("POST", "/tokenize", sent, JSON)
        assert connection.getresponse().read()

    for _ in range(4):
        post()
    pairs = [(seconds(post), seconds(lambda: bare(text))) for _ in range(scaled(21, 1))]
    connection.close()
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    note = f"{ours * 1000:.1f} ms against {theirs * 1000:.1f} ms"
    return Figure("/tokenize, 1 MB, ids / tokenizer", ours / theirs, "<= 1.15", ours / theirs <= 1.15, note)


def health(port: int, id: str, engine: str) -> Figure:
    """Milliseconds until /healthz answers while megabytes are tokenized, the slowest but one of a hundred."""
    load = (port, "/tokenize", body(MEGABYTE, id, engine=engine))
    warm(load)
    times: list[float] = []
    over = Event()

    def watch() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while not over.wait(0.005):
            times.append(1000 * seconds(lambda: health_of(connection)))
        connection.close()

    thread = Thread(target=watch)
    thread.start()
    per_second = rate(load, 2 * DURATION)
    over.set()
    thread.join()
    slow = sorted(times)[int(0.99 * len(times))]
    note = f"median {statistics.median(times):.1f} ms of {len(times)}, {per_second:.1f} MB a second"
    return Figure(f"/healthz under 1 MB requests, {id}, {engine}: p99, ms", slow, "<= 15", slow <= 15, note)


def health_of(connection: http.client.HTTPConnection) -> None:
    connection.request("GET", "/healthz")
    assert connection.getresponse().read()
