"""What the lecturer does with a hall: open it, have it follow the slides, show questions, hand it over, close it."""

from __future__ import annotations

import time

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from ....csv_text import csv_text
from ....errors import Invalid, NotAllowed, TooOften
from ....hall.halls import hash_secret, matches, new_secret
from ....hall.live import LiveHall
from ....hall.polls import csv_rows
from ....hall.state import MAX_CHOICES, MAX_POLLS, MAX_STEPS, name_step
from ...concurrency import get_client
from ...downloads import as_file
from ...event_stream import EventStream
from ...forms import SentForm
from ...hall_access import Found, Led, Staged, get_halls, give_lead
from ...hall_parts import LEAD, SCREEN, lead_context
from ...hall_slides import AskedEvent, RevealedEvent, SlideEvent, StageEvent
from ...policy import RoutePolicy
from ...qr import draw_qr
from ...render import render
from ...routing import Router

router = Router(include_in_schema=False)
HANDOVER_SECONDS = 600.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@router.post("/hall")
@RoutePolicy(run="server")
async def open_hall(request: Request) -> Response:
    """Open a hall, which this browser leads; the answer is what the slide shows of it."""
    halls, address = get_halls(request), get_client(request.scope)
    halls.limits.openings.take(address)
    secret = new_secret()
    hall = await halls.open(secret, str(address))
    response = _screen(request, hall)
    give_lead(request, response, hall, secret)
    return response


@router.get("/hall/{code}/screen")
@RoutePolicy(run="server")
async def screen(request: Request, hall: Led) -> Response:
    return _screen(request, hall)


@router.get("/hall/{code}/screen/events", response_class=EventStream)
@RoutePolicy(run="server", counted=False, watched=True)
async def screen_events(request: Request, hall: Led) -> EventStream:
    return EventStream(get_halls(request).follow(hall, SCREEN))


@router.get("/hall/{code}/lead")
@RoutePolicy(run="server")
async def lead(request: Request, hall: Led) -> Response:
    return render(request, "hall", lead_context(hall) | {"handover": None}, fragment="lead")


@router.get("/hall/{code}/lead/events", response_class=EventStream)
@RoutePolicy(run="server", counted=False, watched=True)
async def lead_events(request: Request, hall: Led) -> EventStream:
    return EventStream(get_halls(request).follow(hall, LEAD))


@router.post("/hall/{code}/stage")
@RoutePolicy(run="server")
async def stage(hall: Staged, event: StageEvent) -> Response:
    """Show to the phones what is on the screen. Of a question that comes again, its id is written alone."""
    state, fields = hall.state, event.model_dump()
    if state.closed:
        raise Invalid("This hall is closed.")
    match event:
        case SlideEvent(title=title, at=at, caption=caption):
            key = fields["key"] = name_step(title, at, event.address)
            if key not in state.steps and len(state.steps) < MAX_STEPS:
                await hall.append("step", key=key, title=title, at=at, caption=caption)
        case AskedEvent(id=id) if id in state.all_polls:
            fields = {"kind": "asked", "id": id}
        case AskedEvent():
            choices = sum(len(poll.choices) for poll in state.all_polls.values()) + len(event.choices)
            if len(state.all_polls) >= MAX_POLLS or choices > MAX_CHOICES:
                most = f"{MAX_POLLS} questions with {MAX_CHOICES:,} choices"
                raise TooOften(f"This hall takes {most}. Open another one.")
        case RevealedEvent(id=id) if id in state.all_polls and state.all_polls[id].revealed is not None:
            fields = {"kind": "revealed", "id": id}
    await hall.append(fields.pop("kind"), **fields)
    return Response(status_code=204)


@router.post("/hall/{code}/show")
@RoutePolicy(run="server")
async def show(hall: Staged, form: SentForm) -> Response:
    """Show a written question to all, or hide it again."""
    if form.get("id") not in hall.state.questions:
        raise Invalid("This hall has no such question.", pointer="/id")
    await hall.append("shown", id=form.get("id"), shown=form.get("shown") == "1")
    return _to_lead(hall)


@router.post("/hall/{code}/turn")
@RoutePolicy(run="server")
async def turn(hall: Staged, form: SentForm) -> Response:
    """Have the browser that presents go on, or back."""
    await hall.append("turned", by=-1 if form.get("by") == "-1" else 1)
    return _to_lead(hall)


@router.post("/hall/{code}/rotate")
@RoutePolicy(run="server")
async def rotate(request: Request, hall: Staged) -> Response:
    """Lead with a new secret: no other browser leads any more, and no link for another one is valid."""
    response = _to_lead(hall)
    await _take(request, response, hall)
    return response


@router.post("/hall/{code}/handover")
@RoutePolicy(run="server")
async def handover(request: Request, hall: Staged) -> Response:
    """Show a link with which another machine continues."""
    secret = new_secret()
    await hall.append("handover", secret=hash_secret(secret), until=time.time() + HANDOVER_SECONDS)
    address = f"{request.base_url}hall/{hall.code}/take?key={secret}"
    return render(request, "hall", lead_context(hall) | {"handover": address, "qr": draw_qr(address)}, fragment="lead")


@router.get("/hall/{code}/take")
@RoutePolicy(run="server")
async def take_page(request: Request, hall: Found, key: str = "") -> Response:
    return render(request, "hall", {"code": hall.code, "key": key}, fragment="take")


@router.post("/hall/{code}/take")
@RoutePolicy(run="server")
async def take(request: Request, hall: Found, form: SentForm) -> Response:
    """Lead a hall from this browser from now on, with the secret of a link."""
    if not matches(form.get("key"), hall.state.handover) or time.time() > hall.state.handover_until:
        raise NotAllowed("This link was used already, or is too old. Make another one.")
    response = _to_lead(hall)
    await _take(request, response, hall)
    return response


@router.post("/hall/{code}/close")
@RoutePolicy(run="server")
async def close(hall: Led) -> Response:
    """End the lecture: phones stop to follow, and votes are no longer taken."""
    if not hall.state.closed:
        await hall.append("closed")
    return RedirectResponse(f"/hall/{hall.code}/end", 303)


@router.get("/hall/{code}/end")
@RoutePolicy(run="server")
def end(request: Request, hall: Led) -> Response:
    """All questions, their votes over time, and where phones were lost; in a thread, as it may be long."""
    return render(request, "hall", lead_context(hall), fragment="end")


@router.get("/hall/{code}/end.csv")
@RoutePolicy(run="server")
def end_csv(hall: Led) -> Response:
    return as_file(csv_text(csv_rows(hall.state)), f"hall-{hall.code}.csv")


def _screen(request: Request, hall: LiveHall) -> Response:
    """Return what a slide shows of a hall: how to enter it, how many are there, and the votes."""
    site = str(request.base_url)
    shown = {
        "door": site.partition("://")[2].rstrip("/"),
        "qr": draw_qr(f"{site}hall/{hall.code}"),
        "unreachable": request.url.hostname in LOOPBACK,
    }
    return render(request, "hall", lead_context(hall) | shown, fragment="screen")


async def _take(request: Request, response: Response, hall: LiveHall) -> None:
    secret = new_secret()
    await hall.append("leader", leader=hash_secret(secret))
    give_lead(request, response, hall, secret)


def _to_lead(hall: LiveHall) -> Response:
    return RedirectResponse(f"/hall/{hall.code}/lead", 303)
