"""The hall on phones: the form for a code, the page that follows the lecture, and what a phone sends."""

from __future__ import annotations

import re
import secrets

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from ....errors import Invalid
from ...event_stream import EventStream
from ...forms import SentForm
from ...hall_access import Here, Phone, Visitor, find_hall, get_halls, join
from ...hall_parts import PHONES, phone_context
from ...policy import RoutePolicy
from ...render import render
from ...routing import Router

router = Router(include_in_schema=False)
MAX_QUESTION = 280
"""Characters of a written question."""
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+")
"""Control characters, and those that change the direction of what follows."""


@router.get("/h")
@RoutePolicy(run="server")
async def enter(request: Request, code: str = "") -> Response:
    """The form for a code, or the hall of the code that was typed into it."""
    if not code:
        return render(request, "hall", {}, fragment="enter")
    hall = await find_hall(request, code)
    return RedirectResponse(f"/hall/{hall.code}", 303)


@router.get("/hall/{code}")
@RoutePolicy(run="server")
async def page(request: Request, code: str, visitor: Here) -> Response:
    hall = visitor.hall
    if code != hall.code:
        return RedirectResponse(f"/hall/{hall.code}", 303)
    response = render(request, "hall", phone_context(hall, visitor.phone) | {"limit": MAX_QUESTION}, fragment="phone")
    if not visitor.phone:
        join(request, response, hall)
    return response


@router.get("/hall/{code}/events", response_class=EventStream)
@RoutePolicy(run="server", counted=False, watched=True)
async def events(request: Request, visitor: Here) -> EventStream:
    return EventStream(get_halls(request).follow(visitor.hall, PHONES, phone=visitor.phone))


@router.post("/hall/{code}/vote")
@RoutePolicy(run="server")
async def vote(visitor: Phone, form: SentForm) -> Response:
    """Vote, or change the vote."""
    poll = visitor.hall.state.all_polls.get(form.get("poll"))
    answer = poll.read([one for one in form.getall("answer") if one]) if poll else ""
    if poll is None or not answer:
        raise Invalid("This hall has no such question, or it cannot be answered so.", pointer="/answer")
    if poll.votes.get(visitor.phone) != answer:
        await visitor.append("vote", poll=poll.id, answer=answer)
    if poll.votes.get(visitor.phone) != answer and poll.revealed is not None:
        raise Invalid("The answer is out: votes are no longer counted.", pointer="/poll")
    return _back(visitor)


@router.post("/hall/{code}/lost")
@RoutePolicy(run="server")
async def lost(visitor: Phone, form: SentForm) -> Response:
    """Say that one is lost at a step, or no longer."""
    step, is_lost = visitor.hall.state.steps.get(form.get("step")), form.get("lost") == "1"
    if step is None:
        raise Invalid("This hall has shown no such step.", pointer="/step")
    if (visitor.phone in step.phones) != is_lost:
        await visitor.append("lost", step=form.get("step"), lost=is_lost)
    return _back(visitor)


@router.post("/hall/{code}/question")
@RoutePolicy(run="server")
async def question(request: Request, visitor: Phone, form: SentForm) -> Response:
    """Write a question, which others see once the lecturer shows it."""
    text = " ".join(UNSEEN.sub(" ", form.text).split())
    if not 0 < len(text) <= MAX_QUESTION:
        raise Invalid(f"A question has 1 to {MAX_QUESTION} characters.", pointer="/text")
    get_halls(request).limits.questions.take((visitor.hall.code, visitor.phone))
    await visitor.append("question", id=secrets.token_hex(4), text=text)
    return _back(visitor)


@router.post("/hall/{code}/upvote")
@RoutePolicy(run="server")
async def upvote(visitor: Phone, form: SentForm) -> Response:
    """Want a question answered, which counts once."""
    wanted = visitor.hall.state.questions.get(form.get("id"))
    if wanted is None or not wanted.shown:
        raise Invalid("This hall shows no such question.", pointer="/id")
    if visitor.phone not in wanted.phones:
        await visitor.append("upvote", id=wanted.id)
    return _back(visitor)


def _back(visitor: Visitor) -> Response:
    """Lead a browser back to the page of the hall; its script takes the answer for a receipt."""
    return RedirectResponse(f"/hall/{visitor.hall.code}", 303)
