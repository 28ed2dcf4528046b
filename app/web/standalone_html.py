"""All steps of a run, or of a scene of the course, as one HTML file that plays without a network.

The file embeds the style sheets, the scripts and the fonts of the page, and every frame in compressed form.
"""

import gzip
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..lab.learn.answers import ANSWER_SHOWN, Answer, judge
from ..lab.steps.runs import WINDOW, StepsView
from ..serialize.standalone import style
from ..serialize.templates import templates
from ..settings import ROOT
from .joined import join_modules

SHEETS = ("tokens", "base", "components", "presenter", "steps")
"""Style sheets of the file, in the order of their layers."""
SCENE_SHEETS = ("tokens", "base", "components", "presenter", "steps", "learn")


def scene_parts(context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the context of the template `learn/takeaway.html`: that of a scene, and each of its steps as HTML."""
    steps = context["trace"].steps
    question = context["trace"].question
    shown = [question.given, *steps[1:]] if question else steps
    shared = {**context, "offline": True, "answer": Answer(ANSWER_SHOWN), "urged": False}
    fragment = templates.get_template("learn/_scene.html")
    opening = {**shared, "at": 0, "answer": None, "step": question.given} if question else {**shared, "at": 0}
    macro: Any = templates.get_template("macros/predict.html").module
    sent = (*map(str, range(len(question.choices))), ANSWER_SHOWN) if question else ()
    answers = [macro.question(question, judge(question, one)) for one in sent]
    pages = [
        fragment.render(opening),
        *answers,
        *(fragment.render(shared, at=at, step=one) for at, one in enumerate(shown)),
    ]
    return {
        **opening,
        "answers": len(answers),
        "style": style(*SCENE_SHEETS, letters="".join(pages)),
        "script": _script("js/learn/offline.js"),
        "frames": _compress("\0".join(pages)),
    }


def parts(view: StepsView) -> Mapping[str, Any]:
    """Return the context of the template `steps/takeaway.html`; the windows of frames are rendered one at a time."""
    return {
        "view": view,
        "chosen": None,
        "offline": True,
        "style": style(*SHEETS, letters=f"{view.run.title}▁{view.options.text if view.options else ''}"),
        "script": _script("js/steps/offline.js"),
        "windows": _windows(view),
    }


def _script(path: str) -> str:
    """Return a module, joined with all that it imports, in base64: it has no server to import from."""
    return b64encode(join_modules(ROOT / "static", path, str).text.encode()).decode()


def _windows(view: StepsView) -> Iterator[str]:
    """Yield the frames, `WINDOW` at a time, as HTML that is gzipped and in base64."""
    fragment = templates.get_template("steps/_window.html")
    for start in range(0, view.run.total, WINDOW):
        yield _compress(fragment.render({"view": replace(view, requested_step=start)}))


def _compress(text: str) -> str:
    """Return a text, gzipped and in base64."""
    return b64encode(gzip.compress(text.encode(), 9)).decode()
