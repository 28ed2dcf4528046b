"""The process of a training job: reads its spec on standard input, writes events and the result to the job's folder."""

from pathlib import Path

from ...atomic_files import write_folder
from ...jobs.events import RESULT, EventLog
from .corpora import TrainingSpec
from .metadata import dump_learned
from .saving import LEARNED, save_trained
from .training import TrainingResult, load_baseline, train


def run_training(spec: TrainingSpec, folder: Path, log: EventLog) -> None:
    """Train, write the result, keep it in the store if it has a name, and log each event."""
    baseline = load_baseline(spec.settings, spec.options.baseline)
    for event in train(spec.texts, spec.options, corpus_name=spec.corpus, baseline=baseline):
        if isinstance(event, TrainingResult):
            files = event.exports.files
            write_folder(folder / RESULT, {LEARNED: dump_learned(event.learned), **files})
            kept = save_trained(spec.name, spec.settings, event) if spec.name and spec.settings.keep else None
            finished = {"kind": "finished", "summary": event.summary, "kept": kept}
            sizes = {name: len(data) for name, data in files.items()}
            log.write({**finished, "files": sizes, "refusals": event.exports.refusals})
        else:
            log.write(event)
