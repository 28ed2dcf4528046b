"""GET and POST /steps: how a vocabulary is learned and a text encoded, step by step. Also the parts it asks for: frames
ahead of the finger, how a symbol came about, and downloads."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from app.lab.examples import HELLO, named
from app.lab.steps.examples import EXAMPLES, Example
from app.lab.steps.options import ALGORITHMS, BRANCHES, PATTERNS, TIES, UNITS, Options
from app.web.answer import JSONResponse
from app.web.forms import Form, read_form
from app.web.render import render, stream

if TYPE_CHECKING:
    from app.lab.steps.view import View

router = APIRouter(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]

TEMPERATURES = ("", "0.1", "0.2", "0.5", "1", "2")
"""Of a cut that is drawn, what Kudo 2018 calls α: the higher, the likelier the best. The first takes the best cut."""
CHOICES = {
    "branches": BRANCHES,
    "algorithms": ALGORITHMS,
    "units": UNITS,
    "patterns": PATTERNS,
    "ties": TIES,
    "temperatures": TEMPERATURES,
    "examples": EXAMPLES,
}
FORMATS = ("svg", "html", "json")


def asked(form: Form) -> Options:
    """Read a form. Raises `Invalid` with the field's name."""
    merges = form.number("merges")
    temperature = form.one_of("temperature", TEMPERATURES, "")
    return Options(
        text=form.text,
        branch=form.one_of("branch", BRANCHES, "learn"),
        algorithm=form.one_of("algorithm", ALGORITHMS, "bpe"),
        unit=form.one_of("unit", UNITS, "characters"),
        pattern=form.one_of("pattern", PATTERNS, "spaces"),
        ties=form.one_of("ties", TIES, "first-seen"),
        merges=50 if merges is None else merges,
        table=bool(form.get("table")),
        tokenizer=form.get("tokenizer", "o200k_base"),
        special="parse" if form.get("special") else "text",
        temperature=float(temperature) if temperature else None,
        seed=form.number("seed") or 0,
    )


def view(request: Request, options: Options, step: int) -> View:
    """The run that is asked for, from this step."""
    from app.lab.steps.view import View

    key, run = request.app.state.followed.follow(request.app.state.registry, options)
    return View(key, run, step, options)


def recall(request: Request, form: Form) -> View | None:
    """The run that a part of the page belongs to: by its key, or followed again where the form came along."""
    from app.lab.steps.view import View

    step = form.number("step") or 0
    run = request.app.state.followed.get(form.get("key"))
    if run is not None:
        return View(form.get("key"), run, step)
    return view(request, asked(form), step) if "text" in form.fields else None


def context(request: Request, seen: View, chosen: Example | None = None) -> dict[str, Any]:
    """What the templates need."""
    infos = request.app.state.registry.infos()
    return {**CHOICES, "view": seen, "asked": seen.options, "chosen": chosen, "infos": infos}


@router.get("/steps")
def page(request: Request, example: str = "sennrich", step: str = "0", tokenizer: str = "") -> HTMLResponse:
    at = Form({"step": [step]}).number("step") or 0
    chosen = None if tokenizer else named(example, EXAMPLES)
    options = chosen.options if chosen else Options(HELLO, "encode", tokenizer=tokenizer)
    return render(request, "steps", context(request, view(request, options, at), chosen))


@router.post("/steps")
def post(request: Request, form: Sent) -> HTMLResponse:
    return render(request, "steps", context(request, view(request, asked(form), form.number("step") or 0)))


@router.post("/steps/frames")
def frames(request: Request, form: Sent) -> Response:
    seen = recall(request, form)
    if seen is None:
        return Response(status_code=410)
    answer = render(request, "steps", {"frames": seen.window}, fragment="_frames")
    return _compressed(request, answer)


def _compressed(request: Request, answer: Response) -> Response:
    """The frames of a window are much alike, so that little is left of them."""
    if "gzip" in request.headers.get("accept-encoding", ""):
        answer.body = gzip.compress(answer.body, 6)
        answer.headers.update({"Content-Encoding": "gzip", "Content-Length": str(len(answer.body))})
    answer.headers["Vary"] = "HX-Request, Accept-Encoding"
    return answer


@router.post("/steps/about")
def about(request: Request, form: Sent) -> Response:
    seen = recall(request, form)
    return Response(status_code=410) if seen is None else render(request, "steps", {"view": seen}, fragment="_about")


@router.post("/steps/download")
def download(request: Request, form: Sent) -> Response:
    kind = form.one_of("format", FORMATS, "html")
    seen = view(request, asked(form), form.number("step") or 0)
    headers = {"Content-Disposition": f'attachment; filename="steps.{kind}"'}
    if kind == "json":
        response: Response = JSONResponse(seen.run.data())
        response.headers.update(headers)
        return response
    if kind == "svg":
        answer = render(request, "steps", {"picture": seen.picture}, fragment="picture")
        return Response(answer.body, media_type="image/svg+xml", headers=headers)
    from app.web.takeaway import parts

    return StreamingResponse(stream("steps/takeaway.html", parts(seen)), media_type="text/html", headers=headers)
