"""Follow jobs: one task reads the log of a job, and any number of viewers share what it has read and rendered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Hashable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from .events import State
from .job import Job

READ_SECONDS = 0.3
"""Seconds between two reads of a log; to wake many viewers in between takes longer."""
KEEPALIVE_SECONDS = 10.0
"""Seconds without an event after which viewers get an update without one."""
BATCH = 8
BATCH_SECONDS = 0.005
"""Viewers that are woken at once, and seconds until the next are: other requests are answered in between."""
Shared = TypeVar("Shared")


@dataclass(frozen=True, slots=True)
class JobUpdate:
    """The state of a job and a summary of its events, which ends at an offset of the log.

    `fresh` are the events behind the offset `begin`, where the update before ended. `shared` is what viewers share.
    """

    state: State
    events: Sequence[Mapping[str, Any]]
    end: int
    fresh: Sequence[Mapping[str, Any]]
    begin: int
    shared: dict[Hashable, Any] = field(default_factory=dict)

    def share(self, key: Hashable, make: Callable[[], Shared]) -> Shared:
        """Return the result of `make`, which is called for the first viewer only."""
        if key not in self.shared:
            self.shared[key] = make()
        value: Shared = self.shared[key]
        return value


class JobFeed:
    """The latest update of a job for its viewers: one that joins later or is slow misses those before it.

    The log is read while there is a viewer, until the job ends.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.viewers: set[asyncio.Event] = set()
        self._latest: JobUpdate | None = None
        self._task: asyncio.Task[None] | None = None

    async def updates(self) -> AsyncGenerator[JobUpdate, None]:
        """Yield the latest update, then each that is the latest when the viewer is ready for it."""
        wake = asyncio.Event()
        shown = None
        self.viewers.add(wake)
        try:
            if self._task is None:
                self._task = asyncio.create_task(self._read())
            if self._latest is not None:
                wake.set()
            while shown is None or shown.state == "running":
                await wake.wait()
                wake.clear()
                if self._latest is None or self._latest is shown:
                    return  # reading has failed
                shown = self._latest
                yield shown
        finally:
            self.viewers.discard(wake)
            if not self.viewers and self._task is not None:
                self._task.cancel()

    async def _read(self) -> None:
        """Read the log again and again, and wake the viewers at each change, until the job ends."""
        clock = asyncio.get_running_loop().time
        waited = 0.0
        try:
            while self._latest is None or self._latest.state == "running":
                begun = clock()
                update = await asyncio.to_thread(self._next)
                if update.fresh or self._latest is None or update.state != "running" or waited >= KEEPALIVE_SECONDS:
                    self._latest = update
                    waited = 0.0
                    await self._wake()
                await asyncio.sleep(READ_SECONDS)
                waited += clock() - begun
        finally:
            for viewer in self.viewers:
                viewer.set()

    def _next(self) -> JobUpdate:
        state, events, end = self.job.read()
        begin = self._latest.end if self._latest else end
        fresh = self.job.log.since(begin)
        return (
            JobUpdate(state, events, end, events, -1) if fresh is None else JobUpdate(state, events, end, fresh, begin)
        )

    async def _wake(self) -> None:
        viewers = [*self.viewers]
        for start in range(0, len(viewers), BATCH):
            for viewer in viewers[start : start + BATCH]:
                viewer.set()
            await asyncio.sleep(BATCH_SECONDS)


class JobFeeds:
    """The feeds of the jobs that are watched, of any kind."""

    def __init__(self) -> None:
        self._feeds: dict[Path, JobFeed] = {}

    async def follow(self, job: Job) -> AsyncGenerator[JobUpdate, None]:
        """Yield the latest update of a job, then each later one that the viewer is ready for, until the job ends."""
        feed = self._feeds.setdefault(job.folder, JobFeed(job))
        try:
            async with aclosing(feed.updates()) as updates:
                async for update in updates:
                    yield update
        finally:
            if not feed.viewers:
                self._feeds.pop(job.folder, None)
