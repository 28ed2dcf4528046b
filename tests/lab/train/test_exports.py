"""Each file of a trained vocabulary is written once, and everything that offers it has the same bytes."""

import sys
from collections import Counter
from contextlib import contextmanager

from tokenarium.files.trained import minbpe_model, ranks, sentencepiece_model, tokenizer_json
from tokenarium.jobs.events import EventLog, EventReader
from tokenarium.jobs.job import Job
from tokenarium.lab.train.corpora import TrainingSpec
from tokenarium.lab.train.exports import CARD
from tokenarium.lab.train.job_process import run_training
from tokenarium.lab.train.options import TrainingOptions
from tokenarium.lab.train.saving import file, job_file, save_job
from tokenarium.registry import Registry

from tests.support.corpora import SHAN
from tests.support.shelves import settings

WRITERS = {write.__code__: write.__name__ for write in (tokenizer_json, sentencepiece_model, ranks, minbpe_model)}
ONCE = {"tokenizer_json": 1, "sentencepiece_model": 1, "ranks": 1, "minbpe_model": 1}


@contextmanager
def counted_calls():
    """How often each writer is called, by name, as long as this lasts."""
    calls = Counter()

    def count(frame, event, arg):
        if event == "call" and frame.f_code in WRITERS:
            calls[WRITERS[frame.f_code]] += 1

    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)


def test_each_writer_runs_once_for_a_training_that_is_kept_downloaded_and_kept_again(tmp_path):
    chosen = settings(tmp_path)
    folder = tmp_path / "job"
    folder.mkdir()
    job = Job("x" * 22, EventReader(folder))
    options = TrainingOptions(size=300)
    spec = TrainingSpec(texts=(SHAN,), options=options, name="First", corpus="Shan", settings=chosen)
    with counted_calls() as calls:
        run_training(spec, folder, EventLog(folder))
        names = ("tokenizer.json", "ranks.tiktoken", "minbpe.model")
        downloads = {name: job_file(job, name).read_bytes() for name in names}
        card = job_file(job, CARD)
        second = save_job("Second", chosen, job)
    assert calls == ONCE
    registry = Registry(chosen)
    first, again = registry.list_trained()
    assert (first.title, again.title, again.id) == ("First", "Second", second)
    for name in names:
        assert file(registry, first.id, name) == file(registry, again.id, name) == downloads[name]
    assert b"size" in card
