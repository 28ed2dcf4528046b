"""Two engines with one vocabulary segment every text alike; if they do not, the stage is named."""

from itertools import islice
from shutil import copytree

import pytest
from tokenarium.__main__ import main
from tokenarium.errors import EngineFailed
from tokenarium.files.from_scratch import encode_rows
from tokenarium.lab.conformance import (
    ConformanceResult,
    comparable,
    compare,
    conformance,
    first_divergence,
    list_unrecorded,
    load_results,
    name_versions,
    save,
    texts,
)
from tokenarium.registry import Registry
from tokenarium.scratch.bytes import byte_values
from tokenarium.settings import STORE, Settings

from tests.conftest import EVERY

PAIRS = ["bert-base-uncased", "gpt2", "mistral-v3"]


def test_every_tokenizer_that_a_library_can_read_has_a_scratch_engine():
    assert [info.id for info in Registry(Settings()).infos() if info.engines[-1] != "scratch"] == []
    infos = Registry(Settings()).infos()
    assert len([info.id for info in infos if len(info.engines) == 2]) == 33
    assert len(EVERY) == len(infos)


def test_texts_are_of_every_kind_and_the_same_for_the_same_seed():
    drawn = [*islice(texts(seed=3, pieces=["▁the", "##ing"], specials=["[CLS]"]), 3000)]
    assert drawn == [*islice(texts(seed=3, pieces=["▁the", "##ing"], specials=["[CLS]"]), 3000)]
    joined = "".join(drawn)
    assert {ord(char) >> 16 for char in joined} == set(range(17))
    for expected in ("[CLS]", " the", "ing", "\u0378", " " * 33, "\r\n", "THE", "return", "\0"):
        assert expected in joined
    assert max(map(len, drawn)) > 2000


class Fake:
    """An engine that gives a token a byte, with a change before it, and shows the stages that are passed."""

    engine = "tiktoken"

    def __init__(self, info, stages, *, change=lambda text: text, shift=0):
        self.info, self.stages, self.change, self.shift = info, lambda text: stages, change, shift

    def encode(self, text, *, special="text"):
        if text == "fail":
            raise EngineFailed("gave up")
        rows = byte_values(self.change(text))
        return encode_rows(((id, start + self.shift, end + self.shift) for id, start, end in rows), f"{text} ")


@pytest.mark.parametrize(
    ("ours", "theirs", "change", "shift", "stage"),
    [
        ({"normalize": ["ab"]}, {"normalize": ["AB"]}, str.upper, 0, "normalize"),
        (
            {"normalize": ["ab"], "pre-tokenize": ["a", "b"]},
            {"normalize": ["ab"], "pre-tokenize": ["ab"]},
            str.upper,
            0,
            "pre-tokenize",
        ),
        ({"pre-tokenize": ["a", "b"]}, {}, lambda text: text.replace("ab", "x"), 0, "pre-tokenize"),
        ({"pre-tokenize": ["a", "b"]}, {}, str.upper, 0, "model"),
        ({"normalize": ["ab"]}, {"normalize": ["ab"]}, str.upper, 0, "model"),
        ({}, {}, str, 1, "post-process"),
    ],
)
def test_the_first_stage_at_which_two_engines_part_is_named(registry, ours, theirs, change, shift, stage):
    info = registry.info("bytes")
    assert first_divergence(Fake(info, ours), Fake(info, theirs, change=change, shift=shift), "ab") == stage


class Two:
    """A registry of one tokenizer on two engines."""

    def __init__(self, reference, scratch):
        self.engines = {None: reference, "scratch": scratch}

    def get(self, id, engine=None):
        return self.engines[engine]

    def infos(self):
        return []


def test_differences_are_counted_and_some_shown_and_failures_counted_apart(registry):
    info = registry.info("bytes")
    theirs, ours = Fake(info, {}, change=lambda text: text.replace("x", "y")), registry.get("bytes")
    result = compare(Two(theirs, ours), "bytes", n=33, drawn=["a", "x", "fail", *["xx"] * 30])
    assert (result.count, result.mismatches, result.failures, len(result.differences)) == (33, 31, 1, 20)
    assert (result.differences[0].text, result.differences[0].stage) == ("x", "model")


def test_a_run_covers_every_tokenizer_with_two_engines(registry):
    assert comparable(registry) == [info.id for info in registry.infos() if len(info.engines) > 1]
    assert [result.tokenizer for result in conformance(registry, n=3, tokenizers=PAIRS)] == PAIRS
    assert [result.tokenizer for result in conformance(registry, n=3, tokenizers=["gpt2"])] == ["gpt2"]


def test_a_run_that_resumes_leaves_out_what_the_record_has(registry, tmp_path):
    now = name_versions("tokenizers")
    rows = [("bert-base-uncased", now, 30, 0), ("clip", now, 29, 0), ("falcon", now, 30, 1), ("yi", "before", 30, 0)]
    save(tmp_path, [ConformanceResult(id, "scratch", versions, n, bad) for id, versions, n, bad in rows])
    left = list_unrecorded(registry, tmp_path, n=30)
    assert {*comparable(registry)} - {*left} == {"bert-base-uncased"}
    assert list_unrecorded(registry, tmp_path, n=30, tokenizers=["bert-base-uncased"]) == []


def test_the_command_resumes(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("TOKENARIUM_STORE", str(tmp_path))
    copytree(STORE / "r50k_base", tmp_path / "r50k_base")
    command = ["conformance", "r50k_base", "--n", "5", "--record", "--resume"]
    main(command)
    assert [(row.tokenizer, row.count) for row in load_results(tmp_path)] == [("r50k_base", 5)]
    capsys.readouterr()
    main(command)
    assert capsys.readouterr().out == "The record has all of them.\n"


def test_the_command_prints_a_row_with_the_versions(capsys):
    main(["conformance", "gpt2", "--n", "50"])
    assert capsys.readouterr().out.startswith(
        "gpt2                 scratch         50 texts      0 differ     0 failed"
    )
