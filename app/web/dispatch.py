"""Run small requests inline on the event loop, and everything else in a worker process that has the same routes.

A worker gets a request when the whole of it has come, and is free again before the client reads the answer: a client
that sends or reads slowly occupies none.
"""

import asyncio
import pickle
import re
from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from contextvars import copy_context
from functools import cache
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import TokenariumError
from ..registry import NeedsUntrusted, NeedsWorker, bundled_only, trusted_only
from ..serialize.json import parse
from ..workers import Workers
from .body import PARSE_ONLY, PARSED, ParsedBody, StrictRoute
from .concurrency import cancel_on_disconnect, get_client, replay_body
from .execution import Execution, one_request
from .forms import read_form, read_long_form
from .policy import BUNDLED_ONLY
from .route_table import get_route

MAX_INLINE_BYTES = 4096
"""Size of the largest body that is answered inline."""
MAX_PARSED_BYTES = 2**16
"""Size of the largest body that the server parses; of a larger one, a worker does."""
PART = 2**18
"""Bytes of an answer that are sent at once."""
UNTRUSTED: Message = {"type": "tokenarium.untrusted"}
"""The answer of a worker that needs another turn for a request, because the request runs what a user wrote."""
KEY = re.compile(rb'"([a-z0-9_]+)"\s*:\s*(\[?)')
FORM_READERS = frozenset({read_form, read_long_form})
# What a worker needs of a request beside its body; the rest of a scope cannot be sent to another process.
CARRIED = (
    *("type", "asgi", "http_version", "method", "scheme"),
    *("path", "raw_path", "query_string", "root_path", "headers", "tokenarium.tokenizer", BUNDLED_ONLY),
)


class Dispatcher:
    """ASGI middleware in front of the routes."""

    def __init__(self, app: ASGIApp, *, workers: Workers | None) -> None:
        self.app = app
        self.workers = workers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        policy = get_route(scope).policy
        if policy.run == "server" and (self.workers is None or not reads_body(scope)):
            await self.app(scope, receive, send)
            return
        message = await receive()  # the whole body: the concurrency middleware has read it
        body: bytes = message["body"]
        if policy.run == "server" and len(body) <= MAX_PARSED_BYTES:
            await self.app(scope, replay_body(body, receive), send)
            return
        if policy.run == "inline" and len(body) <= MAX_INLINE_BYTES:
            try:
                await run_route("inline", app=self.app, scope=scope, body=body, receive=receive, send=send)
                return
            except NeedsWorker:
                pass  # raised before anything was sent
        if self.workers is None:
            await run_route("thread", app=self.app, scope=scope, body=body, receive=receive, send=send)
        else:
            await self._run_in_worker(self.workers, scope, body, receive, send)

    async def _run_in_worker(self, workers: Workers, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Have a worker answer. Raises `ClientDisconnect` if the client leaves before, whose work is then stopped.

        For a route that runs in the server, the worker only parses the body, and answers where it is refused.
        """
        policy = get_route(scope).policy
        carried = {name: scope[name] for name in CARRIED if name in scope}
        if policy.run == "server":
            carried[PARSE_ONLY] = True
        try:
            messages = await cancel_on_disconnect(receive, _get_answer(workers, carried, body, get_client(scope)))
        except TokenariumError:
            note_dialect(scope, body)
            raise
        if messages and messages[0]["type"] == PARSED:
            # The large texts of a body take the time to copy them; its items, which are counted, hardly more.
            scope[PARSED] = await asyncio.to_thread(pickle.loads, b"".join(one["body"] for one in messages))
            await self.app(scope, replay_body(b"", receive), send)
            return
        for message in messages:
            for part in split(message):
                await send(part)


async def _get_answer(workers: Workers, carried: dict[str, Any], body: bytes, client: Hashable) -> list[Message]:
    """Return the answer of a worker; if the request turns out to run what a user wrote, of one in an untrusted turn."""
    messages: list[Message] = await workers.run(answer, carried, body, client=client)
    if messages == [UNTRUSTED]:
        carried["tokenarium.untrusted"] = True
        messages = await workers.run(answer, carried, body, untrusted=True, client=client)
    return messages


async def run_route(
    execution: Execution, app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send
) -> None:
    """Have the route of a request answer.

    A plain route is called directly: the router tries the path of every route before it, and FastAPI prepares for what
    a plain endpoint has not, which takes longer than to tokenize a short text.
    """
    scope["tokenarium.execution"] = execution
    entry = get_route(scope)
    if isinstance(entry.route, StrictRoute) and entry.route.plain and scope["method"] in entry.methods:
        await answer_plainly(entry.route, scope, body, receive, send)
    else:
        await app(scope, replay_body(body, receive), send)


async def answer_plainly(route: StrictRoute, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
    """Answer with a plain route, or with the handler that the app has for its error, as Starlette would."""
    request = Request(scope, receive)
    try:
        response = await route.answer(request, body)
    except Exception as error:
        handlers = scope["app"].exception_handlers
        kind = next((kind for kind in type(error).__mro__ if kind in handlers), Exception)
        if kind is Exception:  # is answered by `ErrorMiddleware`
            raise
        response = await handlers[kind](request, error)
    await response(scope, receive, send)


def reads_body(scope: Scope) -> bool:
    """True if the route of a request parses its body as a whole: JSON that it validates, or a form."""
    route = get_route(scope).route
    if not isinstance(route, APIRoute) or get_route(scope).policy.upload:
        return False
    return route.body_field is not None or any(one.call in FORM_READERS for one in route.dependant.dependencies)


def note_dialect(scope: Scope, body: bytes) -> None:
    """Note the dialect of a request that no route has read, so that its error is in the format of that dialect.

    Of a body that is too large to be parsed here, the keys near its beginning decide.
    """
    detect = get_route(scope).policy.detect
    with suppress(TokenariumError):
        if detect is not None:
            large = len(body) > MAX_PARSED_BYTES
            value = read_first_keys(body) if large else parse(body)
            Request(scope).state.dialect = detect(value)


def read_first_keys(body: bytes) -> dict[str, Any]:
    """Return the keys near the beginning of a JSON object, each with an empty list or an empty text.

    >>> read_first_keys(b'{"model": "m", "prompt": ["a", "b"]}')
    {'model': '', 'prompt': []}
    """
    keys = KEY.findall(body[:MAX_PARSED_BYTES])
    return {key.decode(): [] if bracket else "" for key, bracket in keys}


def answer(app: FastAPI, scope: Mapping[str, Any], body: bytes) -> list[Message]:
    """Return the answer of an app to a request as ASGI messages; runs in a worker."""
    messages: list[Message] = []
    token = trusted_only.set(not scope.get("tokenarium.untrusted"))
    bundled_only.set(scope.get(BUNDLED_ONLY, False))
    try:
        with one_request(app):
            _runner().run(_collect(app, scope, body, messages), context=copy_context())
    except NeedsUntrusted:
        messages = [UNTRUSTED]
    except ParsedBody as parsed:
        messages = [{"type": PARSED, "body": pickle.dumps(parsed.value, protocol=5)}]
    finally:
        trusted_only.reset(token)
    return messages


def split(message: Message) -> Iterator[Message]:
    """Yield a message in parts of at most `PART` bytes."""
    data = message.get("body", b"")
    if len(data) <= PART:
        yield message
        return
    for start in range(0, len(data), PART):
        more = message.get("more_body", False) or start + PART < len(data)
        yield {"type": message["type"], "body": data[start : start + PART], "more_body": more}


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

    await run_route("worker", app=app, scope=dict(scope, app=app), body=body, receive=never, send=send)
