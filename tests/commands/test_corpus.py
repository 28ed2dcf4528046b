"""`tokenarium corpus` as a user runs it: tables, JSON, estimates, exit codes, and a count that goes on after a kill."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from tokenarium.__main__ import main
from tokenarium.commands.corpus import arguments
from tokenarium.corpus.results import ResultCache
from tokenarium.settings import ROOT
from tokenizers import Tokenizer as Library

from tests.conftest import TIER


@pytest.fixture
def said(said):
    """Run a command on corpora here, and give its status, its output and its messages."""
    return lambda *args, command="count": said("corpus", command, *args)


def test_a_table_has_a_row_a_tokenizer(said, tmp_path):
    (tmp_path / "a.txt").write_text("Hello, world!\n\nHi\n")
    status, out, err = said(tmp_path / "a.txt", "-t", "gpt2,bert-base-uncased", "--workers", "1")
    assert (status, err) == (0, "")
    assert [line.split() for line in out.splitlines()] == [
        ["documents", "tokens", "characters", "bytes", "bytes/token", "median", "p95", "longest", "tokenizer"],
        ["2", "5", "15", "15", "3.00", "1", "4", "4", "gpt2"],
        ["2", "5", "15", "15", "3.00", "1", "4", "4", "bert-base-uncased"],
    ]


@pytest.mark.parametrize("command", ["count", "profile", "compare"])
def test_special_tokens_are_parsed_where_that_is_asked_for(command, said, tmp_path):
    (tmp_path / "a.txt").write_text("<|endoftext|>\n")
    names = "gpt2" if command == "profile" else "gpt2,r50k_base"
    for special, tokens in (("text", 7), ("parse", 1)):
        answer = json.loads(said(tmp_path, "-t", names, "--special", special, "--json", command=command)[1])
        assert (answer if command == "profile" else answer["total"]["gpt2"])["tokens"] == tokens
        assert answer["notes"] == ["Special tokens in documents are parsed."] * (special == "parse")


def test_json_has_everything_and_groups(said, registry, tmp_path):
    rows = [{"body": "Hello", "lang": "en"}, {"body": "Привет мир", "lang": "ru"}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    status, out, _ = said(tmp_path, "-t", "gpt-4o", "--column", "body", "--by", "column:lang", "--json")
    answer = json.loads(out)
    assert status == 0
    assert answer["total"]["o200k_base"]["documents"] == 2
    tokens = {group: figures["o200k_base"]["tokens"] for group, figures in answer["groups"].items()}
    tokenizer = registry.get("o200k_base")
    assert tokens == {"en": len(tokenizer.encode("Hello")), "ru": len(tokenizer.encode("Привет мир"))}
    assert answer["unread"] == 0


def test_a_report_and_its_csv_are_written(said, tmp_path):
    (tmp_path / "a.txt").write_text("Hello, world!\nПривет\n")
    options = ["-t", "gpt2,bytes", "--report", tmp_path / "r.html", "--csv", tmp_path / "r.csv", "--by", "script"]
    status, _, err = said(tmp_path / "a.txt", *options)
    assert (status, err) == (0, f"The report is in {tmp_path}/r.html.\n")
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    lines = (tmp_path / "r.csv").read_text().splitlines()
    assert [line.split(",")[:5] for line in lines[-2:]] == [
        ["total", "gpt2", "2", "25", "11"],  # 15496, 11, 995, 0; 140, 253, 21169, 18849, 38857, 16843, 20375
        ["total", "bytes", "2", "25", "25"],
    ]


def test_vocabularies_are_compared(said, tmp_path):
    (tmp_path / "a.txt").write_text("Hello, world!\nПривет, как дела? Всё хорошо, спасибо, а у вас?\n")
    status, out, _ = said(tmp_path / "a.txt", "-t", "gpt-4o,gpt2", "--by", "script", command="compare")
    rows = [line.split() for line in out.splitlines()]
    assert status == 0
    assert [row[-2:] for row in rows[1:7]] == [
        *(["o200k_base", "Cyrillic"], ["gpt2", "Cyrillic"], ["gpt2", "Latin"], ["o200k_base", "Latin"]),
        *(["o200k_base", "total"], ["gpt2", "total"]),
    ]
    assert any(line.startswith("GPT-4o: $0.00 at $2.5 a million tokens") for line in out.splitlines())
    answer = json.loads(said(tmp_path / "a.txt", "-t", "gpt-4o,gpt2", "--json", command="compare")[1])
    assert answer["examples"]["gpt2"]["more"][0]["text"].startswith("Привет")
    status, _, err = said(tmp_path / "a.txt", "-t", "gpt2", command="compare")
    assert (status, "two tokenizers or more" in err) == (1, True)


def test_a_profile_is_printed_and_written(said, registry, tmp_path):
    (tmp_path / "a.txt").write_text("one one\ntwo 2\none one\n")
    options = ["-t", "gpt2", "--out", tmp_path / "p.json"]
    status, out, _ = said(tmp_path / "a.txt", *options, command="profile")
    assert (status, out.splitlines()[0]) == (0, "3 documents, 6 tokens, 19 bytes")
    assert "33.33% of the documents repeat one before them; one occurs 2 times." in out
    written = json.loads((tmp_path / "p.json").read_text())
    tokenizer = registry.get("gpt2")
    (one, again) = tokenizer.encode("one one").ids.tolist()
    assert (written["frequencies"][str(one)], written["frequencies"][str(again)]) == (2, 2)
    said(tmp_path / "a.txt", "-t", "gpt2", "--out", tmp_path / "p.csv", command="profile")
    assert (tmp_path / "p.csv").read_text().splitlines()[:2] == ["id,token,count", f"{one},one,2"]


def test_a_profile_says_what_pruning_keeps(said, registry, tmp_path):
    text = "one one\ntwo 2 Привет, lower lower lowest\n" * 3
    (tmp_path / "a.txt").write_text(text)
    said(tmp_path / "a.txt", "-t", "gpt2", "--out", tmp_path / "p.json", command="profile")
    proof = {"commit": "100", "nightly": "10000"}[TIER]
    main(["prune", "gpt2", "--profile", str(tmp_path / "p.json"), "--proof", proof, "--out", str(tmp_path / "small")])
    small = Library.from_file(str(tmp_path / "small" / "tokenizer.json"))
    tokenizer = registry.get("gpt2")
    assert small.get_vocab_size() < 400
    for line in text.splitlines():
        pieces = [tokenizer.entry(id).raw for id in tokenizer.encode(line).ids.tolist()]
        assert len(small.encode(line).ids) == len(pieces)
    with pytest.raises(SystemExit):
        main(["prune", "cl100k_base", "--profile", str(tmp_path / "p.json"), "--out", str(tmp_path / "other")])


def test_a_plan_needs_no_measurement_if_the_rate_is_given(said):
    status, out, _ = said("--tokens", "15T", "--rate", "50", "--bytes-per-token", "4", command="plan")
    assert (status, "= 333.3 core hours" in out) == (0, True)
    assert said("--tokens", "many", command="plan")[0] == 1
    assert said("--tokens", "1M", "--rate", "-1", command="plan")[0] == 1


def test_a_plan_measures_the_speed_of_a_tokenizer(said):
    status, out, _ = said("--tokens", "1M", "-t", "gpt2", command="plan")
    assert (status, "1,000,000 tokens × 4." in out, "(measured here, " in out) == (0, True, True)
    assert "bytes per token (English, half prose and half documentation of Python;" in out


def test_documents_that_are_not_utf8_are_an_error_unless_the_policy_says_else(said, tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"fine\ncaf\xe9\n")
    status, out, err = said(path, "-t", "bytes")
    assert (status, out.splitlines()[1].split()[:2]) == (1, ["1", "4"])
    assert f"not read: {path}, byte 5: byte 3 of it is not UTF-8" in err
    assert said(path, "-t", "bytes", "--invalid", "skip")[0] == 0
    assert said(path, "-t", "bytes", "--invalid", "replace")[1].splitlines()[1].split()[:2] == ["2", "10"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-t", "gpt2", "nowhere/*.txt"], "no file at 'nowhere/*.txt'"),
        (["-t", "gpt2", "--by", "colour", __file__], "--by is file, script or column:NAME, not 'colour'"),
        (["-t", "gpt2", "--estimate", "much", __file__], "--estimate is a percentage such as 0.5%"),
        (["-t", "gpt2", "--estimate", "1%", "--report", "r.html", __file__], "need a count of everything"),
    ],
)
def test_a_wrong_option_is_refused_with_the_valid_ones(said, options, message):
    status, _, err = said(*options)
    assert status == 1
    assert message in err


@pytest.mark.parametrize("option", ["--input-format", "--format", "--invalid"])
def test_a_value_that_is_none_is_refused_with_the_valid_ones(said, option):
    status, _, err = said("-t", "gpt2", option, "xml", __file__)
    assert (status, f"argument {option}: invalid choice: 'xml' (choose from " in err) == (2, True)


def test_a_wrong_column_and_an_empty_file_are_said(said, tmp_path):
    table, empty = tmp_path / "a.csv", tmp_path / "b.parquet"
    table.write_text("a,b\n1,2\n")
    status, _, err = said(table, "-t", "bytes")
    assert (status, err) == (1, f"tokenarium: not read: {table} has no column 'text'; it has a, b.\n")
    table.write_text("")
    assert said(table, "-t", "bytes")[::2] == (0, "Note: there are no documents.\n")
    empty.write_bytes(b"")
    for options in ((), ("--estimate", "1%")):
        status, _, err = said(empty, "-t", "bytes", *options)
        assert (status, err.count("\n")) == (1, 1)
        assert "is no readable Parquet file" in err


def test_an_estimate_says_what_was_read(said, tmp_path):
    (tmp_path / "a.txt").write_text("The same line again.\n" * 400_000)
    status, out, _ = said(tmp_path / "a.txt", "-t", "gpt2", "--estimate", "1%", "--reference")
    assert status == 0
    tokens = int(out.removeprefix("gpt2: ").partition(" ")[0].replace(",", ""))
    assert abs(tokens - 2_000_000) < 20_000
    assert "in 95 of 100 samples" in out


def read_parts(kept):
    """Return the number of the row by the key of each result that is kept."""
    db = sqlite3.connect(kept.path)
    rows = dict(db.execute("SELECT key, rowid FROM parts"))
    db.close()
    return rows


def test_a_count_that_was_killed_goes_on_where_it_ended(tmp_path):
    path, cache, lines = tmp_path / "a.txt", tmp_path / "cache", 9_000
    path.write_text(f"{'0123456789' * 200}\n" * lines)
    command = [sys.executable, "-m", "tokenarium", "corpus", "count", str(path), "-t", "bytes"]
    options = {"cwd": ROOT, "env": {**os.environ, "XDG_CACHE_HOME": str(cache)}, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([*command, "--workers", "1"], start_new_session=True, **options)
    deadline = time.monotonic() + 120
    kept = ResultCache(cache / "tokenarium" / "results.sqlite3")
    while not kept.measure().parts and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = read_parts(kept)
    assert before
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True, **options).stdout.decode()
    after = read_parts(kept)
    assert before.items() <= after.items()  # none of them was counted again
    assert len(after) == -(-path.stat().st_size // (1 << 24))
    assert output.splitlines()[1].split()[:2] == [str(lines), str(2000 * lines)]


def test_an_interrupt_says_how_to_go_on(tmp_path):
    folder, cache = tmp_path / "files", tmp_path / "cache"
    folder.mkdir()
    for number in range(400):  # ten of them are a part
        (folder / f"{number}.txt").write_text(f"{'0123456789' * 10}\n" * 1000)
    command = [sys.executable, "-m", "tokenarium", "corpus", "count", str(folder), "-t", "gpt2", "--workers", "1"]
    command.append("--reference")
    env = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    process = subprocess.Popen(command, cwd=ROOT, env=env, stderr=subprocess.PIPE, start_new_session=True)
    kept = ResultCache(cache / "tokenarium" / "results.sqlite3")
    deadline = time.monotonic() + 120
    while not kept.measure().parts and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.decode()) == (130, "tokenarium: interrupted; run the same command to go on.\n")


def test_what_is_kept_is_shown_bounded_and_deleted(said, tmp_path):
    for number, options in enumerate(([], ["--by", "file"], ["--no-cache"])):
        (tmp_path / f"{number}.txt").write_text(f"text {number}\n")
        said(tmp_path / f"{number}.txt", "-t", "gpt2", *options)
    path = tmp_path / "cache" / "tokenarium" / "results.sqlite3"
    status, out, _ = said("--json", command="cache")
    kept = json.loads(out)
    assert (status, kept["parts"], kept["files"], kept["path"], kept["cleared"]) == (0, 2, 0, str(path), False)
    replace(ResultCache(path), max_bytes=400).trim()
    _, out, _ = said("--clear", command="cache")
    assert out.startswith("Deleted the results of 1 part and 0 files, ")
    assert not path.exists()


def test_what_was_counted_before_needs_no_process_until_a_file_changes(said, tmp_path, monkeypatch):
    texts = [tmp_path / f"{number}.txt" for number in range(3)]
    for one in texts:
        one.write_text("Hello world\n" * 3)
    first = said(*texts, "-t", "gpt2,bytes", "--json")
    monkeypatch.setattr(arguments, "executor", None)
    monkeypatch.setattr(arguments, "with_faster", None)
    assert said(*texts, "-t", "gpt2,bytes", "--json") == first
    texts[1].write_text("Hello\n")
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        said(*texts, "-t", "gpt2,bytes", "--json")


def test_a_file_that_is_read_whole_has_the_tokens_of_the_command_count(said, tmp_path, capfd):
    (tmp_path / "a.txt").write_text("one\n\ntwo  \n \n")
    main(["count", "-t", "gpt2", "--json", str(tmp_path / "a.txt")])
    tokens = json.loads(capfd.readouterr().out)["count"]
    _, out, _ = said(tmp_path / "a.txt", "-t", "gpt2", "--input-format", "text", "--json")
    assert json.loads(out)["total"]["gpt2"]["tokens"] == tokens
