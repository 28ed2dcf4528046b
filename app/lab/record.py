"""The record of conformance: what the last full comparison found, kept beside the store."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from app.lab.conformance import Result

NAME = "conformance.json"


def save(store: Path, results: Sequence[Result]) -> None:
    """Keep the outcomes, replacing those of the same tokenizers; the file is whole at all times."""
    rows = {row.tokenizer: row for row in [*recorded(store), *results]}
    kept = [{name: value for name, value in asdict(rows[id]).items() if name != "differences"} for id in sorted(rows)]
    part = store / f"{NAME}.part"
    part.write_text(json.dumps(kept, indent=1) + "\n")
    os.replace(part, store / NAME)


def recorded(store: Path) -> list[Result]:
    """The outcomes kept, by tokenizer; none where nothing was recorded."""
    path = store / NAME
    return [Result(**row) for row in json.loads(path.read_text())] if path.exists() else []
