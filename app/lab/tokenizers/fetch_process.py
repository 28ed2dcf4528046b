"""The process of a fetch that a page or a program started: it reports events and ends when the server ends it.

It is a job as a training is one, with a folder, a log and limits; other than a worker, it has the network.
"""

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ...jobs.events import EventLog, JobProgress
from ...jobs.process import JobSpec
from .fetching import fetch

DOWNLOAD = "download"
"""In the folder of a fetch: what it has downloaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSpec(JobSpec):
    """What a fetch is given: the name of a vocabulary."""

    name: str
    process: ClassVar[str] = "fetch"


def run_fetch(spec: FetchSpec, folder: Path, log: EventLog) -> None:
    """Fetch what the spec says, and log each event."""
    try:
        log.write({"kind": "started", "name": spec.name})
        download = folder / DOWNLOAD
        download.mkdir()
        added = fetch(spec.settings, spec.name, download, log.write)
        notes = [finding.detail for finding in added.findings]
        log.write({"kind": "finished", "id": added.info.id, "title": added.info.title, "notes": notes})
    finally:
        shutil.rmtree(folder / DOWNLOAD, ignore_errors=True)


def summarize_fetch(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the state of a fetch as plain data: the name, what it does, the share that was read, id or problem.

    >>> summarize_fetch([{"kind": "started", "name": "x"}, {"kind": "downloading", "read": 1, "of": 4}])["share"]
    0.25
    """
    progress = JobProgress.from_events(events)
    ids = {"name": progress.started.get("name", ""), "tokenizer": progress.result.get("id")}
    return {**ids, **progress.serialize()}
