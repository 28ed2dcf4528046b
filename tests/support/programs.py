"""Solutions of the exercises of the course, and wrong ones: `tests/golden/exercises` has a file for each."""

import tomllib
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "golden/exercises"


def read_solutions(id):
    """Return the right program of an exercise, and wrong ones, each with what it shows that it fails."""
    table = tomllib.loads((FOLDER / f"{id}.toml").read_text(encoding="utf-8"))
    right = table["right"]
    wrong = []
    for one in table["wrong"]:
        assert one["old"] in right
        wrong.append((right.replace(one["old"], one["new"]), one["fails"]))
    return right, wrong


RIGHT = read_solutions("bpe")[0]
