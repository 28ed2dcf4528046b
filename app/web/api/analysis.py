"""GET /api/vocabulary/{id}: the figures of a vocabulary, or the state of the analysis that computes them."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Path, Request
from pydantic import JsonValue
from starlette.concurrency import run_in_threadpool

from ...errors import Forbidden, Invalid, NoSpace, Overloaded, Unavailable
from ...jobs.job import Job
from ...lab.models import resolve_model
from ...lab.vocabulary.analysing import analyse_vocabulary
from ...lab.vocabulary.analysis import is_analysed, load_figures, recall, remember
from ...lab.vocabulary.analysis_process import forget_failed, job_for, summarize_analysis
from ...store import Record
from ..body import JSONResponse
from ..concurrency import find_owner
from ..execution import run_for
from ..policy import RoutePolicy
from ..routing import Router
from ..security import is_cross_site
from ..services import Services, get_services

router = Router(tags=["vocabulary"])
EXAMPLE: dict[str, JsonValue] = {
    "id": "cl100k_base",
    "tokens": 100261,
    "classes": {"ok": 99483, "special": 5, "special, no text found": 0, "undecodable": 773, "no text found": 0},
    "undecodable": {"count": 773, "single_bytes": 128, "longer": 645, "with_witness": 760},
    "numbers": [{"digits": 3, "of": 900, "single": 900, "spaced": 0, "missing": []}],
}
RUNNING: dict[str, JsonValue] = {"id": "gemma4", "state": "running", "doing": "Encoding every character", "share": 0.6}
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {"example": EXAMPLE}}},
    202: {"description": "It is being computed", "content": {"application/json": {"example": RUNNING}}},
}
Id = Annotated[str, Path(description="An id from /api/tokenizers, or the name of a model.", examples=["cl100k_base"])]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The figures of a vocabulary, or the job that computes them and its progress; no job while it waits."""

    record: Record
    figures: Mapping[str, Any] | None = None
    job: Job | None = None
    progress: Mapping[str, Any] = field(default_factory=dict)


@router.get(
    "/api/vocabulary/{id:path}", operation_id="get_vocabulary", summary="Figures of a vocabulary", responses=ANSWERS
)
@RoutePolicy(run="server")
async def get(id: Id, request: Request) -> JSONResponse:
    """Tokens by class (Land and Bartolo 2024), script and length; numbers, white space and words that are single
    tokens; fragments, orphans, duplicates, unused ids. The first request starts the analysis and gets 202: ask again
    after a second. The figures are kept for later requests."""
    outcome = await get_outcome(request, id)
    if outcome.figures is not None:
        return JSONResponse(outcome.figures)
    state = outcome.job.state() if outcome.job else "waiting"
    described = {"id": outcome.record.info.id, "state": state, **outcome.progress}
    if outcome.progress.get("problem"):
        return JSONResponse(described, outcome.progress["problem"]["status"])
    return JSONResponse(described, 202, headers={"Retry-After": "1"})


async def get_outcome(request: Request, id: str) -> Outcome:
    """Return the figures of a vocabulary; if there are none yet, start to compute them.

    Where enough others are computed, it waits for its turn: the next request tries again. Raises `UnknownTokenizer`;
    `Invalid` for a vocabulary that grows with the text; `Forbidden` where a page of another site has it fetched, as
    with <img>.
    """
    services = get_services(request)
    registry = services.registry
    settings, owner = services.settings, find_owner(request.scope)
    chosen = await run_in_threadpool(resolve_model, registry, id, pointer="/id")
    record = await run_in_threadpool(registry.record, chosen)
    if record.info.grows:
        detail = f"{chosen} builds its vocabulary anew from each text, so there is none to look through."
        raise Invalid(detail, pointer="/id")
    may_start = not is_cross_site(request.headers) or request.headers.get("sec-fetch-dest") == "document"
    if (figures := await run_in_threadpool(load_figures, settings, record)) is not None:
        # Only the figures are recorded: the tokens themselves come later.
        if may_start and not is_analysed(settings, record):
            with suppress(NoSpace, OSError, Unavailable):
                await run_in_threadpool(job_for, services.analyses, record, owner)
        return Outcome(record, figures)
    if not may_start:
        raise Forbidden("A page of another site may not start an analysis; follow a link instead.")
    try:
        job = await run_in_threadpool(job_for, services.analyses, record, owner)
    except Overloaded:
        return Outcome(record, progress={**summarize_analysis([]), "doing": "Waiting for other analyses to end"})
    except (NoSpace, OSError, Unavailable):  # nothing can be written here, not even a job
        figures = await run_for(request, compute, record.info.id, untrusted=not record.trusted)
        return Outcome(record, figures)
    progress = summarize_analysis(job.events())
    if progress["doing"] == "Finished" and (figures := load_figures(settings, record)) is not None:
        return Outcome(record, figures)  # it has ended meanwhile
    return Outcome(record, None, job, progress)


def forget_failure(request: Request, id: str) -> str:
    """Have the next request start a failed analysis again; return the id. Raises `UnknownTokenizer`."""
    services = get_services(request)
    chosen = resolve_model(services.registry, id, pointer="/id")
    forget_failed(services.analyses, services.registry.record(chosen))
    return chosen


def compute(services: Services, id: str) -> Mapping[str, Any]:
    """Return the figures of a vocabulary, which the worker keeps in its memory."""
    registry = services.registry
    record = registry.record(id)
    known = recall(record) or analyse_vocabulary(record, registry.get(id))
    remember(record, known)
    return known.figures
