"""Follow the events of a training job, from any number of clients and in any server process that shares its log."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import anyio

from ..lab.train.jobs import Job, State, state_of

POLL_SECONDS = 0.1
"""Seconds between two reads of the log."""
KEEPALIVE_SECONDS = 10.0
"""Seconds without an event after which an update without events is sent, which shows a client that left."""


@dataclass(frozen=True, slots=True)
class JobUpdate:
    """New events, the offset of their end in the log in bytes, and the state of the job."""

    events: list[dict[str, Any]]
    end: int
    state: State


async def followed(job: Job, after: int = 0, *, every: float = POLL_SECONDS) -> AsyncIterator[JobUpdate]:
    """Yield the events of a job after an offset in its log, then each new one, until the job or its process ends."""
    history: list[dict[str, Any]] = []
    first, waited = True, 0.0
    while True:
        running = job.running
        events, after = job.events(after)
        history = [event for event in (*history, *events) if event["kind"] != "learning"]  # which are many
        state = state_of(history, running=running)
        if events or first or state != "running" or waited >= KEEPALIVE_SECONDS:
            yield JobUpdate(events, after, state)
            waited = 0.0
        if state != "running":
            return
        first = False
        waited += every
        await anyio.sleep(every)
