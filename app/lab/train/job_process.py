"""The process of a training job: reads its spec on standard input, writes events and the result to the job's folder.

It ends when the server closes standard input, and at its limits of memory and time.
"""

import os
import resource
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Thread, Timer
from typing import Any, BinaryIO, Protocol, TypeVar

from ...errors import NoSpace, OverLimit, TokenariumError
from ...settings import Settings
from .events import RESULT, EventLog
from .jobs import TrainingSpec
from .saving import save_trained, write_result
from .training import TrainingResult, load_baseline, train

PART = f"{RESULT}.part"


class WithSettings(Protocol):
    """A spec that says within which limits its job runs."""

    @property
    def settings(self) -> Settings: ...


JobSpec = TypeVar("JobSpec", bound=WithSettings)


def run(folder: Path, stream: BinaryIO) -> None:
    """Train as the spec on the stream says. Any error becomes the last event."""
    run_job(folder, stream, TrainingSpec.read, run_training)


def run_job(
    folder: Path, stream: BinaryIO, read: Callable[[BinaryIO], JobSpec], work: Callable[[JobSpec, Path, EventLog], None]
) -> None:
    """Read the spec of a job and do its work, within the limits of the settings. Any error becomes the last event.

    The process ends when the server closes the stream, and removes a result that the disk had no room for.
    """
    log = EventLog(folder)
    spec = read(stream)
    limit(spec.settings, log)
    Thread(target=exit_with, args=(stream,), daemon=True).start()
    try:
        work(spec, folder, log)
    except TokenariumError as error:
        log.write(failed_event(error))
    except MemoryError:
        memory = spec.settings.job_memory
        log.write(failed_event(OverLimit(f"This takes more than {memory:,} bytes of memory.", limit=memory)))
    except OSError:
        for name in (RESULT, PART):
            shutil.rmtree(folder / name, ignore_errors=True)
        log.write(failed_event(NoSpace("The disk is full; nothing was saved.")))


def run_training(spec: TrainingSpec, folder: Path, log: EventLog) -> None:
    """Train, write the result, keep it in the store if it has a name, and log each event."""
    baseline = load_baseline(spec.settings, spec.options.baseline)
    for event in train(spec.texts, spec.options, corpus_name=spec.corpus, baseline=baseline):
        if isinstance(event, TrainingResult):
            write_result(event, folder / PART)
            (folder / PART).rename(folder / RESULT)  # the result is there whole or not at all
            kept = save_trained(spec.name, spec.settings, event) if spec.name and spec.settings.keep else None
            log.write(finished_event(event, kept))
        else:
            log.write(event)


def finished_event(trained: TrainingResult, saved_id: str | None) -> dict[str, Any]:
    """The last event of a training: its summary, its files with their sizes, and the id it was kept under."""
    sizes = {name: len(data) for name, data in trained.exports.files.items()}
    summary = {"kind": "finished", "summary": trained.summary, "kept": saved_id}
    return {**summary, "files": sizes, "refusals": trained.exports.refusals}


def failed_event(error: TokenariumError) -> dict[str, Any]:
    """The last event of a training that raised an error."""
    event = {"kind": "failed", "status": error.status, "code": error.code, "title": error.title, "detail": error.detail}
    return event | {name: value for name in ("pointer", "limit") if (value := getattr(error, name)) is not None}


def exit_with(stream: BinaryIO) -> None:
    """Exit as soon as the server closes its end of the stream, or ends itself."""
    stream.read(1)
    os._exit(1)


def limit(settings: Settings, log: EventLog) -> None:
    """Limit the memory and the time of this process, which writes a last event when its time is over."""
    os.nice(5)
    resource.setrlimit(resource.RLIMIT_AS, (settings.job_memory, settings.job_memory))
    # The timer ends the job with a message; the limit on processor time holds where the timer cannot run.
    processor = settings.job_seconds * (os.cpu_count() or 1) + 10
    resource.setrlimit(resource.RLIMIT_CPU, (processor, processor))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    timer = Timer(settings.job_seconds, _time_out, args=(settings.job_seconds, log))
    timer.daemon = True
    timer.start()


def _time_out(seconds: int, log: EventLog) -> None:
    log.write(failed_event(OverLimit(f"This takes more than {seconds:,} seconds.", limit=seconds)))
    os._exit(1)
