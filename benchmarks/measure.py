"""Medians of interleaved runs, so that both sides of a ratio meet the same machine."""

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar


@dataclass(frozen=True)
class Figure:
    """One line of the table: what was measured, its value, and the bound it should keep."""

    name: str
    value: float
    bound: str
    met: bool
    note: str = ""

    def row(self) -> str:
        return f"{self.name:58} {self.value:8.2f}   {self.bound:>10}   {'yes' if self.met else 'NO':>3}   {self.note}"


Result = TypeVar("Result")
TINY = "BENCH_TINY"
"""The environment variable of a run with tiny sizes, for the processes that parts start, too."""
HEADER = f"{'measured':58} {'value':>8}   {'wanted':>10}   {'met':>3}   note"


def scaled(full: Result, tiny: Result) -> Result:
    """Return a size: `full`, or `tiny` where a run shows only that each part works, and its figures mean nothing."""
    return tiny if os.environ.get(TINY) else full


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(name: str, work: Callable[[], object], base: Callable[[], object], *, most: float, runs: int = 21) -> Figure:
    """Time of work over time of base, medians of runs taken in turn."""
    work(), base()
    pairs = [(seconds(work), seconds(base)) for _ in range(scaled(runs, 1))]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    note = f"{ours * 1000:.1f} ms against {theirs * 1000:.1f} ms"
    return Figure(name, ours / theirs, f"<= {most:.2f}", ours / theirs <= most, note)


def with_memory(work: Callable[[], Result]) -> tuple[Result, int]:
    """Return the result of `work`, and the bytes by which this process grew at its peak meanwhile; on Linux only.

    The kernel's peak of this process image, cleared beforehand. `ru_maxrss` does not do: a new process begins with the
    peak of the process that started it, so that growth below that peak counts as none.
    """
    before = _status_bytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    result = work()
    return result, _status_bytes("VmHWM") - before


def _status_bytes(field: str) -> int:
    """Return a size of this process: resident memory now (VmRSS) or at its peak (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))
