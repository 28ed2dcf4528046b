"""Exchanges: each request and its answer, in numbers and without a word of either, for whoever counts or logs them."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "none"
"""What stands for the route of a request whose address is none."""
GONE = 499
"""The status of a request whose client left before an answer began, as nginx has it."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer. `route` is a template such as `/api/tokenizers/{id}`; sizes are bytes of bodies."""

    method: str
    route: str
    status: int
    seconds: float
    received: int
    sent: int


class Observer(Protocol):
    """What is told of exchanges."""

    def began(self) -> None: ...

    def ended(self, exchange: Exchange) -> None: ...


class Observed:
    """ASGI middleware around the whole app that tells observers of every exchange."""

    def __init__(self, app: ASGIApp, *, observers: Sequence[Observer]) -> None:
        self.app = app
        self.observers = observers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status, received, sent = time.perf_counter(), GONE, 0, 0

        async def counted_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return message

        async def counted_send(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
            sent += len(message.get("body", b""))
            await send(message)

        for observer in self.observers:
            observer.began()
        try:
            await self.app(scope, counted_receive, counted_send)
        except Exception:
            status = 500
            raise
        finally:
            done = Exchange(_method(scope), _route(scope), status, time.perf_counter() - start, received, sent)
            for observer in self.observers:
                observer.ended(done)


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in METHODS else "other"


def _route(scope: Scope) -> str:
    """The template of the route that a request came to, or was for; of a mount, where it is mounted."""
    if "app_root_path" in scope:
        return str(scope["root_path"].removeprefix(scope["app_root_path"]))
    if "route" in scope:
        return str(getattr(scope["route"], "path_format", NO_ROUTE))
    return next((template for regex, template in templates(scope["app"]) if regex.match(scope["path"])), NO_ROUTE)


def templates(app: FastAPI) -> list[tuple[re.Pattern[str], str]]:
    """The routes of an app: what matches their addresses, and their templates."""
    if not hasattr(app.state, "templates"):
        routes = [one for one in iter_route_contexts(app.routes) if one.methods]
        app.state.templates = [(one.path_regex, str(one.path_format)) for one in routes]
    found: list[tuple[re.Pattern[str], str]] = app.state.templates
    return found
