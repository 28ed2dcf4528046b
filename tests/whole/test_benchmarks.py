"""Every part of `make bench` works, with tiny sizes: nightly all, those in a browser in `tests/browser`."""

import subprocess
import sys

import pytest
from tokenarium.settings import ROOT

from benchmarks.__main__ import BROWSER, PARTS, run
from benchmarks.measure import Figure
from benchmarks.processes import open_files, processor_seconds, share


def bench(*parts: str) -> subprocess.CompletedProcess[str]:
    """Run parts as `make bench` does, with tiny sizes."""
    command = [sys.executable, "-m", "benchmarks", "--tiny", *parts]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.nightly
@pytest.mark.parametrize("parts", [PARTS[at::4] for at in range(4)], ids=range(4))
def test_each_part_works(parts):
    ran = bench(*(part for part in parts if part not in BROWSER))
    assert "failed" not in ran.stdout
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_part_that_fails_is_reported_and_the_others_go_on(capsys):
    def failing():
        yield Figure("before", 1.0, "<= 2", met=True)
        raise ValueError("no such field")

    def fine():
        yield Figure("after", 3.0, "<= 2", met=False)

    assert run({"broken": failing, "fine": fine}) == ["broken"]
    printed = capsys.readouterr().out
    assert [word in printed for word in ("before", "broken failed:", "ValueError: no such field", "after")] == [
        True
    ] * 4


def test_the_exit_status_says_that_a_part_failed():
    ran = bench("no_such_part", "pipeline")
    assert (ran.returncode, ran.stderr) == (1, "Failed: no_such_part.\n")
    assert "pipeline of 10 KB / encoding alone" in ran.stdout


def test_a_process_that_has_ended_holds_nothing():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(60)
    assert (processor_seconds(ended.pid), open_files(ended.pid), share(ended.pid)) == (0, 0, 0)
