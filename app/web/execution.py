"""Work for an app in a worker process, and what becomes of the memory of the worker."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ..lab.chat.limits import share_limits
from ..memory import collect_garbage, release_memory
from ..workers.process import is_worker, own_bytes, retire
from .concurrency import cancel_on_disconnect, get_client
from .services import SERVICES, Services, get_services

MAX_GROWTH = 48_000_000
"""Bytes by which a request may let a worker grow before freed memory is returned to the system."""


def restore_response(status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> Response:
    """Return a response that was made in a worker."""
    response = Response(status_code=status)
    response.raw_headers, response.body = headers, body
    return response


@contextmanager
def one_request(services: Services) -> Iterator[None]:
    """Surround the work of a request in a worker, which is replaced afterwards if it holds too much memory of its own.

    What it holds beyond its tokenizers is mostly free, but in so many pieces that it cannot be returned to the system.
    """
    before = own_bytes() if is_worker() else 0
    with services.registry.one_request(), share_limits():
        yield
    if not is_worker():
        return  # to look through all that a server without workers holds takes longer than most requests
    limit = services.settings.max_resident + services.registry.nbytes
    if own_bytes() - before > MAX_GROWTH:
        release_memory()
    if own_bytes() > limit:
        collect_garbage()
        release_memory()
        if own_bytes() > limit:
            retire()


def forget_deleted(services: Services) -> None:
    """Free the memory of tokenizers that are kept no longer, as each request of a worker does at its end."""
    with one_request(services):
        pass


async def run_for(request: Request, work: Callable[..., Any], *args: Any, untrusted: bool = False) -> Any:
    """Return the result of `run_work` for a request.

    Raises `ClientDisconnect` if the client leaves before, whose work is then stopped, and what `run_work` raises.
    """
    services = get_services(request)
    run = partial(run_work, services, work, *args, untrusted=untrusted)
    running = run(client=get_client(request.scope), strange=SERVICES in request.scope)
    return await (running if services.workers is None else cancel_on_disconnect(request.receive, running))


async def run_work(
    services: Services,
    work: Callable[..., Any],
    *args: Any,
    client: Hashable = None,
    strange: bool = False,
    untrusted: bool = False,
) -> Any:
    """Return the result of `work(services, *args)` in a worker, or on a thread of a server without workers.

    `strange` work is for a page of another origin. Raises what `Workers.run` raises.
    """
    if services.workers is None:
        return await run_in_threadpool(share_limits()(work), services, *args)
    return await services.workers.run(call, strange, work, args, client=client, untrusted=untrusted)


def call(services: Services, strange: bool, work: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Return the result of work with the services of a worker, or with those for a page of another origin."""
    own = services.for_strangers() if strange else services
    with one_request(own):
        return work(own, *args)
