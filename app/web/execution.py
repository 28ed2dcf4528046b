"""Where an endpoint runs: inline on the event loop, as the only work of a worker process, or on a thread."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Literal

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from ..memory import collect_garbage, release_memory
from ..registry import NeedsUntrusted, NeedsWorker, NotLoaded, nonblocking
from ..workers.process import is_worker, own_bytes, retire
from .concurrency import cancel_on_disconnect, get_client
from .services import get_services

Execution = Literal["inline", "worker", "thread"]
MAX_GROWTH = 48_000_000
"""Bytes by which a request may let a worker grow before freed memory is returned to the system."""
MAX_INLINE_TEXTS = 16
"""Texts of the largest batch that is tokenized inline."""


def get_execution(scope: Scope) -> Execution:
    """Return where the endpoint of a request runs, as `dispatch` has noted it in the scope."""
    execution: Execution = scope.get("tokenarium.execution", "thread")
    return execution


def require_untrusted_turn(request: Request) -> None:
    """Raise if what follows, a program that a user wrote, does not run in a worker that was chosen for such requests.

    Raises `NeedsWorker` inline, `NeedsUntrusted` in a worker that was taken as for any other request.
    """
    require_worker(request)
    if get_execution(request.scope) == "worker" and not request.scope.get("tokenarium.untrusted"):
        raise NeedsUntrusted


def require_worker(request: Request) -> None:
    """Raise `NeedsWorker` if the request is answered inline: what follows may take long."""
    if get_execution(request.scope) == "inline":
        raise NeedsWorker


@contextmanager
def one_request(app: FastAPI) -> Iterator[None]:
    """Surround the work of a request in a worker, which is replaced afterwards if it holds too much memory of its own.

    What it holds beyond its tokenizers is mostly free, but in so many pieces that it cannot be returned to the system.
    """
    before = own_bytes() if is_worker() else 0
    with get_services(app).registry.one_request():
        yield
    if not is_worker():
        return  # to look through all that a server without workers holds takes longer than most requests
    limit = get_services(app).settings.max_resident + get_services(app).registry.excess
    if own_bytes() - before > MAX_GROWTH:
        release_memory()
    if own_bytes() > limit:
        collect_garbage()
        release_memory()
        if own_bytes() > limit:
            retire()


def forget_deleted(app: FastAPI) -> None:
    """Free the memory of tokenizers that are kept no longer, as each request of a worker does at its end."""
    with one_request(app):
        pass


async def run_for(request: Request, work: Callable[..., Any], *args: Any, untrusted: bool = False) -> Any:
    """Return what `work(app, *args)` returns in a worker, or on a thread of a server without workers.

    Raises `ClientDisconnect` if the client leaves before, whose work is then stopped, and what `Workers.run` raises.
    """
    workers = get_services(request).workers
    if workers is None:
        return await run_in_threadpool(work, request.app, *args)
    running = workers.run(work, *args, client=get_client(request.scope), untrusted=untrusted)
    return await cancel_on_disconnect(request.receive, running)


async def run_endpoint(endpoint: Callable[[], Response], request: Request) -> Response:
    """Call an endpoint without a thread, which takes longer than a short text, wherever that blocks nobody else.

    Raises `NeedsWorker` inline, where the endpoint or its tokenizer may take long.
    """
    execution = get_execution(request.scope)
    if execution == "thread":
        return await run_in_threadpool(endpoint)
    with suppress(NotLoaded):
        return call_inline(endpoint) if execution == "inline" else endpoint()
    return await run_in_threadpool(endpoint)  # loads the tokenizer, which the event loop must not wait for


def call_inline(endpoint: Callable[[], Response]) -> Response:
    """Call an endpoint on the event loop. Raises `NeedsWorker` or `NotLoaded` where it may take long."""
    token = nonblocking.set(True)
    try:
        return endpoint()
    finally:
        nonblocking.reset(token)
