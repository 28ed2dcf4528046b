"""A process and its descendants, and what they hold, from Linux's /proc."""

from collections.abc import Sequence
from pathlib import Path

import psutil

PROC = Path("/proc")


def family(pid: int) -> list[int]:
    """The process first, then its children, and theirs."""
    pids, parents = [pid], _parents()
    for one in pids:
        pids += [child for child, parent in parents.items() if parent == one]
    return pids


def workers(pid: int) -> list[int]:
    """The processes that do its work, which its fork server forks."""
    parents = _parents()
    return [one for one, parent in parents.items() if parents.get(parent) == pid]


def alive(pids: Sequence[int]) -> list[int]:
    """Those of the processes that are not gone yet."""
    return [pid for pid in pids if pid in _parents()]


def memory(pid: int) -> float:
    """Megabytes that a family holds; what several share, the interpreter and its modules, is counted once (PSS)."""
    return sum(map(share, family(pid)))


def share(pid: int) -> float:
    """Megabytes of a process, of each page its share; 0 of one that has ended."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024 / 1_000_000


def processor_time(pid: int) -> float:
    """Seconds that a family has spent."""
    return sum(map(processor_seconds, family(pid)))


def processor_seconds(pid: int) -> float:
    """Seconds that a process has spent; 0 of one that has ended."""
    try:
        return sum(psutil.Process(pid).cpu_times()[:2])
    except psutil.NoSuchProcess:
        return 0.0


def descriptors(pid: int) -> int:
    """Open files of a family."""
    return sum(map(open_files, family(pid)))


def open_files(pid: int) -> int:
    """Open files of a process; 0 of one that has ended."""
    try:
        return len(list((PROC / str(pid) / "fd").iterdir()))
    except (FileNotFoundError, ProcessLookupError):
        return 0


def _parents() -> dict[int, int]:
    """By process id, its parent's; without those that have ended and are not yet reaped."""
    parents = {}
    for entry in PROC.iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            parents[int(entry.name)] = int(parent)
    return parents
