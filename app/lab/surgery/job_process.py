"""The process of a job of surgery: it reads its spec on standard input, and writes events and the result to its folder.

As the process of a training, it ends when the server closes standard input, and at its limits of memory and time.
"""

from pathlib import Path

from ...atomic_files import write_folder
from ...files.archives import zip_files
from ...jobs.events import RESULT, EventLog
from ...registry import Registry
from .jobs import ARCHIVE, SurgerySpec
from .operation import operate
from .versions import save_tokenizer


def run_surgery(spec: SurgerySpec, folder: Path, log: EventLog) -> None:
    """Operate, write the result, keep it if it has a name, and log each event."""
    record = Registry(spec.settings).record(spec.tokenizer)
    started = {"tokenizer": spec.tokenizer, "title": record.info.title, "name": spec.name, "corpus": spec.corpus}
    log.write({"kind": "started", **started, "options": spec.options.model_dump()})
    operated = operate(record, spec.texts, spec.options, corpus_name=spec.corpus, report=log.write)
    write_folder(folder / RESULT, {**operated.files, ARCHIVE: zip_files(operated.files)})
    kept = save_tokenizer(spec.settings, record, operated, spec.name, owner=spec.owner) if spec.name else None
    sizes = {name: len(data) for name, data in operated.files.items()}
    log.write({"kind": "finished", "report": operated.report, "kept": kept, "files": sizes})
