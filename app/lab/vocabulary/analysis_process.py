"""The process of an analysis that a page or a program started: a job as a training is one, with progress and limits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from ...errors import UnknownJob
from ...jobs.events import EventLog, JobProgress, Throttle
from ...jobs.job import Job, Jobs
from ...jobs.process import JobSpec
from ...memory import without_collection
from ...registry import Registry
from ...store import Record
from .analysing import AnalysisProgress, analyse
from .analysis import hash_record, save_analysis

KEY = "of"
"""In the folder of a job: what it analyses, as `hash_record` says it."""
_starting = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisSpec(JobSpec):
    """What an analysis is given: the id of a tokenizer."""

    id: str
    process: ClassVar[str] = "analysis"


def job_for(jobs: Jobs, record: Record, owner: str) -> Job:
    """Return the job that analyses a tokenizer: one that runs, has failed or died, or a new one of this owner.

    Raises `Overloaded` where enough are running, in all or of the owner, and what `from_disk` returns.
    """
    with _starting:
        # One that has failed or died would again.
        known = next((job for job in _jobs_for(jobs, record) if job.running or _has_failed(job)), None)
        if known is None:
            known = jobs.start(AnalysisSpec(id=record.info.id, settings=jobs.settings, owner=owner))
            (known.folder / KEY).write_text(hash_record(record))
        return known


def _has_failed(job: Job) -> bool:
    return any(event["kind"] in ("failed", "interrupted") for event in job.events())


def forget_failed(jobs: Jobs, record: Record) -> None:
    """Have the next call of `job_for` start anew after a failure."""
    for job in _jobs_for(jobs, record):
        if not job.running:
            (job.folder / KEY).unlink(missing_ok=True)


def _jobs_for(jobs: Jobs, record: Record) -> Iterator[Job]:
    key = hash_record(record)
    for job in jobs.all():
        try:
            if (job.folder / KEY).read_text() == key:
                yield jobs.get(job.id)
        except (OSError, UnknownJob):  # it has just been started, or removed
            continue


def run_analysis(spec: AnalysisSpec, folder: Path, log: EventLog) -> None:
    """Analyse as the spec says, keep the result, and log each event."""
    log.write({"kind": "started", "id": spec.id})
    registry = Registry(spec.settings)
    throttle = Throttle()
    record = registry.record(spec.id)
    with without_collection():
        for step in analyse(record, registry.get(spec.id)):
            if not isinstance(step, AnalysisProgress):
                save_analysis(spec.settings, record, step)
                log.write({"kind": "finished", "id": spec.id})
            elif throttle.is_due():
                log.write({"kind": "doing", "what": step.doing, "share": round(step.share, 3)})


def summarize_analysis(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the state of an analysis as plain data: what it does, the share that is done, the problem.

    >>> doing = {"kind": "doing", "what": "Counting", "share": 0.95}
    >>> summarize_analysis([{"kind": "started", "id": "gpt2"}, doing])["share"]
    0.95
    """
    progress = JobProgress.from_events(events)
    if progress.end == "interrupted":
        detail = "Its process was ended from outside, or for lack of memory."
        title = "The analysis was interrupted"
        progress.problem = {"status": 500, "code": "interrupted", "title": title, "detail": detail}
    progress.share = progress.share or 0.0
    return progress.serialize()
