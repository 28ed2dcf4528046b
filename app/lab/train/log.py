"""The log of a job: its events, one line of JSON each, which only grows; and the lock that its process holds."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from pathlib import Path
from threading import Lock
from typing import Any

import orjson

EVENTS, LOCK, LEARNED = "events.ndjson", "lock", "learned.json"
ENDS = frozenset(("finished", "failed", "cancelled"))
"""The kinds of a last event."""


class Log:
    """The end of a log, to write to. A line is written at once and whole; after a last event, nothing more."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / EVENTS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._guard = Lock()
        self._ended = False

    def write(self, event: Mapping[str, Any]) -> None:
        """Add an event. Raises `OSError` where there is no room for it."""
        with self._guard:
            if not self._ended:
                line = orjson.dumps(event) + b"\n"
                if os.write(self._file, line) < len(line):
                    raise OSError("The line was cut off.")
                self._ended = event["kind"] in ENDS

    def close(self) -> None:
        os.close(self._file)


def read(folder: Path, after: int = 0) -> tuple[list[dict[str, Any]], int]:
    """The events behind a byte of the log, and the byte behind them; a line that was cut off is none."""
    try:
        with (folder / EVENTS).open("rb") as file:
            file.seek(after)
            data = file.read()
    except FileNotFoundError:
        return [], after
    whole = data[: data.rfind(b"\n") + 1]
    return [*_events(whole)], after + len(whole)


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait for a lock, and hold it."""
    with path.open("ab") as file:
        flock(file, LOCK_EX)
        yield


def free(path: Path) -> bool:
    """Whether nobody holds a lock: its holder is gone, however it went."""
    try:
        with path.open("rb") as file:
            flock(file, LOCK_SH | LOCK_NB)
    except FileNotFoundError:
        return True
    except BlockingIOError:
        return False
    return True
