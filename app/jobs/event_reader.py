"""Read the log of a job as it grows: each line is parsed once, and of the history a summary of bounded size remains."""

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from .events import read_events

PROGRESS_KINDS = frozenset(("counting", "learning", "doing", "downloading"))
"""Kinds of events of which only the last one is kept."""
MAX_POINTS = 500
"""Points of the growth of a vocabulary that a summary has at least, once there are that many; at most twice as many."""
NEWEST = 16
"""Tokens that a summary has of those learned last."""
RATE_SECONDS = 3.0
"""The rate of learning is measured over the last few seconds."""
MAX_PARTS = 64
MAX_PART = 256
"""Parts of a log that are kept as they were read, and events that such a part may have."""


class EventReader:
    """The log in the folder of a job, and a summary of it. Any number of threads may share one.

    `events` are those of the log, but of each kind of progress only the last. The last event of learning has the
    points and the newest tokens of those before it, and `recent`: the (seconds, tokens) that the rate is measured
    over. `end` is the offset behind them in bytes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events: tuple[Mapping[str, Any], ...] = ()
        self.end = 0
        self._parts: deque[tuple[int, Sequence[Mapping[str, Any]]]] = deque(maxlen=MAX_PARTS)
        self._lock = Lock()

    def read(self) -> tuple[Sequence[Mapping[str, Any]], int]:
        """Read what is new in the log; return the events of the summary, and the offset behind them in bytes."""
        with self._lock:
            fresh, end = read_events(self.folder, self.end)
            for event in fresh:
                self.events = with_event(self.events, event)
            if len(fresh) > MAX_PART:  # the history of a job that nobody has looked at
                self._parts.clear()
            elif fresh:
                self._parts.append((self.end, fresh))
            self.end = end
            return self.events, self.end

    def since(self, offset: int) -> Sequence[Mapping[str, Any]] | None:
        """Return the events that were read behind an offset, or None if these are not kept."""
        with self._lock:
            parts = [*self._parts]
        begins = [begin for begin, _ in parts]
        if offset == self.end:
            return ()
        if offset not in begins:
            return None
        return [event for _, events in parts[begins.index(offset) :] for event in events]


def with_event(events: tuple[Mapping[str, Any], ...], event: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """Return a summary with one more event.

    >>> with_event(({"kind": "note", "text": "a"}, {"kind": "doing", "what": "b"}), {"kind": "doing", "what": "c"})
    ({'kind': 'note', 'text': 'a'}, {'kind': 'doing', 'what': 'c'})
    """
    kind = event["kind"]
    if kind not in PROGRESS_KINDS:
        return (*events, event)
    others = tuple(one for one in events if one["kind"] != kind)
    if kind == "learning":
        event = merged([one for one in events if one["kind"] == kind], event)
    return (*others, event)


def merged(before: Sequence[Mapping[str, Any]], event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an event of learning that stands for those before it, too.

    >>> first = {"kind": "learning", "pieces": 2, "at": 0.5, "points": [(2, 9)], "newest": ["a"]}
    >>> last = merged([merged([], first)], {**first, "pieces": 3, "at": 4.0, "points": [(3, 8)], "newest": ["b"]})
    >>> last["points"], last["newest"], last["recent"]
    ([(2, 9), (3, 8)], ['a', 'b'], [(4.0, 3)])
    """
    points = [point for one in (*before, event) for point in one["points"]]
    if len(points) > 2 * MAX_POINTS:
        points = [*points[:-1:2], points[-1]]
    newest = [token for one in (*before, event) for token in one["newest"]][-NEWEST:]
    recent = [one for earlier in before for one in earlier["recent"] if one[0] >= event["at"] - RATE_SECONDS]
    return {**event, "points": points, "newest": newest, "recent": [*recent, (event["at"], event["pieces"])]}
