"""What a job is given, and its process: it reads the spec on standard input, writes events and the result to a folder.

It ends when the server closes standard input, and at its limits of memory and time.
"""

import json
import os
import resource
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Thread, Timer
from typing import Any, BinaryIO, ClassVar, TypeVar

from pydantic import TypeAdapter

from ..errors import OverLimit, TokenariumError, from_disk
from ..memory import offer_to_oom_killer
from ..settings import Settings
from .events import EventLog, remove_results

Read = TypeVar("Read")
Spec = TypeVar("Spec", bound="JobSpec")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """The settings of the server and the texts of a corpus; each kind adds fields of its own, and names its process.

    `owner` is the address of who has started it, if that shares the places with others.
    """

    settings: Settings
    texts: tuple[str, ...] = ()
    owner: str = ""
    process: ClassVar[str]

    def dump(self) -> bytes:
        """A line of JSON, then the texts, whose sizes in bytes are in the line."""
        texts = [text.encode() for text in self.texts]
        head = TypeAdapter(type(self)).dump_python(self, mode="json", exclude={"texts"})
        return b"".join([json.dumps(head | {"texts": [*map(len, texts)]}).encode(), b"\n", *texts])

    @classmethod
    def read(cls: type[Read], stream: BinaryIO) -> Read:
        """Read what `dump` wrote, and nothing behind it: the stream stays open.

        >>> from io import BytesIO
        >>> from ipaddress import ip_network
        >>> spec = JobSpec(settings=Settings(proxies=(ip_network("10.0.0.0/8"),)), texts=("é", "a"))
        >>> JobSpec.read(BytesIO(spec.dump())) == spec
        True
        """
        head = json.loads(stream.readline())
        return TypeAdapter(cls).validate_python(
            head | {"texts": [stream.read(size).decode() for size in head["texts"]]}
        )


def run_job(folder: Path, stream: BinaryIO, kind: type[Spec], work: Callable[[Spec, Path, EventLog], None]) -> None:
    """Read the spec of a job and do its work, within the limits of the settings. Any error becomes the last event.

    The process ends when the server closes the stream, and removes what it has written where it fails.
    """
    log = EventLog(folder)
    spec = kind.read(stream)
    limit(spec.settings, log)
    Thread(target=exit_with, args=(stream,), daemon=True).start()
    failure: TokenariumError
    try:
        work(spec, folder, log)
        return
    except TokenariumError as error:
        failure = error
    except MemoryError:
        memory = spec.settings.job_memory
        failure = OverLimit(f"This takes more than {memory:,} bytes of memory.", limit=memory)
    except OSError as error:
        failure = from_disk(error, "Nothing was saved")
    remove_results(folder)
    log.write(make_failed_event(failure))


def make_failed_event(error: TokenariumError) -> dict[str, Any]:
    """The last event of a job that raised an error."""
    event = {"kind": "failed", "status": error.status, "code": error.code, "title": error.title, "detail": error.detail}
    return event | {name: value for name in ("pointer", "limit") if (value := getattr(error, name)) is not None}


def exit_with(stream: BinaryIO) -> None:
    """Exit as soon as the server closes its end of the stream, or ends itself."""
    # Not by `stream.read`: it holds the stream's lock, for which the interpreter waits a second at its end, and aborts.
    os.read(stream.fileno(), 1)
    os._exit(1)


def limit(settings: Settings, log: EventLog) -> None:
    """Limit the memory and the time of this process, which writes a last event when its time is over."""
    os.nice(5)
    offer_to_oom_killer()
    resource.setrlimit(resource.RLIMIT_AS, (settings.job_memory, settings.job_memory))
    # The timer ends the job with a message; the limit on processor time holds where the timer cannot run.
    processor = settings.job_seconds * (os.cpu_count() or 1) + 10
    resource.setrlimit(resource.RLIMIT_CPU, (processor, processor))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    timer = Timer(settings.job_seconds, _time_out, args=(settings.job_seconds, log))
    timer.daemon = True
    timer.start()


def _time_out(seconds: int, log: EventLog) -> None:
    log.write(make_failed_event(OverLimit(f"This takes more than {seconds:,} seconds.", limit=seconds)))
    os._exit(1)
