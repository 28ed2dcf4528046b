"""The command line, run as a user runs it."""

import json
import subprocess
import sys

from app.settings import ROOT


def run(*args, stdin=b""):
    return subprocess.run([sys.executable, "-m", "app", *args], input=stdin, capture_output=True, cwd=ROOT, check=False)


def test_tokenize_prints_what_the_route_answers(ask):
    sent = {"tokenizer": "cl100k_base", "text": "Hello, 🌍!"}
    told = json.loads(run("tokenize", "--tokenizer", "cl100k_base", "Hello, 🌍!").stdout)
    assert told == ask("POST", "/tokenize", json=sent).json()
    assert told["count"] == 6


def test_tokenize_reads_standard_input_byte_for_byte():
    told = json.loads(run("tokenize", "--tokenizer", "bytes", stdin=b"a\r\nb").stdout)
    assert told["ids"] == [97, 13, 10, 98]


def test_list_names_every_tokenizer_and_its_engines():
    lines = run("list").stdout.decode().splitlines()
    assert len(lines) == 15
    assert lines[-1].split() == ["words", "word", "grows", "scratch"]


def test_errors_are_one_line_and_status_1():
    done = run("tokenize", "--tokenizer", "gtp2", "a")
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.decode().startswith("No such tokenizer. There is no tokenizer of this name. Nearest: gpt2")
    done = run("tokenize", stdin=b"caf\xe9")
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"Byte 3 of standard input is not UTF-8" in done.stderr


def test_a_port_that_is_no_number_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "app", "serve"], env={"PORT": "http"}, capture_output=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"PORT must be a whole number, not 'http'\n")
