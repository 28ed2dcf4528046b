"""The process of a training job: reads its spec on standard input, writes events and the result to the job's folder."""

from pathlib import Path
from typing import Any

from ...jobs.events import RESULT, EventLog
from .corpora import TrainingSpec
from .saving import save_trained, write_result
from .training import TrainingResult, load_baseline, train


def run_training(spec: TrainingSpec, folder: Path, log: EventLog) -> None:
    """Train, write the result, keep it in the store if it has a name, and log each event."""
    baseline = load_baseline(spec.settings, spec.options.baseline)
    for event in train(spec.texts, spec.options, corpus_name=spec.corpus, baseline=baseline):
        if isinstance(event, TrainingResult):
            write_result(event, folder / RESULT)
            kept = save_trained(spec.name, spec.settings, event) if spec.name and spec.settings.keep else None
            log.write(make_finished_event(event, kept))
        else:
            log.write(event)


def make_finished_event(trained: TrainingResult, saved_id: str | None) -> dict[str, Any]:
    """The last event of a training: its summary, its files with their sizes, and the id it was kept under."""
    sizes = {name: len(data) for name, data in trained.exports.files.items()}
    summary = {"kind": "finished", "summary": trained.summary, "kept": saved_id}
    return {**summary, "files": sizes, "refusals": trained.exports.refusals}
