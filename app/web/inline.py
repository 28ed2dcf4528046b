"""Inline: an endpoint called on the event loop itself, because its request is small."""

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from app.registry import NotLoaded, hurried

FEW = 16
"""Texts of the largest batch that is small."""


class Elsewhere(Exception):
    """This must be answered in a worker, though its request is small."""


def at_length(request: Request) -> None:
    """Say that what follows may take long: a request that came here for being small then goes to a worker."""
    if getattr(request.state, "small", False):
        raise Elsewhere


async def called(endpoint: Callable[[], Response], request: Request) -> Response:
    """What an endpoint answers: at once where the request is small and each tokenizer in memory, else on a thread."""
    if getattr(request.state, "small", False):
        token = hurried.set(True)
        try:
            return endpoint()
        except NotLoaded:
            pass
        finally:
            hurried.reset(token)
    return await run_in_threadpool(endpoint)
