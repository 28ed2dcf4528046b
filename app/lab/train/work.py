"""The work of a job, in a process of its own: an order on standard input, events and the result in the job's folder.

The process ends with the server, whose end of standard input closes; and at its limits of memory and time.
"""

import os
import resource
from pathlib import Path
from threading import Thread, Timer
from typing import Any, BinaryIO

from app.errors import NoSpace, OverLimit, TokenariumError
from app.lab.train.finished import ending, keep_as, save
from app.lab.train.log import LEARNED, Log
from app.lab.train.order import Order
from app.lab.train.training import Trained, baseline_of, train
from app.settings import Settings


def work(folder: Path, stream: BinaryIO) -> None:
    """Do what is ordered; whatever comes of it is told in the log."""
    log = Log(folder)
    order = Order.read(stream)
    _limit(order.settings, log)
    Thread(target=_end_with, args=(stream,), daemon=True).start()
    try:
        _train(order, folder, log)
    except TokenariumError as error:
        log.write(failed(error))
    except MemoryError:
        limit = order.settings.job_memory
        log.write(failed(OverLimit(f"This takes more than {limit:,} bytes of memory.", limit=limit)))
    except OSError:
        for name in (LEARNED, f"{LEARNED}.part"):
            (folder / name).unlink(missing_ok=True)
        log.write(failed(NoSpace("The disk is full; nothing was kept.")))


def _train(order: Order, folder: Path, log: Log) -> None:
    for told in train(order.texts, order.options, about=order.corpus, baseline=baseline_of(order.settings)):
        if isinstance(told, Trained):
            save(told, folder)
            kept = keep_as(order.name, order.settings, told) if order.name and order.settings.keep else None
            log.write(ending(told, kept))
        else:
            log.write(told)


def failed(error: TokenariumError) -> dict[str, Any]:
    """The last event of a job that did not come to its end."""
    told = {"kind": "failed", "status": error.status, "code": error.code, "title": error.title, "detail": error.detail}
    return told | {name: value for name in ("pointer", "limit") if (value := getattr(error, name)) is not None}


def _end_with(stream: BinaryIO) -> None:
    """End as soon as nobody holds the other end any more."""
    stream.read(1)
    os._exit(1)


def _limit(settings: Settings, log: Log) -> None:
    os.nice(5)
    resource.setrlimit(resource.RLIMIT_AS, (settings.job_memory, settings.job_memory))
    processor = settings.job_seconds * (os.cpu_count() or 1) + 10
    resource.setrlimit(resource.RLIMIT_CPU, (processor, processor))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    timer = Timer(settings.job_seconds, _over_time, args=(settings.job_seconds, log))
    timer.daemon = True
    timer.start()


def _over_time(seconds: int, log: Log) -> None:
    log.write(failed(OverLimit(f"This takes more than {seconds:,} seconds.", limit=seconds)))
    os._exit(1)
