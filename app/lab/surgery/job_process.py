"""The process of a job of surgery: it reads its spec on standard input, and writes events and the result to its folder.

As the process of a training, it ends when the server closes standard input, and at its limits of memory and time.
"""

import shutil
from dataclasses import asdict
from pathlib import Path
from threading import Thread
from typing import BinaryIO

from ...errors import NoSpace, OverLimit, TokenariumError
from ...registry import Registry
from ..train.atomic_store import write_folder
from ..train.events import RESULT, EventLog
from ..train.job_process import PART, exit_with, failed, limit
from .jobs import SurgerySpec
from .keeping import keep
from .operation import operate


def run(folder: Path, stream: BinaryIO) -> None:
    """Operate as the spec on the stream says. Any error becomes the last event, and nothing is kept."""
    log = EventLog(folder)
    spec = SurgerySpec.read(stream)
    limit(spec.settings, log)
    Thread(target=exit_with, args=(stream,), daemon=True).start()
    try:
        _operate(spec, folder, log)
    except TokenariumError as error:
        log.write(failed(error))
    except MemoryError:
        memory = spec.settings.job_memory
        log.write(failed(OverLimit(f"This takes more than {memory:,} bytes of memory.", limit=memory)))
    except OSError:
        for name in (RESULT, PART):
            shutil.rmtree(folder / name, ignore_errors=True)
        log.write(failed(NoSpace("The disk is full; nothing was saved.")))


def _operate(spec: SurgerySpec, folder: Path, log: EventLog) -> None:
    """Operate, write the result, keep it if it has a name, and log each event."""
    record = Registry(spec.settings).record(spec.tokenizer)
    started = {"tokenizer": spec.tokenizer, "title": record.info.title, "name": spec.name, "corpus": spec.corpus}
    log.write({"kind": "started", **started, "options": asdict(spec.options)})
    operated = operate(record, spec.texts, spec.options, corpus_name=spec.corpus, report=log.write)
    write_folder(folder / PART, operated.files)
    kept = keep(spec.settings, record, operated, spec.name) if spec.name else None
    (folder / PART).rename(folder / RESULT)  # the result is there whole or not at all
    sizes = {name: len(data) for name, data in operated.files.items()}
    log.write({"kind": "finished", "report": operated.report, "kept": kept, "files": sizes})
