"""The routes that kinds of jobs share: the state of a job, its events, its page as they occur, and its cancellation."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Header, Request
from fastapi.sse import format_sse_event
from starlette.responses import RedirectResponse

from ..jobs.feed import JobUpdate
from ..jobs.job import Job, Jobs
from .body import JSONResponse
from .event_stream import KEEPALIVE, EventStream, encode_events
from .policy import RoutePolicy
from .services import Services, get_services

Event = Mapping[str, Any]
Show = Callable[[Event], Event]
DONE = b"event: done\ndata: \n\n"
"""The event that closes the stream of a page."""


@dataclass(frozen=True, slots=True)
class JobRoutes:
    """The routes of a kind of jobs, which are among the services; `serialize` makes plain data of a job."""

    kind: Callable[[Services], Jobs]
    path: str
    serialize: Callable[[Job], dict[str, Any]]

    def jobs(self, request: Request) -> Jobs:
        """The jobs of this kind."""
        return self.kind(get_services(request))

    def find(self, id: str, request: Request) -> Job:
        """The job with the id in the path of a request; a dependency. Raises `UnknownJob`."""
        return self.jobs(request).get(id)

    def accept(self, job: Job) -> JSONResponse:
        """Answer with a job that was started: 202."""
        return JSONResponse(self.serialize(job), 202, headers={"Location": f"{self.path}/{job.id}"})

    def add(self, router: APIRouter, what: str, description: str, *, shown: Show | None = None) -> None:
        """Add the routes that say what a job does and end it; and that of its events, each as it is `shown`, if any."""

        noun = what.partition(" ")[2]

        @router.get(
            f"{self.path}/{{id}}", operation_id=f"get_{noun}", summary=f"The state of {what}", description=description
        )
        @RoutePolicy(run="server")
        def get(job: Annotated[Job, Depends(self.find)]) -> JSONResponse:
            return JSONResponse(self.serialize(job))

        if shown is not None:
            self._add_events(router, what, shown)
        ends = f"Ends the {noun} at once, if it has not ended; nothing of it is kept."

        @router.delete(f"{self.path}/{{id}}", operation_id=f"cancel_{noun}", summary=f"Cancel {what}", description=ends)
        @RoutePolicy(run="server")
        def delete(id: str, request: Request) -> JSONResponse:
            return JSONResponse(self.serialize(self.jobs(request).cancel(id)))

    def add_cancel_page(self, router: APIRouter, path: str) -> None:
        """Add the route of a button that ends a job, whose page has this path."""

        @router.post(f"{path}/{{id}}/cancel")
        @RoutePolicy(run="server")
        def cancel(request: Request, id: str) -> RedirectResponse:
            return RedirectResponse(f"{path}/{self.jobs(request).cancel(id).id}", 303)

    def add_page_stream(
        self,
        router: APIRouter,
        path: str,
        *,
        stage: Callable[[JobUpdate], str],
        draw: Callable[[Request, Job, JobUpdate, bool], str],
    ) -> None:
        """Add the stream of the page of a job: `draw` renders it at an update, which may begin a new `stage`."""

        @router.get(f"{path}/{{id}}/stream", response_class=EventStream)
        @RoutePolicy(run="server", counted=False, watched=True)
        async def stream(request: Request, job: Annotated[Job, Depends(self.find)]) -> EventStream:
            """The page of the job, rendered anew at each update for all viewers; the event `done` closes the stream."""
            updates = get_services(request).job_feeds.follow(job)
            return EventStream(_stream_page(updates, stage, partial(draw, request, job)))

    def _add_events(self, router: APIRouter, what: str, shown: Show) -> None:
        @router.get(
            f"{self.path}/{{id}}/events",
            operation_id=f"watch_{what.partition(' ')[2]}",
            summary=f"Watch {what}",
            response_class=EventStream,
            status_code=200,
        )
        @RoutePolicy(run="server", counted=False, watched=True)
        async def events(
            job: Annotated[Job, Depends(self.find)],
            request: Request,
            last_event_id: Annotated[str, Header(description="The id of the last event received.")] = "",
        ) -> EventStream:
            """The events so far as a summary: of each kind of progress the last one, which stands for those before it.
            Then each event as it occurs, until the last; `kind` names its type. A client that reads too slowly gets
            another summary."""
            after = int(last_event_id) if last_event_id.isdecimal() and len(last_event_id) < 16 else -1
            return EventStream(_stream(get_services(request).job_feeds.follow(job), after, shown))


async def _stream(updates: AsyncGenerator[JobUpdate, None], after: int, shown: Show) -> AsyncGenerator[bytes, None]:
    async with aclosing(updates):
        async for update in updates:
            if update.end == after:
                yield KEEPALIVE
            elif update.begin == after:
                yield update.share("fresh", partial(_encode, update.fresh, update.end, shown))
            else:
                yield update.share("events", partial(_encode, update.events, update.end, shown))
            after = update.end


async def _stream_page(
    updates: AsyncGenerator[JobUpdate, None],
    stage: Callable[[JobUpdate], str],
    draw: Callable[[JobUpdate, bool], str],
) -> AsyncGenerator[bytes, None]:
    before = ""
    end = -1

    def draw_event() -> bytes:
        return format_sse_event(data_str=draw(update, new), id=str(update.end))

    async with aclosing(updates):
        async for update in updates:
            new = stage(update) != before
            if new or update.end != end or update.state != "running":
                yield update.share(("page", new), draw_event)
            else:
                yield KEEPALIVE
            before = stage(update)
            end = update.end
    yield DONE


def _encode(events: Sequence[Event], end: int, shown: Show) -> bytes:
    return encode_events([(event["kind"], orjson.dumps(shown(event))) for event in events], end)
