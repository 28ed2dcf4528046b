"""Vocabularies that workers share: eight large ones compared, and the memory of a server with the defaults and all."""

import time
from collections.abc import Iterator
from functools import partial

import httpx
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.measure import Figure, scaled, seconds
from benchmarks.processes import memory, processor_time
from benchmarks.start import server
from benchmarks.text import mixed

EIGHT = scaled(
    ("o200k_base", "gemma4", "claude-2", "qwen3.5", "deepseek-v3", "glm-4", "kimi-k2", "xlm-roberta"),
    ("bytes", "gpt2"),
)
SIZE = 2_000
WARM, DEFAULTS, ALL = 150, 500, 1_200
"""Milliseconds of a comparison whose vocabularies are loaded; megabytes with the defaults, and with all loaded."""
SETTLE = scaled(15.0, 0.1)
"""Seconds after which the server has loaded what its pages open with."""


def figures() -> Iterator[Figure]:
    with server() as (port, pid), httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=300) as client:
        while client.post("/api/compare", json={"tokenizers": EIGHT[:1], "text": ""}).status_code == 503:
            pass  # the workers start
        time.sleep(SETTLE)
        held = memory(pid)
        yield Figure("memory (PSS), defaults loaded, MB", held, f"<= {DEFAULTS}", held <= DEFAULTS)
        yield first_columns(client, pid)
        yield warm(client, pid)
        ids = scaled([info.id for info in Registry(Settings()).infos() if info.origin == "bundled"], [*EIGHT])
        for start in range(0, len(ids), 8):
            compare(client, ids[start : start + 8])
        held = memory(pid)
        note = f"{len(ids)} vocabularies"
        yield Figure("memory (PSS), all loaded, MB", held, f"<= {ALL}", held <= ALL, note)


def first_columns(client: httpx.Client, pid: int) -> Figure:
    """Milliseconds from a request for eight columns to the first of them; most are loaded meanwhile."""
    begun = time.perf_counter()
    before = processor_time(pid)
    sent = {"tokenizers": EIGHT, "text": mixed(SIZE)}
    with client.stream("POST", "/api/compare/columns", json=sent) as answer:
        times = [1000 * (time.perf_counter() - begun) for _ in answer.iter_lines()]
    assert len(times) == len(EIGHT)
    spent = processor_time(pid) - before
    note = f"the last after {times[-1]:.0f} ms, {spent:.1f} s of processor time"
    return Figure("first of 8 columns, not all loaded, ms", times[0], f"<= {WARM}", times[0] <= WARM, note)


def warm(client: httpx.Client, pid: int) -> Figure:
    for _ in range(scaled(5, 1)):
        compare(client, EIGHT)
    before = processor_time(pid)
    times = sorted(1000 * seconds(partial(compare, client, EIGHT)) for _ in range(scaled(60, 2)))
    spent = 1000 * (processor_time(pid) - before) / len(times)
    slow = times[int(0.95 * len(times))]
    return Figure(
        "compare, 8 large on 2 KB: p95, ms", slow, f"<= {WARM}", slow <= WARM, f"{spent:.0f} ms of processor time"
    )


def compare(client: httpx.Client, ids: tuple[str, ...] | list[str]) -> None:
    client.post("/api/compare", json={"tokenizers": ids, "text": mixed(SIZE)}).raise_for_status()


if __name__ == "__main__":
    for figure in figures():
        print(figure.row(), flush=True)
