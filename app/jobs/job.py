"""Jobs: each a process of its own with a folder that every server over the same store can read.

A job runs until its last event: what its process still does then, to end, counts for nobody. The process holds the lock
in its folder, which it inherits at its start. If the lock is free and the events have no last one, the job was
interrupted: killed, or ended with the server that started it.
"""

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fcntl import LOCK_EX, flock
from pathlib import Path
from threading import Thread
from typing import Any, Literal

from ..atomic_files import hash_owner
from ..errors import NotFinished, Overloaded, UnknownJob, from_disk
from ..machine import read_clock
from ..settings import PACKAGE, Settings
from .atomic_store import OWNER, SHARE, hold_lock, list_folders, make_room, read_owner
from .events import (
    EVENTS,
    LOCK,
    RESULT,
    EventLog,
    EventReader,
    JobProgress,
    Merge,
    State,
    is_free,
    latest,
    remove_results,
)
from .process import JobSpec

ID = re.compile(r"[A-Za-z0-9_-]{22}")
KEEP_SECONDS = 3600
"""How long a job can be looked at after its end."""
MAX_LOGS = 64
"""Jobs whose log is kept in memory as a summary."""
KILL_TIMEOUT = 5.0
"""Seconds to wait for a killed process to be gone."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job, by the log in its folder."""

    id: str
    log: EventReader

    @property
    def folder(self) -> Path:
        return self.log.folder

    def events(self) -> Sequence[Mapping[str, Any]]:
        """The events, of which an `EventReader` keeps a summary."""
        return self.log.read()[0]

    @property
    def running(self) -> bool:
        return self.state() == "running"

    def read(self) -> tuple[State, Sequence[Mapping[str, Any]], int]:
        """The state of the job, its events, and the offset behind them in bytes."""
        # The lock first: a process writes its last event before the lock is free, so none can be missed.
        ended: State = "interrupted" if is_free(self.folder / LOCK) else "running"
        events, end = self.log.read()
        return JobProgress.from_events(events).end or ended, events, end

    def state(self) -> State:
        """The state of the job."""
        return self.read()[0]

    def expect_seconds(self, limit: int) -> int:
        """Return the seconds until a running job may have ended: as many as it has run, or those left of its limit."""
        ran = round(time.time() - (self.folder / LOCK).stat().st_mtime)
        return max(1, min(ran, limit - ran))

    def append(self, event: Mapping[str, Any]) -> None:
        """Add an event after the job has ended."""
        log = EventLog(self.folder)
        try:
            log.write(event)
        finally:
            log.close()

    def end(self, kind: Literal["cancelled", "interrupted"]) -> None:
        """Note how a job ended whose process was killed, and remove what it has not finished."""
        self.append({"kind": kind})
        remove_results(self.folder)

    def result(self) -> Path:
        """The folder with what it made. Raises `NotFinished` before the job has finished."""
        if self.state() != "finished":
            raise NotFinished("There is nothing to download yet.")
        return self.folder / RESULT


