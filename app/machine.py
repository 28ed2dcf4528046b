"""What the machine has for this process: memory, and a clock."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

STARTED = time.time() - time.monotonic()
"""The time at which the machine was started, by its clock as it was when this process began."""


def read_clock() -> float:
    """Return the time by which what is kept for a while is old, in seconds as `time.time` has them.

    Where the clock has been set forward since this process began, it is as if it had not: nothing goes too early.
    """
    return min(time.time(), STARTED + time.monotonic())


def memory_bytes(root: Path = Path("/")) -> int:
    """Return the memory of the machine in bytes, or the least limit of the control groups of this process if lower.

    0 where the system does not say. `root` is where `proc` and `sys` are.
    """
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 0
    return min([size, *_limits(root)])


def _limits(root: Path) -> Iterator[int]:
    """Yield the limits of the control groups of this process and of those around them; versions 2 and 1."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top = root / "sys/fs/cgroup" / ("memory" if controllers else "")
        group = top / path.strip("/")
        for folder in (group, *group.parents):
            if not folder.is_relative_to(top):
                break
            try:
                limit = (folder / ("memory.limit_in_bytes" if controllers else "memory.max")).read_text().strip()
            except OSError:
                continue
            if limit.isdecimal():
                yield int(limit)
