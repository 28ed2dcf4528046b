"""GET and POST /train: start a training; and the page of a job, which follows it to its end."""

from functools import partial
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ...errors import Invalid
from ...jobs.events import State
from ...jobs.feed import JobUpdate
from ...jobs.job import Job
from ...lab.models import canonical
from ...lab.option_schema import get_option_fields
from ...lab.pictures import training_picture
from ...lab.steps.drawing import Drawing
from ...lab.train.charts import draw_curve, draw_growth, draw_lengths
from ...lab.train.options import TrainingOptions
from ...lab.train.progress import TrainingProgress, measures
from ...lab.train.saving import list_saved, save_job
from ...serialize.templates import templates
from ..api.train import TRAININGS, TrainingParam, start_training
from ..concurrency import find_owner
from ..execution import run_for
from ..forms import Form, LongForm, SentForm, read_query
from ..picker import picker_rows
from ..pictures import KINDS, picture
from ..policy import RoutePolicy
from ..render import render, send_to
from ..routing import Router
from ..services import Services, get_services
from ..training_form import describe_start, from_form, options_from

router = Router(include_in_schema=False)
EXAMPLES = (
    ("Shan, which takes many tokens in large vocabularies", "corpus=udhr:shn&size=600"),
    ("Three languages", "corpus=udhr:eng&corpus=udhr:fra&corpus=udhr:swh&size=1500"),
    ("WordPiece, as in BERT", "corpus=udhr:eng&algorithm=wordpiece&lowercase=1&size=600"),
    ("Unigram on Thai, which is written without spaces", "corpus=udhr:tha&algorithm=unigram&size=600"),
    ("This site’s source code", "corpus=source&size=8000"),
)


def context(request: Request, job: Job, progress: TrainingProgress, state: State) -> dict[str, Any]:
    """What the templates of a job need."""
    lengths = draw_lengths(progress.lengths) if any(progress.lengths) else None
    curve = None
    metrics = []
    if progress.summary:
        summary = progress.summary
        measured = progress.summary["measured"]
        baseline = (measured["baseline"], measured["baseline_tokens"]) if measured["baseline"] else None
        lengths = draw_lengths(summary["lengths"])
        metrics = measures(measured)
        curve = draw_curve(summary["curve"], characters=measured["characters"], baseline=baseline, knee=summary["knee"])
    return {
        "job": job,
        "state": state,
        "progress": progress,
        "fields": get_option_fields(TrainingOptions),
        "may_keep": get_services(request).settings.keep,
        "growth": draw_growth(progress.points, progress.target) if progress.points else None,
        "lengths": lengths,
        "curve": curve,
        "measures": metrics,
    }


@router.get("/train")
@RoutePolicy(run="server")
def page(request: Request, corpus: Annotated[list[str], Query()] = []) -> HTMLResponse:  # noqa: B006
    settings = get_services(request).settings
    registry = get_services(request).registry
    params = options_from(read_query(request))
    shown = describe_start(settings, params, corpus) | {
        "sized": bool(request.query_params.get("size")),
        "examples": EXAMPLES,
        "kept": list_saved(registry),
        "damaged": registry.list_damaged(),
    }
    shown |= picker_rows(request, only=[info.id for info in registry.infos()])  # a job knows no private ones
    shown |= {"baseline": canonical(registry, params.baseline)}
    return render(request, "train", shown, fragment="page")


@router.post("/train")
@RoutePolicy(run="server")
async def post(request: Request, form: LongForm) -> Response:
    job = await start_training(request, from_form, form)
    return send_to(request, f"/train/jobs/{job.id}")


@router.get("/train/jobs/{id}")
@RoutePolicy(run="server")
def job_page(request: Request, job: TrainingParam) -> HTMLResponse:
    state = job.state()
    progress = TrainingProgress.from_events(job.events())
    return render(request, "train", context(request, job, progress, state), fragment="job")


def read_progress(update: JobUpdate) -> TrainingProgress:
    """Return the progress at an update, computed once for all viewers."""
    return update.share("progress", partial(TrainingProgress.from_events, update.events))


def draw_update(request: Request, job: Job, update: JobUpdate, new_stage: bool) -> str:
    """Return the page of a job at an update."""
    shown = context(request, job, read_progress(update), update.state) | {"new_stage": new_stage}
    return templates.get_template("train/_live.html").render(shown)


TRAININGS.add_page_stream(router, "/train/jobs", stage=lambda update: read_progress(update).stage, draw=draw_update)


@router.get("/train/jobs/{id}/picture.svg")
@RoutePolicy(run="server")
async def training_svg(request: Request, job: TrainingParam) -> Response:
    """The curve and the longest tokens of a trained vocabulary, as a picture to be saved."""
    return await send_picture(request, job, "svg", Form({}))


@router.post("/train/jobs/{id}/picture")
@RoutePolicy(run="server")
async def training_file(request: Request, job: TrainingParam, form: SentForm) -> Response:
    return await send_picture(request, job, form.get_choice("format", KINDS, "svg"), form)


async def send_picture(request: Request, job: Job, kind: str, form: Form) -> Response:
    """Return the picture of a training, which a worker writes."""
    drawing = await run_in_threadpool(draw_training, request, job)
    response: Response = await run_for(request, write_picture, drawing, "vocabulary", kind, form)
    return response


def draw_training(request: Request, job: Job) -> Drawing:
    """Return the picture of a training. Raises `Invalid` before its end."""
    progress = TrainingProgress.from_events(job.events())
    if not progress.summary:
        raise Invalid("The training has not finished; there is nothing to draw yet.")
    chart = context(request, job, progress, job.state())["curve"]
    summary = progress.summary
    title = f"A vocabulary of {summary['size']:,} tokens"
    if (saved := summary["measured"]["saved"]) is not None:
        less = "fewer" if saved >= 0 else "more"
        baseline = summary["measured"]["baseline"]
        title += f": held-out text in {abs(saved) * 100:.1f} % {less} tokens than {baseline}"
    return training_picture(title, chart, summary["longest"])


def write_picture(services: Services, *args: Any) -> Response:
    """Return the file of a drawing; for a worker."""
    return picture(*args)


TRAININGS.add_cancel_page(router, "/train/jobs")


@router.post("/train/jobs/{id}/keep")
def save_trained(request: Request, id: str, form: SentForm) -> RedirectResponse:
    job = TRAININGS.find(id, request)
    save_job(form.get("name"), get_services(request).settings, job, owner=find_owner(request.scope))
    return RedirectResponse(f"/train/jobs/{job.id}", 303)
