"""`tokenarium corpus tokenize`, `inspect` and `verify` as a user runs them, and after kills of their processes."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from tokenarium.settings import ROOT


@pytest.fixture
def said(said):
    """Run a command on corpora here, and give its status, its output and its messages."""
    return partial(said, "corpus")


def test_shards_are_written_shown_and_verified(said, registry, tmp_path):
    (tmp_path / "a.txt").write_text("Hello, world!\n\nmiddle<|endoftext|>\n\u00e9\n")
    out = tmp_path / "out"
    status, printed, err = said("tokenize", tmp_path / "a.txt", "-t", "gpt2", "--out", out, "--end", "eos")
    assert (status, err) == (0, "1 row of 4 without a text\n")
    tokenizer, texts = registry.get("gpt2"), ("Hello, world!", "middle<|endoftext|>", "é")
    tokens = sum(len(tokenizer.encode(text)) + 1 for text in texts)
    ends = "each ends with <|endoftext|> (50256)"
    assert printed == f"3 documents, {tokens} tokens of gpt2 (uint32, {ends}) in 1 shard in {out}\n"
    status, printed, err = said("inspect", out)
    assert (status, err) == (0, "")
    lines = [line.split(maxsplit=1) for line in printed.splitlines()]
    assert lines[:2] == [["documents", "3"], ["tokens", str(tokens)]]
    shown = said("inspect", out, "--document", "0")[1].splitlines()
    assert shown[:3] == ["Hello, world!", "", "Hello│,│ world│!│<|endoftext|>"]
    answer = json.loads(said("inspect", out, "--document", "2", "--json")[1])
    assert (answer["text"], answer["ids"], answer["position"]) == ("é", [2634, 50256], 2)
    status, _, err = said("inspect", out, "--document", "3")
    assert (status, "There is no document 3; there are 3." in err) == (1, True)
    status, printed, _ = said("verify", out)
    checked = "1 file checked, 3 documents decoded, 3 of them compared with their source: all is well\n"
    assert (status, printed) == (0, checked)
    shard = next((out / "shards").iterdir())
    shard.write_bytes(shard.read_bytes()[:-1])
    status, printed, _ = said("verify", out, "--json")
    assert (status, json.loads(printed)["ok"]) == (1, False)
    assert "bytes; the manifest says" in json.loads(printed)["problems"][0]


def test_special_tokens_are_parsed_where_that_is_asked_for_which_the_manifest_says(said, tmp_path):
    (tmp_path / "a.txt").write_text("middle<|endoftext|>\n")
    options = ["tokenize", tmp_path / "a.txt", "-t", "gpt2", "--out", tmp_path / "out", "--special", "parse"]
    status, printed, err = said(*options)
    assert (status, err) == (0, "Note: Special tokens in documents are parsed.\n")
    assert printed.startswith("1 document, 2 tokens of gpt2 ")
    assert said("verify", tmp_path / "out")[1].endswith("1 of them compared with their source: all is well\n")
    assert "special tokens in text  parsed\n" in said("inspect", tmp_path / "out")[1]
    status, _, err = said(*options[:-1], "text")
    assert (status, "has shards that differ in: special tokens in text." in err) == (1, True)


def test_what_was_not_read_is_in_the_manifest_and_in_the_exit_code(said, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_bytes(b"fine\ncaf\xe9\n")
    (tmp_path / "in/b.txt.gz").write_bytes(b"\x1f\x8b\x08 not gzip")
    status, printed, err = said("tokenize", tmp_path / "in", "-t", "gpt2", "--out", tmp_path / "out", "--json")
    answer = json.loads(printed)
    assert (status, answer["documents"], answer["unread"]["documents"]) == (1, 1, 1)
    assert f"not read: {tmp_path}/in/b.txt.gz cannot be read: " in err
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert len(manifest["unread"]["failed"]) == 1
    assert manifest["unread"]["problems"] == [f"{tmp_path}/in/a.txt, byte 5: byte 3 of it is not UTF-8"]


def test_a_wrong_option_is_refused_and_nothing_is_written(said, tmp_path):
    status, _, err = said("tokenize", __file__, "--out", tmp_path / "out", "-t", "bytes", "--end", "eos")
    assert (status, "has no token that ends a text" in err) == (1, True)
    assert not (tmp_path / "out").exists()


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def children(pid):
    """Processes that a process has started, and that do its work."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += map(int, task.read_text().split())
    return [one for one in found if b"tokenarium" in Path(f"/proc/{one}/cmdline").read_bytes()]


def command(folder, out):
    corpus = [sys.executable, "-m", "tokenarium", "corpus", "tokenize", str(folder), "-t", "gpt2", "--reference"]
    return [*corpus, "--out", str(out), "--format", "npy", "--workers", "1", "--shard-bytes", "1"]


def write_texts(folder):
    """30 files, each of which is a part."""
    folder.mkdir()
    for number in range(30):
        (folder / f"{number:02}.txt").write_text("".join(f"line {line} of {number}\n" for line in range(3000)))


OPTIONS = {"cwd": ROOT, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def begun(folder, out, done):
    """Start a command, and wait until so many shards are done."""
    process = subprocess.Popen(command(folder, out), start_new_session=True, **OPTIONS)
    wait_for(process, out, done)
    return process


def wait_for(process, out, done):
    deadline = time.monotonic() + 120
    while len([*out.glob("done/*.json")]) < done and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)


@pytest.mark.nightly
def test_after_kills_of_a_worker_and_of_the_command_it_gives_the_same_bytes(tmp_path):
    folder, out = tmp_path / "in", tmp_path / "out"
    write_texts(folder)
    subprocess.run(command(folder, tmp_path / "whole"), check=True, **OPTIONS)
    process = begun(folder, out, 1)
    os.kill(children(process.pid)[0], signal.SIGKILL)
    wait_for(process, out, 6)
    if process.poll() is not None:
        process = begun(folder, out, 6)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert 6 <= len([*out.glob("done/*.json")]) < 30
    assert json.loads((out / "manifest.json").read_text())["complete"] is False
    subprocess.run(command(folder, out), check=True, **OPTIONS)
    assert contents(out) == contents(tmp_path / "whole")


@pytest.mark.nightly
def test_one_shard_is_done_by_one_process_which_is_a_copy_of_the_first(tmp_path):
    write_texts(tmp_path / "in")
    one_shard = [*command(tmp_path / "in", tmp_path / "out"), "--workers", "3", "--shard-bytes", "10000000"]
    started = set()
    with subprocess.Popen(one_shard, **OPTIONS) as process:
        while process.poll() is None:
            with suppress(OSError):  # of a process that ends meanwhile
                started.update(children(process.pid))
            time.sleep(0.01)
    assert (process.returncode, len(started)) == (0, 1)
