"""A corpus through /api/tokenize-stream: what the server holds meanwhile, and how fast it is; GB=1 sends a gigabyte."""

import os
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain, repeat
from typing import Any

import orjson
import psutil
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.measure import Figure, ratio, scaled
from benchmarks.start import MEGA, server
from benchmarks.text import mixed

LINE = 1_000
"""Characters of a text."""

HEAD = b"POST /api/tokenize-stream?tokenizer=o200k_base&include=%b HTTP/1.1\r\nHost: localhost\r\n" + (
    b"Content-Type: application/x-ndjson\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
)


def figures() -> Iterator[Figure]:
    text = mixed(scaled(8 * MEGA, 4_000))
    texts = [text[start : start + LINE] for start in range(0, len(text), LINE)]
    block = b"".join(orjson.dumps({"text": one}) + b"\n" for one in texts)
    bare: Any = Registry(Settings()).get("o200k_base")
    with server() as (port, pid):
        yield memory(
            port, pid, block, round(float(os.environ.get("GB", scaled("0.3", "0.0001"))) * 1000 * MEGA / len(block))
        )
        for threads, most in ((1, 2.0), (8, 3.0)):
            name = f"stream of 1 KB lines / bare batch, threads: {threads}"
            base = partial(bare.library.encode_ordinary_batch, texts, num_threads=threads)
            yield ratio(name, partial(stream, port, block, 1, include="ids"), base, most=most, runs=5)


def memory(port: int, pid: int, block: bytes, times: int) -> Figure:
    """The most that the server came to hold more while a block was sent to it so many times, in MB; its workers have
    loaded the tokenizer before."""
    stream(port, block, 1)
    before, start = held(pid), time.perf_counter()
    sizes = [before]
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(stream, port, block, times)
        while not sent.done():
            sizes.append(held(pid))
            time.sleep(0.2)
    size, seconds = times * len(block) / MEGA, time.perf_counter() - start
    summary = sent.result()
    assert (summary["errors"], summary["lines"]) == (0, times * block.count(b"\n")), summary
    growth = max(sizes) - before
    note = f"{size:.0f} MB in {seconds:.0f} s, {size / seconds:.1f} MB/s, {summary['tokens']:,} tokens"
    return Figure("memory growth over a stream, MB", growth, "<= 50", growth <= 50, note)


def held(pid: int) -> float:
    """Resident memory of a process and of those that it started, in MB."""
    process = psutil.Process(pid)
    return sum(one.memory_info().rss for one in (process, *process.children(recursive=True))) / MEGA


def stream(port: int, block: bytes, times: int, *, include: str = "counts") -> dict[str, int]:
    """Send a block so many times, and read the answers meanwhile; the last of them is returned."""
    with socket.create_connection(("127.0.0.1", port)) as client, ThreadPoolExecutor(1) as pool:
        head = HEAD % (include.encode(), len(block) * times)
        writing = pool.submit(lambda: [client.sendall(part) for part in chain([head], repeat(block, times))])
        end = b""
        while part := client.recv(1 << 20):
            end = (end + part)[-1000:]
        writing.result()
    summary: dict[str, int] = orjson.loads(end[end.rindex(b'{"lines"') :].partition(b"\n")[0])
    return summary
