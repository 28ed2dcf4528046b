"""An engine of others is compared as it is installed: here one that is written for the test, with two faults."""

import json

import pytest
from tokenarium.errors import Unavailable
from tokenarium.lab.other_engines import compare_engine

ENGINE = """
from tests.conftest import REGISTRY

class Encoding:
    def encode_ordinary(self, text):
        if "(" in text:
            raise ValueError("no parentheses")
        return REGISTRY.get("cl100k_base").ids(text.replace("q", "Q"))

def get_encoding(name):
    return Encoding()
"""


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """The package bpe-openai in a folder where Python finds it."""
    (tmp_path / "bpe_openai.py").write_text(ENGINE)
    (tmp_path / "bpe_openai-9.0.dist-info").mkdir()
    (tmp_path / "bpe_openai-9.0.dist-info" / "METADATA").write_text("Name: bpe-openai\nVersion: 9.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    return "bpe-openai"


def test_differing_and_failing_texts_are_counted_and_the_smallest_is_found(engine, registry):
    row = compare_engine(registry, "cl100k_base", engine, n=500)
    assert (row.engine, row.reference, row.count, row.smallest) == ("bpe-openai 9.0", "tiktoken", 500, "q")
    assert row.mismatches > 0
    assert row.failures > 0
    assert row.speed > 0


def test_a_vocabulary_that_the_engine_lacks_is_a_sentence(engine, registry):
    with pytest.raises(Unavailable) as refused:
        compare_engine(registry, "gpt2", engine, n=1)
    assert refused.value.detail == "bpe-openai cannot read gpt2: it contains cl100k_base, o200k_base."


def test_the_command_prints_a_line_and_says_what_is_missing(engine, said):
    status, out, _ = said("conformance", "cl100k_base", "--engine", engine, "--n", "300", "--json")
    assert (status, json.loads(out)["smallest"]) == (1, "q")
    status, out, _ = said("conformance", "cl100k_base", "--engine", engine, "--n", "300")
    assert (status, out.splitlines()[1]) == (1, "    the smallest: 'q'")
    status, out, err = said("conformance", "gpt2", "--engine", "kitoken")
    assert (status, out) == (1, "")
    assert "kitoken is not installed; pip install kitoken brings it." in err
    assert said("conformance", "gpt2", "--engine", "kitoken", "--record")[0] == 1
