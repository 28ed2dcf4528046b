"""The events of a job in a file that its process writes and any server reads, and its state, computed from them.

Any server over the same store can read the file; a lock that the job's process holds says whether it still runs.
"""

import errno
import json
import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fcntl import LOCK_NB, LOCK_SH, flock
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, Literal, TypeVar

import orjson

INTERVAL = 0.1
"""Seconds between two events of a kind, at least."""
EVENTS = "events.ndjson"
LOCK = "lock"
RESULT = "result"
"""In the folder of a job: its events, its lock, and the folder with what it made."""
LAST_KINDS = frozenset(("finished", "failed", "cancelled"))
PROGRESS_KINDS = frozenset(("counting", "learning", "doing", "downloading"))
"""Kinds of events of which only the last one is kept."""
MAX_PARTS = 64
MAX_PART = 256
"""Parts of a log that are kept as they were read, and events that such a part may have."""
Event = Mapping[str, Any]
Merge = Callable[[Event | None, Event], Event]
"""From the event of a kind of progress that a summary has, if any, and the next one to the one that it has then."""
State = Literal["running", "finished", "failed", "cancelled", "interrupted"]
Folded = TypeVar("Folded", bound="JobProgress")


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
                    raise OSError(errno.ENOSPC, "The line was not written whole")
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


def latest(before: Event | None, event: Event) -> Event:
    """Return the later event."""
    return event


class EventReader:
    """The log in the folder of a job, and a summary of it. Any number of threads may share one.

    `events` are those of the log, but of each kind of progress only one, which stands for those before it. `end` is
    the offset behind them in bytes.
    """

    def __init__(self, folder: Path, merge: Merge = latest) -> None:
        self.folder = folder
        self.merge = merge
        self.events: tuple[Event, ...] = ()
        self.end = 0
        self._parts: deque[tuple[int, Sequence[Event]]] = deque(maxlen=MAX_PARTS)
        self._lock = Lock()

    def read(self) -> tuple[Sequence[Event], int]:
        """Read what is new in the log; return the events of the summary, and the offset behind them in bytes."""
        with self._lock:
            fresh, end = read_events(self.folder, self.end)
            for event in fresh:
                self.events = with_event(self.events, event, self.merge)
            if len(fresh) > MAX_PART:  # the history of a job that nobody has looked at
                self._parts.clear()
            elif fresh:
                self._parts.append((self.end, fresh))
            self.end = end
            return self.events, self.end

    def since(self, offset: int) -> Sequence[Event] | None:
        """Return the events that were read behind an offset, or None if these are not kept."""
        with self._lock:
            parts = [*self._parts]
        begins = [begin for begin, _ in parts]
        if offset == self.end:
            return ()
        if offset not in begins:
            return None
        return [event for _, events in parts[begins.index(offset) :] for event in events]


def with_event(events: Sequence[Event], event: Event, merge: Merge) -> tuple[Event, ...]:
    """Return a summary with one more event.

    >>> events = {"kind": "note", "text": "a"}, {"kind": "doing", "what": "b"}
    >>> with_event(events, {"kind": "doing", "what": "c"}, latest)
    ({'kind': 'note', 'text': 'a'}, {'kind': 'doing', 'what': 'c'})
    """
    if event["kind"] not in PROGRESS_KINDS:
        return (*events, event)
    before = next((one for one in events if one["kind"] == event["kind"]), None)
    return (*(one for one in events if one is not before), merge(before, event))


@dataclass(slots=True)
class JobProgress:
    """What a job does, the share that is done (0 to 1, None if unknown), how it ended, and its first and last event."""

    started: Mapping[str, Any] = field(default_factory=dict)
    doing: str = "Starting"
    share: float | None = None
    end: State | None = None
    result: Mapping[str, Any] = field(default_factory=dict)
    problem: Mapping[str, Any] | None = None

    @classmethod
    def from_events(cls: type[Folded], events: Iterable[Mapping[str, Any]]) -> Folded:
        """The state after these events.

        >>> JobProgress.from_events([{"kind": "doing", "what": "Pruning", "share": 0.5}]).share
        0.5
        """
        progress = cls()
        for event in events:
            progress.add(event)
        return progress

    def add(self, event: Mapping[str, Any]) -> None:
        """Update the state by one event."""
        match event["kind"]:
            case "started":
                self.started = event
            case "doing":
                self.doing = event["what"]
                self.share = event.get("share")
            case "downloading":
                self.share = event["read"] / event["of"] if event["of"] else None
            case "finished":
                self.end = "finished"
                self.result = event
            case "failed":
                self.end = "failed"
                self.problem = {name: value for name, value in event.items() if name != "kind"}
            case "cancelled":
                self.end = "cancelled"
            case "interrupted":
                self.end = self.end or "interrupted"

    def serialize(self) -> dict[str, Any]:
        """What the job does or how it ended, the share that is done, and the problem, as plain data."""
        doing = self.end.capitalize() if self.end else self.doing
        return {"doing": doing, "share": 1.0 if self.end == "finished" else self.share, "problem": self.problem}
