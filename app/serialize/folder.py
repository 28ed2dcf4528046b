"""The tokens of a folder as a picture with tables: in a page, or in one HTML file with its own search."""

from base64 import b64encode
from datetime import date
from typing import Any

from ..corpus.folder.treemap import draw_treemap, find_colours
from ..corpus.folder.usage import FolderUsage
from ..settings import ROOT
from .standalone import render_standalone

LISTED = 300
"""Rows of the tables."""
SHEETS = ("tokens", "base", "components", "folder")


def describe_usage(usage: FolderUsage) -> dict[str, Any]:
    """Return what the templates of a folder show: its boxes, its tables, and all names for the search."""
    colours = find_colours(usage)
    files = usage.group("file")
    return {
        "usage": usage,
        "total": usage.total,
        "colours": colours,
        "boxes": draw_treemap(usage, colours),
        "extensions": usage.group("extension"),
        "folders": usage.group(depth=3)[:LISTED],
        "files": files[:LISTED],
        "every": [[file.name for file in files], [file.tokens[0] for file in files]],
    }


def render_folder(usage: FolderUsage, title: str) -> str:
    """Return the picture and the tables as an HTML file that needs no network."""
    script = b64encode((ROOT / "static/js/folder/search.js").read_bytes()).decode()
    context = {**describe_usage(usage), "title": title, "date": date.today().isoformat(), "script": script}
    return render_standalone("corpus/folder.html", context, sheets=SHEETS)
