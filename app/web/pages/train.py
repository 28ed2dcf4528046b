"""GET and POST /train: order a training; and the page of a job, which follows it to its end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.lab.train.jobs import Job, State
from app.lab.train.options import ALGORITHMS, DIGITS, PATTERNS, TIES, TRAINERS, UNITS, WEIGHINGS
from app.web.api.train import Asked, Sent
from app.web.following import followed
from app.web.forms import Form, read_form, read_query
from app.web.orders import from_form, options_of
from app.web.render import render, templates, wants_fragment

if TYPE_CHECKING:
    from app.lab.train.progress import Progress

router = APIRouter(include_in_schema=False)
Named = Annotated[Form, Depends(read_form)]
CHOICES: dict[str, Any] = {
    "algorithms": ALGORITHMS,
    "engines": TRAINERS,
    "units": UNITS,
    "patterns": PATTERNS,
    "ties": TIES,
    "digits": DIGITS,
    "weighings": WEIGHINGS,
}
SIZES = (1000, 2000, 4000, 8000, 16000, 32000)
LOOKS = 0.3
"""Seconds between two pictures of a job, at least."""
EXAMPLES = (
    ("Shan, which the big vocabularies treat badly", "corpus=udhr:shn&size=600"),
    ("Three languages", "corpus=udhr:eng&corpus=udhr:fra&corpus=udhr:swh&size=1500"),
    ("WordPiece, as BERT has it", "corpus=udhr:eng&algorithm=wordpiece&lowercase=1&size=600"),
    ("Unigram over Thai, which sets no spaces", "corpus=udhr:tha&algorithm=unigram&size=600"),
    ("The program of this site", "corpus=source&size=8000"),
)


def seen(request: Request, job: Job, now: Progress, state: State) -> dict[str, Any]:
    """What the page of a job needs."""
    from app.lab.train.charts import bars, growth, paying
    from app.lab.train.shown import measures

    growing = growth(now.points, now.of) if now.points else None
    lengths = bars(now.lengths) if any(now.lengths) else None
    curve, told = None, []
    if now.summary:
        measured = now.summary["measured"]
        base = (measured["baseline"], measured["baseline_tokens"]) if measured["baseline"] else None
        lengths, told = bars(now.summary["lengths"]), measures(measured)
        curve = paying(now.summary["curve"], characters=measured["characters"], baseline=base, knee=now.summary["knee"])
    shown = {"growth": growing, "lengths": lengths, "curve": curve, "measures": told}
    context = {"job": job, "state": state, "now": now, "may_keep": request.app.state.settings.keep}
    return {**CHOICES, **context, **shown}


@router.get("/train")
def page(request: Request, corpus: Annotated[list[str], Query()] = []) -> HTMLResponse:  # noqa: B006
    from app.lab.languages.texts import declarations
    from app.lab.train.keeping import kept

    state = request.app.state
    asked = options_of(read_query(request))
    languages = sorted(declarations(state.settings.store).values(), key=lambda one: one.name)
    shown = {"asked": asked, "corpora": corpus, "languages": languages, "examples": EXAMPLES, "sizes": SIZES}
    limits = {"limit": state.settings.max_corpus, "seconds": state.settings.job_seconds}
    shown |= {"kept": kept(state.registry), "damaged": state.registry.damaged()}
    return render(request, "train", {**CHOICES, **shown, **limits, "may_keep": state.settings.keep}, fragment="page")


@router.post("/train")
def post(request: Request, form: Sent) -> Response:
    job = request.app.state.jobs.start(from_form(form, request.app.state.settings))
    place = f"/train/jobs/{job.id}"
    if wants_fragment(request):
        return Response(status_code=204, headers={"HX-Redirect": place})
    return RedirectResponse(place, 303)


@router.get("/train/jobs/{id}")
def job_page(request: Request, job: Asked) -> HTMLResponse:
    from app.lab.train.progress import Progress

    state, now = job.state(), Progress.of_events(job.events()[0])
    return render(request, "train", seen(request, job, now, state), fragment="job")


@router.get("/train/jobs/{id}/stream", response_class=EventSourceResponse)
async def stream(request: Request, job: Asked) -> AsyncIterator[ServerSentEvent]:
    """The page of the job, drawn anew as it goes on; the event `done` closes."""
    from app.lab.train.progress import Progress

    now, stage = Progress(), ""
    draw = templates.get_template("train/_live.html").render
    async for told in followed(job, every=LOOKS):
        for event in told.events:
            now.add(event)
        context = seen(request, job, now, told.state) | {"turned": now.stage != stage}
        stage = now.stage
        yield ServerSentEvent(raw_data=draw(context), id=str(told.end))
    yield ServerSentEvent(raw_data="", event="done")


@router.post("/train/jobs/{id}/cancel")
def cancel(request: Request, id: str) -> RedirectResponse:
    request.app.state.jobs.cancel(id)
    return RedirectResponse(f"/train/jobs/{id}", 303)


@router.post("/train/jobs/{id}/keep")
def keep(request: Request, job: Asked, form: Named) -> RedirectResponse:
    from app.lab.train.finished import keep_job

    keep_job(form.get("name"), request.app.state.settings, job)
    return RedirectResponse(f"/train/jobs/{job.id}", 303)
