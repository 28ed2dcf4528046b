"""What a job is given is the same on both sides of its standard input."""

from io import BytesIO
from pathlib import Path

import pytest
from tokenarium.lab.surgery.jobs import SurgerySpec
from tokenarium.lab.surgery.options import SurgeryOptions
from tokenarium.lab.tokenizers.fetch_process import FetchSpec
from tokenarium.lab.train.corpora import TrainingSpec
from tokenarium.lab.train.options import TrainingOptions
from tokenarium.lab.vocabulary.analysis_process import AnalysisSpec
from tokenarium.settings import Settings

SETTINGS = Settings(local=Path("elsewhere"), catalogue=Path("a/list.toml"), hub=("http://a", "http://b"))
SPECS = (
    TrainingSpec(settings=SETTINGS, texts=("é\n", "", "a"), options=TrainingOptions(size=300), name="mine"),
    SurgerySpec(
        settings=SETTINGS,
        tokenizer="gpt2",
        texts=("é", "a"),
        options=SurgeryOptions(multiple=8, scripts=["Latin", "Greek"]),
        corpus="two letters",
        owner="::",
    ),
    FetchSpec(settings=SETTINGS, name="llama-3"),
    AnalysisSpec(settings=SETTINGS, id="gpt2"),
)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.process)
def test_a_spec_is_read_as_it_was_written_and_nothing_behind_it(spec):
    stream = BytesIO(spec.dump() + b"rest")
    assert type(spec).read(stream) == spec
    assert stream.read() == b"rest"
