"""The stored byte model: what the course reads of it equals it, and a damaged or missing file is refused."""

import shutil

import numpy as np
import pytest
from tokenarium.errors import BadFile
from tokenarium.lab.beyond.byte_model import WEIGHT, Figures, StoredCounts, load, load_figures, save
from tokenarium.scratch.byte_entropy import iter_predictions
from tokenarium.scratch.fast.byte_entropy import ByteModel, count
from tokenarium.settings import Settings

STORE = Settings().store


def test_the_teaching_file_predicts_the_same_from_the_stored_counts():
    text, model = "freedom, свобода, 自由 🕊".encode(), load(STORE)
    steps = iter_predictions(text, StoredCounts(model), weight=model.weight)
    np.testing.assert_allclose(model.entropies(text), [step.entropy for step in steps], rtol=1e-9)


def test_the_view_of_the_counts_is_a_mapping():
    counts = StoredCounts(ByteModel(count([b"abab"], [1, 1, 1])))
    assert dict(counts) == {b"": {97: 2, 98: 2}, b"a": {98: 2}, b"b": {97: 1}, b"ab": {97: 1}, b"ba": {98: 1}}
    assert (len(counts), counts.get(b"zz"), b"aa" in counts) == (5, None, False)


def test_a_model_is_saved_and_read_and_a_damaged_one_is_refused(tmp_path):
    with pytest.raises(BadFile, match="train-bytes"):
        load(tmp_path)
    shutil.copytree(STORE / "udhr", tmp_path / "udhr")
    model = ByteModel(count([b"to be or not to be"], [1, 1, 2]), weight=WEIGHT)
    measured = [Figures("a", "A", "Latin", 1, 2.0, 3.0, 4.0, 5.0, 6.0)]
    assert save(tmp_path, model, measured) == sum(file.stat().st_size for file in (tmp_path / "byte-model").iterdir())
    text = b"not to be seen"
    np.testing.assert_array_equal(load(tmp_path).entropies(text), model.entropies(text))
    assert load_figures(tmp_path) == (*measured,)
    load.cache_clear()
    about = tmp_path / "byte-model" / "model.toml"
    about.write_text(about.read_text().replace('sha256 = "', 'sha256 = "0'))
    with pytest.raises(BadFile, match="damaged"):
        load(tmp_path)
