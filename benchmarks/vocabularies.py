"""What each vocabulary of the store costs: CPU seconds to load it and tokenize a first text, and the memory it takes.

`python -m benchmarks.vocabularies` prints a table for both engines, with the texts that the engines were compared on.
Each is loaded in a process of its own, so that none finds what another left in memory.
"""

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from tokenarium.lab.conformance import load_results
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.measure import Figure, scaled
from benchmarks.start import resident

MOST = 1.0
"""CPU seconds from an empty process with its libraries to the first tokens."""
ADAPTERS = ("sentencepiece.scratch", "tokenizer_json.scratch", "tokenizer_json.library", "tiktoken.library")
TEXT = "Hello, world! 你好 🌍"


@dataclass(frozen=True, slots=True)
class Load:
    """One engine of one vocabulary: CPU seconds, megabytes as measured, and as estimated by `Tokenizer.nbytes`."""

    id: str
    engine: str
    seconds: float
    measured: float
    estimated: float


def figures() -> Iterator[Figure]:
    """Yield the slowest load of a library and of the from-scratch engines."""
    all_loads = [*loads()]
    for name, scratch in (("library", False), ("from scratch", True)):
        slowest = max((one for one in all_loads if (one.engine == "scratch") == scratch), key=lambda one: one.seconds)
        note = f"{slowest.id}, {slowest.measured:.0f} MB"
        fine = slowest.seconds <= MOST
        yield Figure(f"slowest load, {name}, CPU s", slowest.seconds, f"<= {MOST}", fine, note)


def loads() -> Iterator[Load]:
    """Load every engine of every vocabulary, one process after another."""
    infos = Registry(Settings()).infos()
    for info in scaled(infos, [info for info in infos if info.id == "gpt2"]):
        for engine in info.engines:
            command = [sys.executable, "-m", "benchmarks.vocabularies", info.id, engine]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            yield Load(info.id, engine, *json.loads(output))


def load(id: str, engine: str) -> tuple[float, float, float]:
    """Return CPU seconds, and megabytes measured and estimated, without the import of modules and libraries."""
    for name in ADAPTERS:
        import_module(f"tokenarium.files.{name}")
    for library in {"tiktoken", "sentencepiece", "tokenizers"} & {engine}:
        import_module(library)
    registry = Registry(Settings(max_loaded=10**12))
    registry.get("bytes").encode(TEXT)
    gc.collect()
    before, start = resident(os.getpid()), time.process_time()
    loaded = registry.get(id, engine)
    loaded.encode(TEXT)
    seconds = time.process_time() - start
    gc.collect()
    return seconds, resident(os.getpid()) - before, loaded.nbytes / 1e6


def main() -> None:
    if len(sys.argv) == 3:
        print(json.dumps(load(*sys.argv[1:])))
        return
    compared = {row.tokenizer: row for row in load_results(Settings().store)}
    print("| tokenizer | engine | CPU s | MB measured | MB estimated | texts compared | differences |")
    print("|---|---|---|---|---|---|---|")
    for one in loads():
        row = compared.get(one.id) if one.engine == "scratch" else None
        ends = (f"{row.count:,}", str(row.mismatches)) if row else ("", "")
        cells = (one.id, one.engine, f"{one.seconds:.2f}", f"{one.measured:.0f}", f"{one.estimated:.0f}", *ends)
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
