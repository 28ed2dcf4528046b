"""The page on which a learner writes BPE: it runs where only this machine can ask, or where the server allows it."""

from dataclasses import replace

from tokenarium.settings import Settings

from tests.conftest import Ask, asker
from tests.support.programs import RIGHT


def test_the_page_opens_with_a_program_to_complete(ask: Ask):
    page = ask("GET", "/learn/write-it").text
    assert "def most_frequent_pair(words):" in page
    assert 'href="/learn/write-it"' in ask("GET", "/learn").text


def test_a_program_stands_beside_the_teaching_file_once_the_learner_asks(ask: Ask):
    page = ask("POST", "/learn/write-it", data={"program": RIGHT}).text
    assert "8 of 8 checks right" in page
    assert "best_pair" not in page
    page = ask("POST", "/learn/write-it", data={"program": RIGHT, "compare": "1"}).text
    assert "= Same: 2, ~ changed: 4, − only in the teaching file: 8." in page
    assert "app/scratch/learn_bpe.py: count_pairs, best_pair" in page
    assert "<td><code>    return merged</code></td><td><code>    return ids</code></td>" in page


def test_a_program_that_cannot_be_read_is_not_compared(ask: Ask):
    wrong = ask("POST", "/learn/write-it", data={"program": "def merge(", "compare": "1"}).text
    assert "0 of 8 checks right" in wrong
    assert "Line 1: Python cannot read this: &#39;(&#39; was never closed." in wrong
    assert "best_pair" not in wrong
    wrong = ask("POST", "/learn/write-it", data={"program": "import os"}).text
    assert "Line 1: A program can import only Counter and pairwise here." in wrong


def test_a_public_server_runs_no_programs_unless_it_is_told_to(registry):
    public = asker(registry, host="0.0.0.0")
    assert public("POST", "/learn/write-it", data={"program": RIGHT}).status_code == 403
    assert "does not run programs of visitors" in public("GET", "/learn/write-it").text
    assert Settings().may_run
    assert not replace(Settings(), host="0.0.0.0").may_run
    assert Settings.from_env({"HOST": "0.0.0.0", "TOKENARIUM_PROGRAMS": "on"}).may_run
    assert not Settings.from_env({"TOKENARIUM_PROGRAMS": "off"}).may_run
