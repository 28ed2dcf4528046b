"""Short requests, answered without the middleware that has nothing to do for them."""

import time
from collections.abc import Mapping
from contextlib import suppress

from fastapi import FastAPI
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from ..errors import TokenariumError
from .body import JSONResponse, StrictRoute
from .concurrency import replay_message
from .dispatch import MAX_INLINE_BYTES
from .execution import call_inline
from .request_records import make_record
from .route_table import ROUTE, get_route
from .security import RECEIVED, add_fields, added_fields, check_head, is_cross_site, read_headers
from .services import get_services


class ShortRequests:
    """An ASGI app around that of FastAPI, which answers short requests to plain routes by itself.

    It calls the functions of the middleware, one after another, which takes a fraction of the time of passing on each
    message. Whatever is not usual is left to the middleware, with the request as it came: an error, a limit that is
    reached, a page of another site, a tokenizer that is not in memory. A plain route changes nothing, so it may be
    called twice.
    """

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        services = get_services(app)
        assert services.limiter is not None
        self.limiter = services.limiter
        self.observers = services.observers
        self.routes = services.routes
        self.settings = services.settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        route = self._find_plain(scope)
        headers = read_headers(scope) if route else {}
        if route is None or not self._is_usual(scope, headers):
            await self.app(scope, receive, send)
            return
        message = await receive()
        response = self._answer(route, scope, headers, message)
        if response is None:
            await self.app(scope, replay_message(message, receive), send)
        else:
            await self._send(response, scope, headers, start, len(message["body"]), send)

    def _find_plain(self, scope: Scope) -> StrictRoute | None:
        """Return the route of a request whose body has come, if it is plain and inline."""
        if RECEIVED not in scope or scope["query_string"] or self.routes.lacks(scope["path"]):
            return None
        entry = self.routes.table.find(scope["method"], scope["path"])
        if entry.policy.run != "inline" or scope["method"] not in entry.methods:
            return None
        scope["app"] = self.app
        scope[ROUTE] = entry
        return entry.route if isinstance(entry.route, StrictRoute) and entry.route.plain else None

    def _is_usual(self, scope: Scope, headers: Mapping[str, str]) -> bool:
        """True if the middleware would let a request through by its head, and treat it like most."""
        if "transfer-encoding" in headers or is_cross_site(headers) or self.limiter.active >= self.limiter.limit:
            return False
        with suppress(TokenariumError):
            check_head(scope, headers, get_route(scope).policy, self.settings)
            return True
        return False

    def _answer(
        self, route: StrictRoute, scope: Scope, headers: Mapping[str, str], message: Message
    ) -> JSONResponse | None:
        """Return the answer to a short body, None if it is not for the event loop or there is an error."""
        body = message.get("body", b"")
        if len(body) > MAX_INLINE_BYTES or message.get("more_body"):
            return None
        scope["tokenarium.execution"] = "inline"
        with suppress(Exception):  # the middleware meets it again, and answers it
            response = call_inline(route.bind(Request(scope), body, headers))
            return response if isinstance(response, JSONResponse) else None
        return None

    async def _send(
        self, response: JSONResponse, scope: Scope, headers: Mapping[str, str], start: float, received: int, send: Send
    ) -> None:
        """Send a response with the header fields of every answer, and record it."""
        for observer in self.observers:
            observer.on_begin()
        self.limiter.active += 1
        try:
            fields = add_fields(response.raw_headers, added_fields(scope, headers, get_route(scope).policy))
            await send({"type": "http.response.start", "status": response.status_code, "headers": fields})
            await send({"type": "http.response.body", "body": response.body})
        finally:
            self.limiter.active -= 1
            record = make_record(scope, start, status=response.status_code, received=received, sent=len(response.body))
            for observer in self.observers:
                observer.on_end(record)
