"""POST /api/fetches: fetch a vocabulary on request, watch it, cancel it."""

from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ...errors import Invalid, NotAllowed
from ...jobs.job import Job
from ...lab.tokenizers.catalogue import get_catalogue
from ...lab.tokenizers.fetch_process import FetchSpec, summarize_fetch
from ...lab.tokenizers.fetching import HUB, hub_parts
from ..body import JSONResponse
from ..concurrency import find_owner
from ..job_routes import JobRoutes
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["tokenizers"])
EXAMPLE: dict[str, JsonValue] = {"name": "llama-3", "accept_licence": True}


class FetchRequest(BaseModel):
    """What to fetch."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    name: str = Field(description="A name from GET /api/fetches, or hf:org/name, or hf:org/name@revision.")
    accept_licence: bool = Field(False, description="That the licence of the model was read and is accepted.")


def serialize_fetch(job: Job) -> dict[str, Any]:
    """A fetch as plain data."""
    return {"id": job.id, "state": job.state(), **summarize_fetch(job.events())}


FETCHES = JobRoutes(lambda services: services.fetches, "/api/fetches", serialize_fetch)
FetchParam = Annotated[Job, Depends(FETCHES.find)]


def start_fetch(request: Request, name: str, *, accepted: bool) -> Job:
    """Start to fetch a vocabulary in a process of its own.

    Raises `NotAllowed` where this server fetches nothing or the licence is not accepted, `UnknownTokenizer`, `Invalid`.
    """
    settings = get_services(request).settings
    if not settings.may_fetch:
        raise NotAllowed("This server fetches nothing; TOKENARIUM_FETCH=on would allow it.")
    if name.startswith(HUB):
        hub_parts(name)
    else:
        wanted = get_catalogue(settings).find(name)
        if not accepted:
            raise Invalid(f"First accept the {wanted.licence}: {wanted.link}", pointer="/accept_licence")
    return get_services(request).fetches.start(FetchSpec(name=name, settings=settings, owner=find_owner(request.scope)))


@router.get("/api/fetches", operation_id="list_fetches", summary="List what can be fetched")
@RoutePolicy(run="server")
def index(request: Request) -> JSONResponse:
    """The vocabularies that can be fetched on request, each with the licence to accept; models whose files must be
    brought; and models that publish no tokenizer."""
    offers = get_catalogue(get_services(request).settings)
    vocabularies = [
        {
            "name": one.id,
            "title": one.title,
            "models": one.models,
            "licence": one.licence,
            "link": one.link,
            "package": f"{one.package.name} {one.package.version}",
            "bytes": one.package.bytes,
        }
        for one in offers.vocabularies.values()
    ]
    may_fetch = get_services(request).settings.may_fetch
    groups = {"brought": offers.brought, "unpublished": offers.unpublished}
    return JSONResponse({"may_fetch": may_fetch, "vocabularies": vocabularies, **groups})


@router.post("/api/fetches", operation_id="fetch_vocabulary", summary="Fetch a vocabulary", status_code=202)
@RoutePolicy(run="server")
def post(body: FetchRequest, request: Request) -> JSONResponse:
    """Starts to download the package that has a vocabulary, of which only that is kept, and answers at once."""
    return FETCHES.accept(start_fetch(request, body.name, accepted=body.accept_licence))


FETCHES.add(router, "a fetch", "The share that was downloaded, and at the end the id of the tokenizer, or the problem.")
