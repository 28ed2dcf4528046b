"""Inline: an endpoint called on the event loop itself, because its request is small."""

from collections.abc import Callable
from typing import Literal

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from app.registry import NotLoaded, hurried

Lane = Literal["small", "worker", "thread"]
"""Small: on the event loop of the server · in a worker, which does nothing else · on a thread of the server."""
FEW = 16
"""Texts of the largest batch that is small."""


class Elsewhere(Exception):
    """This must be answered in a worker, though its request is small."""


def at_length(request: Request) -> None:
    """Say that what follows may take long: a request that came here for being small then goes to a worker."""
    if lane_of(request) == "small":
        raise Elsewhere


def lane_of(request: Request) -> Lane:
    """The lane that was noted of a request."""
    return getattr(request.state, "lane", "thread")


async def called(endpoint: Callable[[], Response], request: Request) -> Response:
    """What an endpoint answers: at once in a worker, or where the request is small and each tokenizer in memory."""
    lane = lane_of(request)
    if lane == "thread":
        return await run_in_threadpool(endpoint)
    token = hurried.set(lane == "small")
    try:
        return endpoint()
    except NotLoaded:
        pass
    finally:
        hurried.reset(token)
    return await run_in_threadpool(endpoint)
