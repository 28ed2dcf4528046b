"""The page on which a learner writes BPE: it runs where only this machine can ask, or where the server allows it."""

from dataclasses import replace

from tokenarium.settings import Settings

from tests.conftest import Ask, asker
from tests.support.programs import RIGHT


def test_the_page_opens_with_a_program_to_complete(ask: Ask):
    page = ask("GET", "/learn/write-it").text
    assert "def most_frequent_pair(words):" in page
    assert 'href="/learn/write-it"' in ask("GET", "/learn").text


def test_a_right_program_stands_beside_that_of_the_engine(ask: Ask):
    page = ask("POST", "/learn/write-it", data={"program": RIGHT}).text
    assert "8 of 8 checks right" in page
    assert "app/scratch/learn_bpe.py" in page
    wrong = ask("POST", "/learn/write-it", data={"program": "import os"}).text
    assert "0 of 8 checks right" in wrong
    assert "Line 1: A program can import only Counter and pairwise here." in wrong
    assert "app/scratch/learn_bpe.py" not in wrong


def test_a_public_server_runs_no_programs_unless_it_is_told_to(registry):
    public = asker(registry, host="0.0.0.0")
    assert public("POST", "/learn/write-it", data={"program": RIGHT}).status_code == 403
    assert "does not run programs of visitors" in public("GET", "/learn/write-it").text
    assert Settings().may_run
    assert not replace(Settings(), host="0.0.0.0").may_run
    assert Settings.from_env({"HOST": "0.0.0.0", "TOKENARIUM_PROGRAMS": "on"}).may_run
    assert not Settings.from_env({"TOKENARIUM_PROGRAMS": "off"}).may_run
