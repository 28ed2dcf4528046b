"""What those who follow a hall see: parts of pages, each rendered once for all and sent when it has changed."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi.sse import format_sse_event

from ..hall.live import Audience, LiveHall, Part
from ..hall.state import HallState
from ..serialize.templates import templates

LEAD_PAUSE = 0.2
"""Seconds between two events to the lecturer, who follows every vote."""


def phone_context(hall: LiveHall, phone: str = "") -> dict[str, Any]:
    """Return what the parts of a phone show; without a phone, what they show to all."""
    state = hall.state
    step = state.steps.get(state.slide["key"]) if state.slide else None
    return {
        "code": hall.code,
        "state": state,
        "slide": state.slide,
        "poll": state.poll,
        "spotlight": state.questions.get(state.spotlight),
        "questions": state.ranked(shown=True),
        "phone": phone,
        "own_vote": state.poll.votes.get(phone) if state.poll else None,
        "own_lost": bool(step and phone in step.phones),
    }


def lead_context(hall: LiveHall) -> dict[str, Any]:
    """Return what the parts of the lecturer show."""
    state = hall.state
    phones = state.count_phones(time.time(), hall.phones)
    votes = len(state.poll.votes) if state.poll else 0
    step = state.steps.get(state.slide["key"]) if state.slide else None
    return phone_context(hall) | {
        "phones": phones,
        "votes": votes,
        "voters": max(phones, votes),
        "tally": state.poll.tally() if state.poll else [],
        "lost_here": len(step.phones) if step else 0,
        "lost": state.lost_steps(),
        "questions": state.ranked(shown=False),
        "wanted": state.ranked(shown=True)[:5],
    }


def _render(template: str, context: Callable[[LiveHall], dict[str, Any]], hall: LiveHall) -> bytes:
    return format_sse_event(data_str=templates.get_template(template).render(context(hall)))


def _part(name: str, context: Callable[[LiveHall], dict[str, Any]], changes: Callable[[HallState], int]) -> Part:
    return Part(changes, partial(_render, f"hall/_{name}.html", context))


CHANGES: dict[str, Callable[[HallState], int]] = {
    "slides": lambda state: state.events - state.taken.total(),
    "lost": lambda state: state.taken["lost"],
    "moderation": lambda state: state.taken["question"] + state.taken["upvote"] + state.shown,
}
"""What counts the events that change the larger parts; each event may change any other."""


def _lecturer(name: str, *parts: str) -> Audience:
    """Return an audience of the lecturer."""
    shown = (_part(one, lead_context, CHANGES.get(one, lambda state: state.events)) for one in parts)
    return Audience(name, tuple(shown), LEAD_PAUSE)


PHONES = Audience(
    "phones",
    (
        _part("slide", phone_context, lambda state: state.slides),
        _part("poll", phone_context, lambda state: state.polls),
        _part("questions", phone_context, lambda state: state.shown + state.upvotes),
    ),
)
SCREEN = _lecturer("screen", "numbers", "bars", "wanted", "spotlight", "turned")
LEAD = _lecturer("lead", "numbers", "slides", "votes", "lost", "moderation")
