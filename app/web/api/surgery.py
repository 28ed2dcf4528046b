"""POST /api/surgery: operate on a copy of a tokenizer as a job, watch it, cancel it, download the result."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import ConfigDict, Field, JsonValue
from starlette.responses import Response

from ...jobs.feed import JobUpdate
from ...jobs.job import Job
from ...lab.option_schema import drop_hidden
from ...lab.surgery.jobs import (
    ARCHIVE,
    SurgerySpec,
    check_tokenizer,
    free_name,
    result_file,
    summarize_surgery,
)
from ...lab.surgery.options import SurgeryOptions, check_options
from ..body import JSONResponse
from ..concurrency import find_owner
from ..downloads import as_file
from ..forms import Form, LongForm, describe_form
from ..job_routes import JobRoutes
from ..option_models import get_options, read_options
from ..picker import tokenizer_id
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services
from ..training_form import CorpusRequest, corpus_fields, gather_corpus, name_corpus

router = Router(tags=["tokenizers"])
EXAMPLE: dict[str, JsonValue] = {
    "tokenizer": "gpt2",
    "operation": "extend",
    "corpora": ["udhr:shn"],
    "tokens": 200,
    "proof": 1000,
    "name": "GPT-2 for Shan",
}
FORM = describe_form(example={"tokenizer": "gpt2", "corpus": "udhr:eng", "operation": "prune"})


class SurgeryRequest(SurgeryOptions, CorpusRequest):
    """The tokenizer, the corpus and the options of an operation."""

    model_config = ConfigDict(json_schema_extra={"example": EXAMPLE})

    tokenizer: str = Field(description="An id of /api/tokenizers, or the name of a model.")
    name: str = Field("", description="Keep the result under this name; for an hour where the server keeps none.")


def serialize_surgery(job: Job, update: JobUpdate | None = None) -> dict[str, Any]:
    """A job, at an update if it is given, as plain data; `files` are the sizes of its files in bytes."""
    state, events = (update.state, update.events) if update else (job.state(), job.events())
    return {"id": job.id, "state": state, **summarize_surgery(events)}


def answer(job: Job) -> dict[str, Any]:
    """What the API says of a job."""
    place = f"/api/surgery/{job.id}"
    state = serialize_surgery(job)
    names = (*state["files"], ARCHIVE) if state["files"] else ()
    return {**state, "files": [f"{place}/download/{name}" for name in names]}


SURGERIES = JobRoutes(lambda services: services.surgeries, "/api/surgery", answer)
SurgeryParam = Annotated[Job, Depends(SURGERIES.find)]


def check_operation(
    request: Request, tokenizer: str, texts: Mapping[str, str], corpora: Sequence[str], options: SurgeryOptions
) -> tuple[str, dict[str, str]]:
    """Return the id of a tokenizer, and the corpus of an operation by name.

    Raises `UnknownTokenizer`, and `Invalid` where there is no corpus or options do not fit.
    """
    services = get_services(request)
    check_options(options)
    id = tokenizer_id(request, tokenizer)
    check_tokenizer(services.registry.info(id), options)
    return id, gather_corpus(services.settings, texts, corpora, required=options.needs_corpus)


def start_surgery(
    request: Request,
    tokenizer: str,
    texts: Mapping[str, str],
    corpora: Sequence[str],
    options: SurgeryOptions,
    *,
    name: str = "",
) -> Job:
    """Start an operation in a process of its own.

    Raises what `check_operation` raises, and `Invalid` where the name is taken.
    """
    settings = get_services(request).settings
    id, named = check_operation(request, tokenizer, texts, corpora, options)
    name = free_name(get_services(request).registry, name) if name else ""
    spec = SurgerySpec(
        tokenizer=id,
        texts=tuple(named.values()),
        options=options,
        name=name,
        corpus=name_corpus(named),
        settings=settings,
        owner=find_owner(request.scope),
    )
    return get_services(request).surgeries.start(spec)


def start_from_form(request: Request, form: Form) -> Job:
    """Start the operation in a form. Raises what `start_surgery` raises."""
    texts, corpora = corpus_fields(form)
    name = form.get("name").strip()
    return start_surgery(request, form.get("tokenizer"), texts, corpora, options_from(form), name=name)


def options_from(form: Form) -> SurgeryOptions:
    """Return the options in a form, which sends those of the other operations, too; these are left out.

    A box that is not checked is not sent, so that `form` in the fields says whether they come from a form.
    """
    switches = ("keep_characters", "renumber", "add_characters")
    fields = {name: [""] for name in switches if "sent" in form.fields} | dict(form.fields)
    return drop_hidden(read_options(Form(fields), SurgeryOptions))


@router.post("/api/surgery", operation_id="operate", summary="Edit a copy of a tokenizer", status_code=202)
@RoutePolicy(run="server")
def post(body: SurgeryRequest, request: Request) -> JSONResponse:
    """Starts to prune or extend a copy, and answers at once with the job. Its report has the laws that were checked,
    its files a table of ids with a program that moves the rows of an embedding matrix."""
    options = get_options(body, SurgeryOptions)
    job = start_surgery(request, body.tokenizer, body.named_texts, body.corpora, options, name=body.name.strip())
    return SURGERIES.accept(job)


@router.post(
    "/api/surgery/form",
    operation_id="operate_with_files",
    summary="Edit with files as corpus",
    status_code=202,
    openapi_extra={"requestBody": FORM},
)
@RoutePolicy(run="server")
def post_form(form: LongForm, request: Request) -> JSONResponse:
    """The same from a form: `tokenizer`, any number of `file`, `text`, `corpus`, and the options by name."""
    return SURGERIES.accept(start_from_form(request, form))


SURGERIES.add(
    router,
    "an operation",
    "What is done and the share of it, the seconds left and the steps that have ended; and at the end the report, the "
    "id that it was kept under, or the problem.",
    shown=lambda event: event,
)


@router.get(
    "/api/surgery/{id}/download/{file}",
    operation_id="download_operated_file",
    summary="Download the result of an operation",
)
@RoutePolicy(run="server")
def download(job: SurgeryParam, file: str) -> Response:
    """One of the files that the finished job lists, or all of them as a zip."""
    return as_file(result_file(job, file), file)
