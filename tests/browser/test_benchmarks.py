"""The parts of `make bench` that measure pages work, with tiny sizes."""

import os
import subprocess
import sys

import pytest
from tokenarium.settings import ROOT

from benchmarks.__main__ import BROWSER
from tests.browser.conftest import chromium_path


@pytest.mark.nightly
def test_each_part_in_a_browser_works():
    command = [sys.executable, "-m", "benchmarks", "--tiny", *BROWSER]
    environment = {**os.environ, "CHROMIUM": chromium_path()}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
