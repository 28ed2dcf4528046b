"""What the process imports from which workers are forked."""

import os
import subprocess
import sys
from shutil import copytree

from tokenarium.settings import STORE

PRELOADED = "from tokenarium.web.preload import TOKENIZERS; print(*[id for id, _ in TOKENIZERS])"


def test_a_vocabulary_that_cannot_be_read_is_left_to_the_workers_and_the_others_are_there(tmp_path):
    for id in ("bert-base-uncased", "o200k_base"):
        copytree(STORE / id, tmp_path / id)
    (damaged,) = (tmp_path / "o200k_base").glob("*.xz")
    damaged.write_bytes(damaged.read_bytes()[:5000])
    env = {**os.environ, "TOKENARIUM_STORE": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", PRELOADED], env=env, capture_output=True, text=True, check=True)
    assert told.stdout == "bert-base-uncased\n"
