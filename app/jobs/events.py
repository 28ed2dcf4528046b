"""The events of a job, and the file they are appended to: one JSON object a line, about ten a second.

Any server over the same store can read the file; a lock that the job's process holds says whether it still runs.
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

import orjson

INTERVAL = 0.1
"""Seconds between two events of a kind, at least."""
EVENTS = "events.ndjson"
LOCK = "lock"
RESULT = "result"
"""In the folder of a job: its events, its lock, and the folder with what it made."""
LAST_KINDS = frozenset(("finished", "failed", "cancelled"))


class Throttle:
    """Lets one event pass per `INTERVAL`.

    >>> throttle = Throttle()
    >>> throttle.is_due(), throttle.is_due()
    (True, False)
    """

    def __init__(self) -> None:
        self._start = monotonic()
        self._next = 0.0

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return round(monotonic() - self._start, 3)

    def is_due(self) -> bool:
        """True if an event may pass now; the next one then has to wait."""
        elapsed = monotonic() - self._start
        if elapsed < self._next:
            return False
        self._next = elapsed + INTERVAL
        return True


class EventLog:
    """Appends events to the file in a job's folder: each line at once and whole, and none after a last event."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / EVENTS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._lock = Lock()
        self._ended = False

    def write(self, event: Mapping[str, Any]) -> None:
        """Append an event. Raises `OSError` where there is no room for it."""
        # The timer that ends a job writes from another thread: without the lock, two last events could be written.
        with self._lock:
            if not self._ended:
                line = orjson.dumps(event) + b"\n"
                if os.write(self._file, line) < len(line):
                    raise OSError("The line was not written whole.")
                self._ended = event["kind"] in LAST_KINDS

    def close(self) -> None:
        os.close(self._file)


def read_events(folder: Path, after: int = 0) -> tuple[list[dict[str, Any]], int]:
    """The events behind an offset in bytes, and the offset behind them. A line without its end is left for later."""
    try:
        with (folder / EVENTS).open("rb") as file:
            file.seek(after)
            data = file.read()
    except FileNotFoundError:
        return [], after
    lines = data[: data.rfind(b"\n") + 1]
    return [*_parse_lines(lines)], after + len(lines)


def _parse_lines(lines: bytes) -> Iterator[dict[str, Any]]:
    for line in lines.splitlines():
        try:
            yield json.loads(line)
        except ValueError:  # half a line of a process that was killed, with a whole one appended to it
            continue


def remove_results(folder: Path) -> None:
    """Remove the folders in the folder of a job, which it had not finished."""
    for path in folder.glob("*/"):
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Wait for a lock file, and hold it."""
    with path.open("ab") as file:
        flock(file, LOCK_EX)
        yield


def is_free(path: Path) -> bool:
    """True if no process holds a lock file. The kernel frees it when its holder ends, however it ends."""
    try:
        with path.open("rb") as file:
            flock(file, LOCK_SH | LOCK_NB)
    except FileNotFoundError:
        return True
    except BlockingIOError:
        return False
    return True
