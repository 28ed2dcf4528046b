"""The part of `du` that writes a treemap as one HTML file, which it imports if one is to be written."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ..corpus.folder.usage import FolderUsage
from ..serialize.folder import render_folder


def write(path: str, usage: FolderUsage, paths: Sequence[str]) -> None:
    """Write the treemap, the tables below it, and the search. Raises `OSError`."""
    title = f"Tokens in {', '.join(map(_name, paths))}"
    Path(path).write_text(render_folder(usage, title), encoding="utf-8")
    print(f"The treemap is in {path}.", file=sys.stderr)


def _name(path: str) -> str:
    """Return what a path is called in a title."""
    return os.path.basename(os.path.realpath(path)) or path
