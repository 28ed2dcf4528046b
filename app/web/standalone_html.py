"""All steps of a run as one HTML file that plays without a network.

The file embeds the style sheet and the scripts of the Steps page, and every frame in compressed form.
"""

import gzip
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..lab.steps.view import WINDOW, View
from ..settings import ROOT
from .render import templates

SHEETS = ("tokens", "base", "components", "presenter", "steps")
"""Style sheets of the file, in the order of their layers."""
MODULES = (
    "presenter/fit",
    "presenter/keys",
    "presenter/mode",
    *(f"steps/{name}" for name in ("control", "motion", "player", "predict", "stage")),
)
"""Scripts that the file needs; `offline` replaces the one that fetches frames."""


def parts(view: View) -> Mapping[str, Any]:
    """Return the context of the template `steps/takeaway.html`; the windows of frames are rendered one at a time."""
    return {
        "view": view,
        "chosen": None,
        "offline": True,
        "style": style(*SHEETS),
        "script": _encoded(ROOT / "static/js/steps/offline.js"),
        "modules": {f"tokenarium/{name}": _module(name) for name in MODULES},
        "windows": _windows(view),
    }


def style(*names: str) -> str:
    """Return style sheets, in the order of their layers, as one in base64."""
    return b64encode(b"".join((ROOT / f"static/css/{name}.css").read_bytes() for name in names)).decode()


def _encoded(path: Path) -> str:
    return b64encode(path.read_bytes()).decode()


def _module(name: str) -> str:
    # A data URL is the only address that a module has in a file without a server.
    return f"data:text/javascript;base64,{_encoded(ROOT / f'static/js/{name}.js')}"


def _windows(view: View) -> Iterator[str]:
    """Yield the frames, `WINDOW` at a time, as HTML that is gzipped and in base64."""
    fragment = templates.get_template("steps/_frames.html")
    for start in range(0, view.run.total, WINDOW):
        frames = view.run.frames(start, start + WINDOW)
        yield b64encode(gzip.compress(fragment.render({"frames": frames}).encode(), 9)).decode()
