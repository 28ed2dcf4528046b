"""Run small requests inline on the event loop, and everything else in a worker process that has the same routes.

A worker gets a request when the whole of it has come, and is free again before the client reads the answer: a client
that sends or reads slowly occupies none.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import suppress
from contextvars import copy_context
from functools import cache
from typing import Any

from fastapi import FastAPI
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import TokenariumError
from ..registry import NeedsUntrusted, NeedsWorker, trusted_only
from ..serialize.json import parse
from ..workers import Workers
from ..workers.process import loading
from .body import StrictRoute
from .concurrency import client_number, received
from .execution import Execution, NeedsUntrustedTurn, one_request
from .policy import route_of
from .problems import note_form

MAX_INLINE_BYTES = 4096
"""Size of the largest body that is answered inline."""
SAME_WORKER_TIMEOUT = 3.0
"""Seconds that a request waits for the worker that answered its client before; then any other does."""
PART = 2**18
"""Bytes of an answer that a worker passes on at once."""
UNTRUSTED: Message = {"type": "tokenarium.untrusted"}
"""The answer of a worker that needs another turn for a request, because the request runs what a user wrote."""
# What a worker needs of a request beside its body; the rest of a scope cannot be sent to another process.
CARRIED = (
    *("type", "asgi", "http_version", "method", "scheme"),
    *("path", "raw_path", "query_string", "root_path", "headers", "tokenarium.tokenizer"),
)


class Dispatcher:
    """ASGI middleware in front of the routes."""

    def __init__(self, app: ASGIApp, *, workers: Workers | None) -> None:
        self.app = app
        self.workers = workers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (policy := route_of(scope).policy).run == "server":
            await self.app(scope, receive, send)
            return
        message = await receive()  # the whole body: the concurrency middleware has read it
        body: bytes = message["body"]
        if policy.run == "inline" and len(body) <= MAX_INLINE_BYTES:
            try:
                await run_route("inline", self.app, scope, body, receive, send)
                return
            except NeedsWorker:
                pass  # raised before anything was sent
        if self.workers is None:
            await run_route("thread", self.app, scope, body, receive, send)
        else:
            await self._run_in_worker(self.workers, scope, body, receive, send)

    async def _run_in_worker(self, workers: Workers, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Have a worker answer; if the client disconnects before, the work is stopped."""
        policy = route_of(scope).policy
        # Requests of one client prefer one worker, which may have cached what they are about.
        prefer = client_number(scope)
        wait = SAME_WORKER_TIMEOUT if policy.same_worker else 0.0
        carried = {name: scope[name] for name in CARRIED if name in scope}
        work = asyncio.ensure_future(_answered(workers, carried, body, prefer=prefer, preferred_wait=wait))
        disconnect = asyncio.ensure_future(receive())
        try:
            await asyncio.wait((work, disconnect), return_when=asyncio.FIRST_COMPLETED)
            messages = work.result() if work.done() else ()
        except TokenariumError:
            note_dialect(scope, body)
            raise
        finally:
            work.cancel()
            disconnect.cancel()
            await asyncio.wait((work, disconnect))
        for message in messages:
            await send(message)


async def _answered(workers: Workers, carried: dict[str, Any], body: bytes, **options: Any) -> list[Message]:
    """Return the answer of a worker; if the request turns out to run what a user wrote, of one in an untrusted turn."""
    messages = await workers.run(answer, carried, body, **options)
    if messages == [UNTRUSTED]:
        carried["tokenarium.untrusted"] = True
        messages = await workers.run(answer, carried, body, untrusted=True, **options)
    return messages


async def run_route(
    execution: Execution, app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send
) -> None:
    """Have the route of a request answer.

    A plain route is called directly, within FastAPI's handling of errors: to try the path of every route before it,
    as the router does, takes longer than to tokenize a short text.
    """
    scope["tokenarium.execution"] = execution
    key = scope["method"], route_of(scope).template
    app = scope["app"].state.plain_routes.get(key, app)
    await app(scope, received(body, receive), send)


def plain_routes(app: FastAPI) -> dict[tuple[str, str], ASGIApp]:
    """Return the plain routes of an app by method and path, each within the app's handling of errors."""
    handlers = {kind: handler for kind, handler in app.exception_handlers.items() if kind is not Exception}
    return {
        (method, entry.template): ExceptionMiddleware(entry.route.app, handlers=handlers)
        for entry in app.state.routes.entries
        if isinstance(entry.route, StrictRoute) and entry.route.plain
        for method in entry.methods
    }


def note_dialect(scope: Scope, body: bytes) -> None:
    """Note the dialect of a request that no route has read, so that its error is in the format of that dialect."""
    detect = route_of(scope).policy.detect
    with suppress(TokenariumError):
        if detect is not None:
            note_form(Request(scope), ("body", detect(parse(body))))


def answer(app: FastAPI, scope: Mapping[str, Any], body: bytes) -> Iterator[Message]:
    """Yield the answer of an app to a request as ASGI messages of at most `PART` bytes; runs in a worker."""
    messages: list[Message] = []
    app.state.registry.loading = loading
    token = trusted_only.set(not scope.get("tokenarium.untrusted"))
    try:
        with one_request(app):
            _runner().run(_collect(app, scope, body, messages), context=copy_context())
    except (NeedsUntrusted, NeedsUntrustedTurn):
        messages = [UNTRUSTED]
    finally:
        trusted_only.reset(token)
    for message in messages:
        data = message.get("body", b"")
        if len(data) <= PART:
            yield message
            continue
        for start in range(0, len(data), PART):
            more = message.get("more_body", False) or start + PART < len(data)
            yield {"type": "http.response.body", "body": data[start : start + PART], "more_body": more}


@cache
def _runner() -> asyncio.Runner:
    """Return the event loop of a worker, the same for all its requests."""
    return asyncio.Runner()


async def _collect(app: FastAPI, scope: Mapping[str, Any], body: bytes, messages: list[Message]) -> None:
    async def never() -> Message:
        await asyncio.Event().wait()  # the server notices when the client disconnects, and stops the worker
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        messages.append(message)

    await run_route("worker", app, dict(scope, app=app), body, never, send)
