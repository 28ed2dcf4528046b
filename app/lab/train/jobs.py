"""Jobs: trainings that go on in processes of their own, each with a folder that any server over this store can read.

That a job is running is told by its lock, which its process was born with and loses with its life. A log without a
last event whose lock is free is that of a job that was interrupted: by kill -9, or with the server that began it.
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

from app.errors import Invalid, NoSpace, Overloaded, UnknownJob
from app.lab.train.log import EVENTS, LEARNED, LOCK, Log, free, locked, read
from app.lab.train.order import Order
from app.settings import ROOT, Settings
from app.types import Learned

State = Literal["running", "finished", "failed", "cancelled", "interrupted"]
ID = re.compile(r"[A-Za-z0-9_-]{22}")
HELD = 3600
"""Seconds that a job can be looked at after its end."""
PATIENCE = 5.0
"""Seconds that a killed process may take to be gone."""


@dataclass(frozen=True, slots=True)
class Job:
    """One training, by its folder."""

    id: str
    folder: Path

    def events(self, after: int = 0) -> tuple[list[dict[str, Any]], int]:
        """What it has told behind a byte of its log, and the byte behind that."""
        return read(self.folder, after)

    @property
    def running(self) -> bool:
        return not free(self.folder / LOCK)

    def state(self) -> State:
        """How it stands. The lock is looked at first: what is told last is told before it is free."""
        running = self.running
        return state_of(self.events()[0], running=running)

    def tell(self, event: Mapping[str, Any]) -> None:
        """Add an event after its end."""
        log = Log(self.folder)
        try:
            log.write(event)
        finally:
            log.close()

    def learned(self) -> Learned:
        """What it learned. Raises `Invalid` before it has."""
        from app.lab.train.learned import loaded

        if self.state() != "finished":
            raise Invalid("This training has not come to its end; there is nothing to take away.")
        return loaded((self.folder / LEARNED).read_bytes())


def state_of(events: Sequence[Mapping[str, Any]], *, running: bool) -> State:
    """How a job stands that has told this.

    >>> state_of([{"kind": "started"}], running=False)
    'interrupted'
    """
    ends: dict[str, State] = {"finished": "finished", "failed": "failed", "cancelled": "cancelled"}
    told = (ends[event["kind"]] for event in events if event["kind"] in ends)
    return next(told, "running" if running else "interrupted")


class Jobs:
    """The jobs of a store."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = settings.local / ".jobs"

    def start(self, order: Order) -> Job:
        """Begin a training. Raises `Overloaded` where enough are under way, `NoSpace` where it cannot be written."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self.folder / LOCK):
                self.sweep()
                under_way = sum(job.running for job in self.all())
                if under_way >= self.settings.jobs:
                    limit = self.settings.jobs
                    raise Overloaded(f"{under_way} of {limit} trainings are under way; wait for one.", limit=limit)
                job = self._job(secrets.token_urlsafe(16))
                job.folder.mkdir(mode=0o700)
                (job.folder / EVENTS).touch(0o600)
                self._spawn(job, order)
        except OSError:
            raise NoSpace("There is no room for a training.") from None
        return job

    def all(self) -> Iterator[Job]:
        """Every job there is."""
        return (self._job(path.name) for path in self.folder.glob("*/") if ID.fullmatch(path.name))

    def get(self, id: str) -> Job:
        """A job by its id. Raises `UnknownJob`."""
        job = self._job(id)
        if not ID.fullmatch(id) or not job.folder.is_dir():
            raise UnknownJob("It may have ended more than an hour ago.")
        return job

    def cancel(self, id: str) -> Job:
        """End a job, if it has not ended. Raises `UnknownJob`."""
        job = self.get(id)
        if job.running:
            os.killpg(int((job.folder / LOCK).read_text()), signal.SIGKILL)
            _wait(job)
            if job.state() == "interrupted":
                job.tell({"kind": "cancelled"})
        return job

    def sweep(self) -> None:
        """Remove jobs that ended long ago, with all that they told."""
        for job in self.all():
            with suppress(FileNotFoundError):  # removed by another server in between
                if not job.running and time.time() - job.folder.stat().st_mtime > HELD:
                    shutil.rmtree(job.folder, ignore_errors=True)

    def _job(self, id: str) -> Job:
        return Job(id, self.folder / id)

    def _spawn(self, job: Job, order: Order) -> None:
        """Begin the process, which inherits the lock; a thread hands it the order and waits for its end."""
        command = [sys.executable, "-m", "app", "train", "--job", str(job.folder)]
        with _lock(job.folder / LOCK) as lock:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[lock],
                start_new_session=True,
            )
            os.write(lock, str(process.pid).encode())
        Thread(target=_attend, args=(process, order.dumped()), daemon=True).start()


@contextmanager
def _lock(path: Path) -> Iterator[int]:
    """A new lock, which whoever inherits it keeps."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        flock(file, LOCK_EX)
        yield file
    finally:
        os.close(file)


def _attend(process: "subprocess.Popen[bytes]", order: bytes) -> None:
    """Hand over the order, and hold the pipe open as long as the process lives."""
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.write(order)
        process.stdin.flush()
    process.wait()
    with suppress(BrokenPipeError):
        process.stdin.close()


def _wait(job: Job) -> None:
    until = time.monotonic() + PATIENCE
    while job.running and time.monotonic() < until:
        time.sleep(0.01)
