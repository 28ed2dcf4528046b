"""What those who follow a hall see: parts of pages, each rendered once for all and sent when it has changed."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi.sse import format_sse_event

from ..hall.live import Audience, LiveHall, Part
from ..hall.state import HallState
from .render import templates

LEAD_PAUSE = 0.2
"""Seconds between two events to the lecturer, who follows every vote."""


def phone_context(hall: LiveHall, phone: str = "") -> dict[str, Any]:
    """Return what the parts of a phone show; without a phone, what they show to all."""
    state = hall.state
    step = state.steps.get(state.slide.key) if state.slide else None
    return {
        "code": hall.code,
        "state": state,
        "slide": state.slide,
        "poll": state.poll,
        "questions": state.ranked(shown=True),
        "phone": phone,
        "own_vote": state.poll.votes.get(phone) if state.poll else None,
        "own_lost": bool(step and phone in step.phones),
    }


def lead_context(hall: LiveHall) -> dict[str, Any]:
    """Return what the parts of the lecturer show."""
    state = hall.state
    poll = state.poll
    phones = state.count_phones(time.time())
    votes = len(poll.votes) if poll else 0
    return {
        "code": hall.code,
        "state": state,
        "slide": state.slide,
        "poll": poll,
        "phones": phones,
        "votes": votes,
        "voters": max(phones, votes),
        "counts": poll.counts() if poll else [],
        "lost_here": len(state.steps[state.slide.key].phones) if state.slide and state.slide.key in state.steps else 0,
        "lost": state.lost_steps(),
        "questions": state.ranked(shown=False),
        "wanted": state.ranked(shown=True)[:5],
    }


def _part(name: str, context: Callable[[LiveHall], dict[str, Any]], changes: Callable[[HallState], int]) -> Part:
    return Part(changes, partial(_render, f"hall/_{name}.html", context))


def _render(template: str, context: Callable[[LiveHall], dict[str, Any]], hall: LiveHall) -> bytes:
    return format_sse_event(data_str=templates.get_template(template).render(context(hall)))


def _events(state: HallState) -> int:
    return state.events


PHONES = Audience(
    "phones",
    (
        _part("slide", phone_context, lambda state: state.slides),
        _part("poll", phone_context, lambda state: state.polls),
        _part("questions", phone_context, lambda state: state.shown + state.upvotes),
    ),
)
SCREEN = Audience(
    "screen", tuple(_part(name, lead_context, _events) for name in ("numbers", "votes", "wanted")), LEAD_PAUSE
)
LEAD = Audience(
    "lead", tuple(_part(name, lead_context, _events) for name in ("numbers", "votes", "lost", "moderation")), LEAD_PAUSE
)
