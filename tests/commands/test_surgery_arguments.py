"""tokenarium prune, extend and convert, run as a user runs them."""

import json

import pytest
from tokenizers import Tokenizer

from tests.support.corpora import ENGLISH, SHAN
from tests.support.own_record import own


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A tokenizer and two texts in a folder, and a store of its own."""
    monkeypatch.setenv("TOKENARIUM_LOCAL", str(tmp_path / "local"))
    (tmp_path / "tokenizer.json").write_bytes(own().file("tokenizer.json"))
    (tmp_path / "english.txt").write_text(ENGLISH)
    (tmp_path / "shan.txt").write_text(SHAN)
    (tmp_path / "bad.txt").write_bytes(b"caf\xe9")
    return tmp_path


def test_extend_writes_a_folder_and_says_what_it_saves(said, files):
    out = files / "out"
    status, text, messages = said(
        *("extend", files / "tokenizer.json", files / "shan.txt"),
        *("--tokens", 40, "--multiple", 8, "--proof", 100, "--out", out),
    )
    assert status == 0
    rows = {line[:24].strip(): line[25:] for line in text.splitlines()}
    assert rows["ids"] == "600 → 640"
    assert rows["new tokens"] == "40"
    assert rows["held-out text"].startswith("3,651 → ")
    assert messages.splitlines()[-1] == f"6 files written to {out}"
    assert Tokenizer.from_file(str(out / "tokenizer.json")).get_vocab_size() == 640
    assert json.loads((out / "report.json").read_text())["corpus"]["name"] == "shan.txt"


def test_what_was_made_is_one_json_object(said, files):
    source, text = files / "tokenizer.json", files / "english.txt"
    made = {
        "extend": [source, text, "--tokens", 8, "--proof", 100, "--out", files / "a"],
        "convert": [source, "--format", "tiktoken", "--texts", 50, "--out", files / "b"],
        "add": [source, "--name", "mine"],
        "train": [text, "--size", 300, "--out", files / "c.json"],
    }
    said_of = {command: said(command, *args, "--json") for command, args in made.items()}
    assert {command: status for command, (status, _, _) in said_of.items()} == dict.fromkeys(made, 0), said_of
    answers = {command: json.loads(out) for command, (_, out, _) in said_of.items()}
    assert {tuple(answer)[:3] for answer in answers.values()} == {("tokenizer", "files", "notes")}
    assert answers["extend"]["report"]["size"] == {"before": 600, "after": 608}
    assert answers["train"]["files"] == [str(files / "c.json")]
    assert (answers["train"]["size"], answers["train"]["tokenizer"]) == (300, None)
    assert answers["convert"]["proven"] == 50
    assert answers["add"]["tokenizer"].startswith("mine")


def test_prune_keeps_the_tokens_of_a_corpus(said, files):
    command = ["prune", files / "tokenizer.json", files / "english.txt", "--held-out", 0, "--proof", 100]
    status, text, _ = said(*command, "--out", files / "out")
    assert status == 0
    assert "texts with the same tokens 1\n" in text
    before, after = (Tokenizer.from_file(str(files / name)) for name in ("tokenizer.json", "out/tokenizer.json"))
    assert after.get_vocab_size() < 600
    assert after.encode(ENGLISH).tokens == before.encode(ENGLISH).tokens


def test_a_result_is_kept_under_a_name_and_found_by_it(said, files):
    status, _, messages = said(
        *("prune", files / "tokenizer.json", "--by", "scripts", "--scripts", "Latin", "--proof", 100, "--keep", "Latin")
    )
    assert (status, messages.splitlines()[-1].partition("-")[0]) == (0, "kept as latin")
    id = messages.splitlines()[-1].removeprefix("kept as ")
    assert said("count", "-t", id, "-e", "the")[0] == 0
    again = said(*("extend", id, files / "shan.txt", "--proof", 100, "--keep", "latin"))
    assert (again[0], again[2]) == (
        1,
        "tokenarium: The name 'latin' is taken; choose another one.\n",
    )


def test_convert_reads_ids_and_files(said, files):
    status, text, _ = said(
        "convert", files / "tokenizer.json", "--to", "tiktoken", "--texts", 100, "--out", files / "a"
    )
    assert (status, "Proven on 100 texts: the same ids as tokenizer." in text) == (0, True)
    status, text, _ = said("convert", "bert-base-uncased", "--texts", 100, "--out", files / "b")
    assert (status, text.splitlines()[0]) == (0, str(files / "b" / "tokenizer.json"))
    tokens = Tokenizer.from_file(str(files / "b" / "tokenizer.json")).encode("the man").tokens
    assert tokens == ["[CLS]", "the", "man", "[SEP]"]


@pytest.mark.parametrize(
    ("args", "status", "reason"),
    [
        (("prune", "gpt2"), 1, "Give --out to write the files to a folder"),
        (("prune",), 1, "Give --out"),
        (("prune", "--out", "{}/o"), 1, "Name a tokenizer"),
        (("prune", "nothing-like-it", "--out", "{}/o"), 2, "No such tokenizer"),
        (("prune", "{}/tokenizer.json", "--out", "{}/o"), 1, "There is no corpus"),
        (("prune", "{}/tokenizer.json", "{}/bad.txt", "--out", "{}/o"), 1, "{}/bad.txt: Byte 3 is not UTF-8."),
        (("prune", "{}/tokenizer.json", "{}/none.txt", "--out", "{}/o"), 1, "{}/none.txt: There is no such file"),
        (("prune", "{}/english.txt", "{}/english.txt", "--out", "{}/o"), 1, "A file is not valid"),
        (("prune", "{}/tokenizer.json", "--out", "{}/local"), 1, "{}/local exists; --out names a new folder."),
        (("extend", "t5", "{}/shan.txt", "--out", "{}/o"), 1, "Only BPE goes on learning merges, and T5 is unigram"),
        (("convert", "rwkv-world", "--out", "{}/o"), 1, "No other format has the longest match"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(said, files, args, status, reason):
    (files / "local").mkdir()
    told = said(*(arg.format(files) for arg in args))
    assert (told[0], told[1]) == (status, "")
    assert reason.format(files) in told[2]
    assert len(told[2].splitlines()) == 1
    assert not (files / "o").exists()


def test_standard_input_is_a_corpus(said, files):
    how = ("--tokens", "5", "--proof", "100", "--out", files / "out")
    status, out, _ = said("extend", files / "tokenizer.json", "-", *how, stdin=SHAN.encode())
    assert (status, "new tokens               5\n" in out) == (0, True)
