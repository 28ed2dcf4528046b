"""A run as one file that plays without a network: the page's own styles and behaviours, and all frames, compressed."""

import gzip
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any

from app.lab.steps.view import WINDOW, View
from app.settings import ROOT
from app.web.render import templates

MODULES = ("control", "keys", "motion", "player", "predict", "presenter", "stage")


def parts(view: View) -> Mapping[str, Any]:
    """What the template of the file needs; its windows come one by one."""
    return {
        "view": view,
        "chosen": None,
        "offline": True,
        "style": _encoded(ROOT / "static/app.css"),
        "script": _encoded(ROOT / "static/js/steps/offline.js"),
        "modules": {f"tokenarium/{name}": _module(name) for name in MODULES},
        "windows": _windows(view),
    }


def _encoded(path: Any) -> str:
    return b64encode(path.read_bytes()).decode()


def _module(name: str) -> str:
    return f"data:text/javascript;base64,{_encoded(ROOT / f'static/js/steps/{name}.js')}"


def _windows(view: View) -> Iterator[str]:
    fragment = templates.get_template("steps/_frames.html")
    for start in range(0, view.run.total, WINDOW):
        frames = view.run.frames(start, start + WINDOW)
        yield b64encode(gzip.compress(fragment.render({"frames": frames}).encode(), 9)).decode()
