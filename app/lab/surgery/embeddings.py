"""The table of ids, old to new, and a program that moves the rows of an embedding matrix by it."""

import json

from ...csv_text import csv_text
from .draft import RenumberedTokenizer

PROGRAM = '''"""Move the rows of an embedding matrix to the ids of a tokenizer that was operated on.

    python embeddings.py old.npy new.npy

`ids.json`, which lies beside this program, says which row becomes which. A new token begins with the mean of the rows
of the old tokens that its text had; one without a text, such as a reserved token, with the mean of all kept rows. The
matrix of the output layer is moved in the same way. Needs numpy only.
"""

import json
import sys
from pathlib import Path

import numpy as np


def moved(old, table):
    """Return the new matrix, of the type of the old one."""
    kept = np.array(table["kept"], dtype=np.int64).reshape(-1, 2)
    if len(old) < table["size_before"]:
        raise SystemExit(f"The matrix has {len(old)} rows, the old vocabulary {table['size_before']} ids.")
    new = np.zeros((table["size_after"], *old.shape[1:]), old.dtype)
    new[kept[:, 1]] = old[kept[:, 0]]
    mean = old[kept[:, 0]].mean(axis=0, dtype=np.float64)
    for id, origin in table["new"].items():
        new[int(id)] = old[origin].mean(axis=0, dtype=np.float64) if origin else mean
    return new


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: python embeddings.py old.npy new.npy")
    table = json.loads(Path(__file__).with_name("ids.json").read_text())
    old = np.load(sys.argv[1])
    np.save(sys.argv[2], new := moved(old, table))
    print(f"{old.shape} to {new.shape}: {len(table['kept'])} rows kept, {len(table['new'])} new")
'''


def table_files(numbered: RenumberedTokenizer, *, size_before: int) -> dict[str, bytes]:
    """Return the table as `ids.csv` and `ids.json`, and the program that uses it."""
    table = {
        "size_before": size_before,
        "size_after": numbered.size,
        "kept": [[*pair] for pair in sorted(numbered.kept.items())],
        "new": {str(id): [*origin] for id, origin in numbered.new.items()},
    }
    return {
        "ids.csv": _csv(numbered).encode(),
        "ids.json": json.dumps(table, separators=(",", ":")).encode(),
        "embeddings.py": PROGRAM.encode(),
    }


def _csv(numbered: RenumberedTokenizer) -> str:
    """Return a line for each token of the new vocabulary: its id, its old id, or the old ids it begins with."""
    old = {new: old for old, new in numbered.kept.items()}
    rows = (
        (id, old.get(id, ""), " ".join(map(str, numbered.new.get(id, ()))), numbered.tokens[id])
        for id in sorted(numbered.tokens)
    )
    return csv_text([("new_id", "old_id", "mean_of", "token"), *rows])