class Jobs:
    """The jobs of a kind, in a folder of the store; `what` are they for people, and at most `limit` run at once."""

    def __init__(
        self,
        settings: Settings,
        folder: str = ".jobs",
        *,
        what: str = "trainings",
        limit: int | None = None,
        merge: Merge = latest,
    ) -> None:
        self.settings = settings
        self.folder = settings.local / folder
        self.what = what
        self.limit = settings.jobs if limit is None else limit
        self.merge = merge
        self._logs: dict[str, EventReader] = {}

    def start(self, spec: JobSpec) -> Job:
        """Start a job. Results of those that have ended give way to it, as `make_room` says.

        Raises `Overloaded` where enough are running, in all or of this owner, and what `from_disk` returns.
        """
        try:
            # Several servers may share the folder: only one at a time counts the running jobs and adds to them.
            with hold_lock(self.folder):
                self.sweep()
                mark = hash_owner(self.folder, spec.owner)
                self._check_places(mark)
                job = self._job(secrets.token_urlsafe(16))
                job.folder.mkdir(mode=0o700)
                if mark:
                    (job.folder / OWNER).write_text(mark)
                (job.folder / EVENTS).touch(0o600)
                self._spawn(job, spec)
        except OSError as error:
            raise from_disk(error, f"No {self.what} can be started") from None
        return job

    def _check_places(self, owner: str) -> None:
        """Remove results above the quota, and raise `Overloaded` where no place is free, or none for this owner."""
        running: list[Job] = []
        ended: list[Job] = []
        for job in self.all():
            (running if job.running else ended).append(job)
        make_room(self.folder, list_folders(job.folder for job in ended), 0, self.settings.quota, owner)
        own = [job for job in running if owner and read_owner(job.folder) == owner]
        for jobs, limit, whose in ((running, self.limit, ""), (own, -(-self.limit // SHARE), " from this address")):
            if len(jobs) >= limit:
                detail = f"{len(jobs)} of {limit} {self.what}{whose} are running; wait for one to end."
                seconds = min((job.expect_seconds(self.settings.job_seconds) for job in jobs), default=1)
                raise Overloaded(detail, limit=limit, retry_after=seconds)

    def all(self) -> Iterator[Job]:
        """Every job that is not yet swept."""
        return (self._job(path.name) for path in self.folder.glob("*/") if ID.fullmatch(path.name))

    def get(self, id: str) -> Job:
        """A job by its id. Raises `UnknownJob`."""
        if not ID.fullmatch(id) or not (self.folder / id).is_dir():
            raise UnknownJob(f"None of the {self.what} has this id; each is kept for an hour after its end.")
        job = self._job(id)
        self._logs.pop(id, None)
        self._logs[id] = job.log  # the one used last is at the end
        if len(self._logs) > MAX_LOGS:
            self._logs = dict([*self._logs.items()][-MAX_LOGS // 2 :])
        return job

    def cancel(self, id: str) -> Job:
        """End a job, if it has not ended. Raises `UnknownJob`."""
        job = self.get(id)
        if job.running:
            os.killpg(int((job.folder / LOCK).read_text()), signal.SIGKILL)
            _wait_for(job)
            if job.state() == "interrupted":
                job.end("cancelled")
        return job

    def sweep(self) -> None:
        """Remove the folders of jobs that ended long ago."""
        for job in self.all():
            with suppress(FileNotFoundError):  # another server removed it meanwhile
                if not job.running and read_clock() - job.folder.stat().st_mtime > KEEP_SECONDS:
                    shutil.rmtree(job.folder, ignore_errors=True)
        self._logs = {id: log for id, log in [*self._logs.items()] if log.folder.is_dir()}

    def _job(self, id: str) -> Job:
        return Job(id, self._logs.get(id) or EventReader(self.folder / id, self.merge))

    def _spawn(self, job: Job, spec: JobSpec) -> None:
        """Start the process, which inherits the lock; a thread sends it the spec and waits for its end."""
        command = [sys.executable, "-m", __package__.partition(".")[0], "job", spec.process, str(job.folder)]
        with _inheritable_lock(job.folder / LOCK) as lock:
            process = subprocess.Popen(
                command,
                cwd=PACKAGE.parent,  # where `-m` finds the package, also where it is not installed
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[lock],
                start_new_session=True,
            )
            os.write(lock, str(process.pid).encode())
        Thread(target=_attend, args=(process, spec.dump(), job), daemon=True).start()


@contextmanager
def _inheritable_lock(path: Path) -> Iterator[int]:
    """A new lock file, held; a process that inherits the descriptor goes on holding it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        flock(file, LOCK_EX)
        yield file
    finally:
        os.close(file)


def _attend(process: "subprocess.Popen[bytes]", spec: bytes, job: Job) -> None:
    """Send the spec, and hold the pipe open as long as the process lives: its end tells the process to end, too.

    If it dies by a signal without a last event, this is noted in the log.
    """
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.write(spec)
        process.stdin.flush()
    if process.wait() < 0 and job.state() == "interrupted":
        with suppress(OSError):  # the folder was removed, or there is no room
            job.end("interrupted")
    with suppress(BrokenPipeError):
        process.stdin.close()


def _wait_for(job: Job) -> None:
    deadline = time.monotonic() + KILL_TIMEOUT
    while job.running and time.monotonic() < deadline:
        time.sleep(0.01)
