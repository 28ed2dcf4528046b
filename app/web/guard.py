"""The door: which hosts, sites and sizes are let in, and the headers that every answer carries."""

import asyncio
import math
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import BadEncoding, Forbidden, Misdirected, QueryTooLong, TokenariumError, TooLarge, TooSlow
from app.settings import Settings
from app.web.cors import OPEN, is_preflight, preflight
from app.web.problems import Problem, respond

STREAMS = frozenset({"/api/tokenize-stream"})
"""Routes that read a body of any size, a part at a time."""
STATELESS = STREAMS | frozenset(
    {"/tokenize", "/detokenize", "/decode", "/api/trace", "/api/compare", "/apply-template", "/api/chat"}
)
STATELESS_UNDER = ("/compat/", "/v1/", "/v1beta/")
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
NAMED = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
FRAMED = "/embed"
"""The one page that another site may put into a page of its own; it has neither scripts nor forms."""
FRAMED_NAMED = {
    **NAMED,
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self' data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors *",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
HEADERS, OPEN_HEADERS, FRAMED_HEADERS = (
    [(name.lower().encode(), value.encode()) for name, value in named.items()]
    for named in (NAMED, {**NAMED, **OPEN}, FRAMED_NAMED)
)


class Guard:
    """ASGI middleware around the whole app, which tells what those within it raise."""

    def __init__(self, app: ASGIApp, *, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self.hosts = {"localhost", "127.0.0.1", "[::1]", settings.host, *settings.allowed_hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        open_to_all = stateless(scope["path"])
        carried = OPEN_HEADERS if open_to_all else FRAMED_HEADERS if scope["path"] == FRAMED else HEADERS

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(one for one in carried if one[0] not in there)]
            await send(message)

        try:
            self._check(scope)
            if open_to_all and is_preflight(scope["method"], Headers(scope=scope)):
                await preflight()(scope, receive, guarded)
            else:
                limited = _limited(receive, self.settings, most=_most(scope, self.settings))
                await self.app(scope, limited, guarded)
        except TokenariumError as error:
            await respond(Request(scope), Problem.of(error))(scope, receive, guarded)

    def _check(self, scope: Scope) -> None:
        """Raise what keeps this request out."""
        headers = Headers(scope=scope)
        if _without_port(headers.get("host", "")) not in self.hosts:
            raise Misdirected("Add the name to TOKENARIUM_ALLOWED_HOSTS to have it answered.")
        if scope["method"] not in SAFE and not stateless(scope["path"]) and _cross_site(headers):
            raise Forbidden("A page of another site sent this; only the JSON routes are open to others.")
        if len(scope.get("query_string", b"")) > self.settings.max_query:
            raise QueryTooLong(f"The limit is {self.settings.max_query:,} bytes.", limit=self.settings.max_query)
        _check_encoding(scope.get("query_string", b""))
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > _most(scope, self.settings):
            raise _too_large(self.settings.max_body)


def _most(scope: Scope, settings: Settings) -> float:
    """Bytes that the body of this request may have."""
    return math.inf if scope["path"] in STREAMS else settings.max_body


def stateless(path: str) -> bool:
    """Whether the route at an address keeps nothing, and is open to pages of other sites."""
    return path in STATELESS or path.startswith(STATELESS_UNDER)


def _check_encoding(query: bytes) -> None:
    try:
        unquote_to_bytes(query).decode()
    except UnicodeDecodeError:
        raise BadEncoding("The query is not UTF-8.") from None


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def _cross_site(headers: Headers) -> bool:
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")


def _limited(receive: Receive, settings: Settings, *, most: float) -> Receive:
    """A receive that stops a body which grows over the limit or stalls."""
    seen, done = 0, False

    async def limited() -> MutableMapping[str, Any]:
        nonlocal seen, done
        if done:
            return await receive()
        try:
            async with asyncio.timeout(settings.patience):
                message = await receive()
        except TimeoutError:
            raise TooSlow(f"No more of the body came within {settings.patience:g} seconds.") from None
        seen += len(message.get("body", b""))
        done = not message.get("more_body", False)
        if seen > most:
            raise _too_large(settings.max_body)
        return message

    return limited


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than {limit:,} bytes.", limit=limit)
