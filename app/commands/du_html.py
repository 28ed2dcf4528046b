"""The part of `du` that writes a treemap as one HTML file, which it imports if one is to be written."""

import os
import sys
from base64 import b64encode
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from ..corpus.folder.treemap import draw_treemap, find_colours
from ..corpus.folder.usage import FolderUsage
from ..serialize.standalone import render_standalone
from ..settings import ROOT

LISTED = 300
"""Rows of the tables."""


def write(path: str, usage: FolderUsage, paths: Sequence[str]) -> None:
    """Write the treemap, the tables below it, and the search. Raises `OSError`."""
    colours = find_colours(usage)
    title = f"Tokens in {', '.join(map(_name, paths))}"
    files = usage.group("file")
    context = {
        "usage": usage,
        "total": usage.total,
        "title": title,
        "date": date.today().isoformat(),
        "colours": colours,
        "boxes": draw_treemap(usage, colours),
        "extensions": usage.group("extension"),
        "folders": usage.group(depth=3)[:LISTED],
        "files": files[:LISTED],
        "every": [[file.name for file in files], [file.tokens[0] for file in files]],
        "script": b64encode((ROOT / "static/js/folder/search.js").read_bytes()).decode(),
    }
    sheets = ("tokens", "base", "components", "folder")
    Path(path).write_text(render_standalone("corpus/folder.html", context, sheets=sheets), encoding="utf-8")
    print(f"The treemap is in {path}.", file=sys.stderr)


def _name(path: str) -> str:
    """Return what a path is called in a title."""
    return os.path.basename(os.path.realpath(path)) or path
