"""Read the log of a job as it grows: each line is parsed once, and of the history a summary of bounded size remains."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from .events import read_events

PROGRESS_KINDS = frozenset(("counting", "learning", "doing", "downloading"))
"""Kinds of events of which only the last one is kept."""
MAX_PARTS = 64
MAX_PART = 256
"""Parts of a log that are kept as they were read, and events that such a part may have."""


Event = Mapping[str, Any]
Merge = Callable[[Event | None, Event], Event]
"""From the event of a kind of progress that a summary has, if any, and the next one to the one that it has then."""


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
