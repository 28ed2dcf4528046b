"""How soon the server and a command answer, and what the server holds in memory."""

import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.measure import Figure, scaled, seconds

MEGA = 1_000_000


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ask(port: int, method: str = "GET", path: str = "/healthz", body: dict[str, object] | None = None) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"content-type": "application/json"} if body else {}
    connection.request(method, path, json.dumps(body) if body else None, headers)
    status = connection.getresponse().status
    connection.close()
    return status


@contextmanager
def server(**env: str) -> Iterator[tuple[int, int]]:
    """A server that has answered its first /healthz, as (port, process id)."""
    port = free_port()
    command = [sys.executable, "-m", "tokenarium", "serve", "--port", str(port)]
    process = subprocess.Popen(command, env=os.environ | env, stdout=subprocess.DEVNULL)
    try:
        for _ in range(10_000):
            try:
                assert ask(port) == 200
                break
            except OSError:
                time.sleep(0.002)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()


def resident(pid: int) -> float:
    """Resident memory in MB."""
    return psutil.Process(pid).memory_info().rss / MEGA


def start_up(runs: int = 9) -> Figure:
    imports = [sys.executable, "-c", "import fastapi, jinja2, uvicorn"]
    pairs = [
        (seconds_until_ready(), seconds(lambda: subprocess.run(imports, check=True))) for _ in range(scaled(runs, 1))
    ]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    note = f"{ours * 1000:.0f} ms against {theirs * 1000:.0f} ms"
    return Figure("server ready / importing its frameworks", ours / theirs, "<= 1.20", ours / theirs <= 1.2, note)


TIKTOKEN = """
import sys
import tiktoken
from tiktoken.load import load_tiktoken_bpe

ranks, pattern, text = sys.argv[1:]
encoding = tiktoken.Encoding("o200k_base", pat_str=pattern, mergeable_ranks=load_tiktoken_bpe(ranks), special_tokens={})
with open(text) as file:
    print(len(encoding.encode(file.read())))
"""
"""A program that counts the tokens of a file as `count` does, with nothing but tiktoken."""


def count_command(runs: int = 9) -> Figure:
    record = Registry(Settings()).record("o200k_base")
    with TemporaryDirectory() as folder:
        text, ranks = Path(folder, "text.txt"), Path(folder, "ranks")
        text.write_text("The quick brown fox jumps over the lazy dog.\n" * 20)
        ranks.write_bytes(record.file(record.spec["ranks"]))
        count = [sys.executable, "-m", "tokenarium", "count", str(text)]
        bare = [sys.executable, "-c", TIKTOKEN, str(ranks), record.spec["pattern"].strip(), str(text)]
        run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL)
        pairs = [(seconds(partial(run, count)), seconds(partial(run, bare))) for _ in range(scaled(runs, 1))]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    note = f"{ours * 1000:.0f} ms against {theirs * 1000:.0f} ms"
    return Figure("count of a small file / bare tiktoken", ours / theirs, "<= 1.50", ours / theirs <= 1.5, note)


def seconds_until_ready() -> float:
    start = time.perf_counter()
    with server():
        return time.perf_counter() - start


def figures() -> Iterator[Figure]:
    yield start_up()
    yield count_command()
    with server() as (port, pid):
        idle = resident(pid)
        yield Figure("resident memory, idle, MB", idle, "<= 120", idle <= 120)
        ask(port, "POST", "/tokenize", {"tokenizer": "o200k_base", "text": "Hello"})
        loaded = resident(pid)
        yield Figure("resident memory, o200k_base loaded, MB", loaded, "<= 220", loaded <= 220)
