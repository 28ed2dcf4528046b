"""Follow a job: what it tells, as it tells it, to as many as want to know, whichever server they ask."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import anyio

from app.lab.train.jobs import Job, State, state_of

EVERY = 0.1
"""Seconds between two looks at a log."""
PATIENT = 10.0
"""Seconds without anything new after which that is told."""


@dataclass(frozen=True, slots=True)
class Told:
    """Events, the byte of the log behind them, and how the job stands."""

    events: list[dict[str, Any]]
    end: int
    state: State


async def followed(job: Job, after: int = 0, *, every: float = EVERY) -> AsyncIterator[Told]:
    """What a job has told behind a byte of its log, then whatever it tells, until it has ended or its process has."""
    seen: list[dict[str, Any]] = []
    first, waited = True, 0.0
    while True:
        running = job.running
        events, after = job.events(after)
        seen = [event for event in (*seen, *events) if event["kind"] != "learning"]
        state = state_of(seen, running=running)
        if events or first or state != "running" or waited >= PATIENT:
            yield Told(events, after, state)
            waited = 0.0
        if state != "running":
            return
        first = False
        waited += every
        await anyio.sleep(every)
