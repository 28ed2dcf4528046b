"""POST /api/train and /api/jobs: train a tokenizer, watch its progress, download it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import ConfigDict, Field, JsonValue
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ...jobs.job import Job
from ...lab.models import resolve_model
from ...lab.option_schema import with_aliases
from ...lab.train.corpora import TrainingSpec
from ...lab.train.exports import MEDIA_TYPES
from ...lab.train.options import BASELINE, TrainingOptions, compile_pattern
from ...lab.train.progress import TrainingProgress
from ...lab.train.saving import job_file
from ..body import JSONResponse
from ..concurrency import find_owner
from ..downloads import as_file
from ..execution import run_for
from ..forms import LongForm, describe_form
from ..job_routes import JobRoutes
from ..option_models import get_options
from ..policy import RoutePolicy
from ..routing import Router
from ..services import Services, get_services
from ..training_form import CorpusRequest, from_form, training_spec

router = Router(tags=["train"])
EXAMPLE: dict[str, JsonValue] = {"corpora": ["udhr:shn"], "algorithm": "bpe", "size": 1000, "name": "Shan"}
FORM = describe_form(example={"corpus": "udhr:shn"})


class TrainRequest(TrainingOptions, CorpusRequest):
    """The corpus and the options of a training."""

    model_config = ConfigDict(json_schema_extra={"example": EXAMPLE})

    name: str = Field("", description="Keep the tokenizer under this name, where the server keeps any.")


def serialize_job(job: Job) -> dict[str, Any]:
    """A job as plain data."""
    state = job.state()
    progress = TrainingProgress.from_events(job.events())
    started = with_former_names(progress.started) if progress.started else {}
    place = f"/api/jobs/{job.id}"
    names = (*progress.files, "README.md") if state == "finished" else ()
    return {
        "id": job.id,
        "state": state,
        "doing": progress.doing,
        "share": progress.share,
        "pieces": progress.pieces,
        "of": progress.target,
        "rate": progress.rate,
        "remaining": progress.remaining,
        "options": started.get("options"),
        "corpus": progress.corpus,
        "notes": progress.notes,
        "problem": progress.problem,
        "summary": progress.summary,
        "kept": progress.saved_id,
        "events": f"{place}/events",
        "files": [f"{place}/download/{name}" for name in names],
    }


def with_former_names(started: Mapping[str, Any]) -> dict[str, Any]:
    """The first event of a training, its options also under their former names."""
    return {**started, "options": with_aliases(started["options"], TrainingOptions)}


TRAININGS = JobRoutes(lambda services: services.trainings, "/api/jobs", serialize_job)
TrainingParam = Annotated[Job, Depends(TRAININGS.find)]


async def start_training(request: Request, make_spec: Callable[..., TrainingSpec], *args: Any, **options: Any) -> Job:
    """Start the training that `make_spec` says, once a worker has compiled the user's pattern.

    Only what takes no turn is done on threads, of which there are few. Raises `Invalid`, and `UnknownTokenizer` for a
    baseline that is not here.
    """
    services = get_services(request)
    spec = await run_in_threadpool(make_spec, services.settings, *args, **options)
    if spec.options.baseline != BASELINE:
        await run_in_threadpool(resolve_model, services.registry, spec.options.baseline, pointer="/baseline")
    if spec.options.has_custom_pattern:
        await run_for(request, compile_in_worker, spec.options, untrusted=True)
    return await run_in_threadpool(services.trainings.start, replace(spec, owner=find_owner(request.scope)))


def compile_in_worker(services: Services, options: TrainingOptions) -> None:
    """Compile the pattern of a training, and return nothing. Raises `Invalid`."""
    compile_pattern(options)


@router.post("/api/train", operation_id="train", summary="Train a tokenizer", status_code=202)
@RoutePolicy(run="server")
async def post(body: TrainRequest, request: Request) -> JSONResponse:
    """Starts a training and answers at once with the job; `events` is the address of its progress."""
    options = get_options(body, TrainingOptions)
    job = await start_training(request, training_spec, body.named_texts, body.corpora, options, name=body.name)
    return TRAININGS.accept(job)


@router.post(
    "/api/train/form",
    operation_id="train_on_files",
    summary="Train a tokenizer on files",
    status_code=202,
    openapi_extra={"requestBody": FORM},
)
@RoutePolicy(run="server")
async def post_form(form: LongForm, request: Request) -> JSONResponse:
    """The same from a form: any number of `file`, `text`, `corpus`, and the options by name."""
    return TRAININGS.accept(await start_training(request, from_form, form))


TRAININGS.add(
    router,
    "a training",
    "The state and the progress, and once the training has finished, the metrics and the files to download.",
    shown=lambda event: with_former_names(event) if event["kind"] == "started" else event,
)


@router.get(
    "/api/jobs/{id}/download/{file}", operation_id="download_trained_file", summary="Download a trained tokenizer"
)
@RoutePolicy(run="server")
def download(job: TrainingParam, file: str) -> Response:
    """One of the files that the finished job lists."""
    return as_file(job_file(job, file), file, MEDIA_TYPES.get(file))
