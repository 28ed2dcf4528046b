"""Lanes: where a request is answered. What is quick, here; all else in a worker, by the same routes.

The event loop answers what is small by itself, without a thread. A worker gets the request when the whole of it has
come, and is free again before the client reads: who sends or reads slowly keeps none.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import Overloaded, TokenariumError
from app.settings import Settings
from app.web.api.dialects.forms import to_detokenize, to_tokenize
from app.web.body import parse
from app.web.inline import Elsewhere, Lane
from app.web.problems import note_form, on_error, on_validation
from app.workers import Workers

HERE = frozenset({"/healthz", "/metrics", "/docs", "/openapi.json", "/api/tokenize-stream"})
HERE_UNDER = ("/static/", "/api/tokenizers", "/train", "/api/train", "/api/jobs/")
"""What is answered here, whatever it takes; routes that keep something between requests must be."""

SMALL = frozenset({"/tokenize", "/detokenize", "/decode", "/tokenizer_info"})
SMALL_UNDER = ("/compat/", "/v1/", "/v1beta/")
"""What is answered here where its body is small."""

REMEMBERED = frozenset({"/window", "/token", "/steps/frames", "/steps/about"})
"""What is quick for the worker that remembers what it is about, and long for any other."""
PATIENCE = 3.0
"""Seconds that such a request waits for its worker."""

SMALL_BODY = 4096
"""Bytes of the largest small body."""

PART = 2**18
"""Bytes of an answer that are passed on at once."""

CARRIED = (
    "type",
    "asgi",
    "http_version",
    "method",
    "scheme",
    "path",
    "raw_path",
    "query_string",
    "root_path",
    "headers",
)
"""What a worker is told of a request beside its body."""


@dataclass(slots=True)
class Held:
    """Bytes of bodies that are held now, and of the most that may be."""

    most: int
    now: int = 0

    def add(self, size: int) -> None:
        """Raises `Overloaded`."""
        if self.now + size > self.most:
            raise Overloaded("Too many bytes are under way here already. Try again soon.")
        self.now += size


class Lanes:
    """ASGI middleware in front of the routes."""

    def __init__(self, app: ASGIApp, *, workers: Workers | None, settings: Settings) -> None:
        self.app = app
        self.workers = workers
        self.held = Held(settings.max_held)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] != "http" or path in HERE or path.startswith(HERE_UNDER):
            await self.app(scope, receive, send)
            return
        parts: list[bytes] = []
        try:
            if not await self._read(parts, receive):
                return
            await self._answer(scope, b"".join(parts), receive, send)
        finally:
            self.held.now -= sum(map(len, parts))

    async def _read(self, parts: list[bytes], receive: Receive) -> bool:
        """Read the body; False where the client left before its end. Raises `Overloaded`, and what the guard does."""
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return False
            self.held.add(len(body := message.get("body", b"")))
            parts.append(body)
            more = message.get("more_body", False)
        return True

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        if len(body) <= SMALL_BODY and (scope["path"] in SMALL or scope["path"].startswith(SMALL_UNDER)):
            try:
                await _by_lane("small", self.app, scope, body, receive, send)
                return
            except Elsewhere:
                pass
        if self.workers is None:
            await _by_lane("thread", self.app, scope, body, receive, send)
        else:
            await self._pass_on(self.workers, scope, body, receive, send)

    async def _pass_on(self, workers: Workers, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Have a worker answer, unless the client goes before: then it is stopped."""
        asked = {name: scope[name] for name in CARRIED if name in scope}
        prefer = crc32(repr(scope.get("client")).rpartition(",")[0].encode())
        patience = PATIENCE if scope["path"] in REMEMBERED else 0.0
        work = asyncio.ensure_future(workers.run(answer, asked, body, prefer=prefer, patience=patience))
        gone = asyncio.ensure_future(receive())
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
            messages = work.result() if work.done() else ()
        except TokenariumError:
            note_dialect(scope, body)
            raise
        finally:
            work.cancel()
            gone.cancel()
            await asyncio.wait((work, gone))
        for message in messages:
            await send(message)


async def _by_lane(lane: Lane, app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
    """Have the app answer, or one of its routes straight away: to find it takes longer than to cut a short text."""
    scope.setdefault("state", {})["lane"] = lane
    route = scope["app"].state.short.get(scope["path"])
    if route is None or scope["method"] != "POST":
        await app(scope, _again(body, receive), send)
        return
    request = Request(scope, receive)
    try:
        response = await route.answer(request, body)
    except RequestValidationError as error:
        response = await on_validation(request, error)
    except TokenariumError as error:
        response = await on_error(request, error)
    await response(scope, receive, send)


def note_dialect(scope: Scope, body: bytes) -> None:
    """Note the dialect of a request that no route reads, so that it is refused in it."""
    form = {"/tokenize": to_tokenize, "/detokenize": to_detokenize}.get(scope["path"])
    with suppress(TokenariumError):
        if form is not None:
            note_form(Request(scope), ("body", form(parse(body))))


def _again(body: bytes, receive: Receive) -> Receive:
    """A receive that gives the body that has been read already, and then what comes after it."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def answer(app: FastAPI, scope: Mapping[str, Any], body: bytes) -> Iterator[Message]:
    """What an app says to a request, as ASGI messages of which none is long; this is what a worker does."""
    sent: list[Message] = []
    _runner().run(_collected(app, scope, body, sent))
    for message in sent:
        data = message.get("body", b"")
        if len(data) <= PART:
            yield message
            continue
        for start in range(0, len(data), PART):
            more = message.get("more_body", False) or start + PART < len(data)
            yield {"type": "http.response.body", "body": data[start : start + PART], "more_body": more}


@cache
def _runner() -> asyncio.Runner:
    """One event loop for all that a worker answers."""
    return asyncio.Runner()


async def _collected(app: FastAPI, scope: Mapping[str, Any], body: bytes, sent: list[Message]) -> None:
    async def forever() -> Message:
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await _by_lane("worker", app, dict(scope, app=app), body, forever, send)
