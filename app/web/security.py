"""Checks on every request (host, origin, size and speed of the body), and security headers on every answer."""

import asyncio
import math
from collections.abc import Awaitable, Iterable, Mapping, MutableMapping
from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import BadEncoding, Forbidden, Misdirected, QueryTooLong, TokenariumError, TooLarge, TooSlow
from ..serialize.problem import Problem
from ..settings import Settings
from .policy import NO_ROUTE, TEMPLATE, RoutePolicy, policy_of
from .problems import respond

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
Fields = list[tuple[bytes, bytes]]
"""Header fields: names and values."""
AUTHORITY = "tokenarium.authority"
"""Key in the scope of a request: host and port in its target, if it is an absolute URI."""
RECEIVED = "tokenarium.received"
"""Key in the scope of a request whose whole body the server has: it is not waited for."""
# Any origin, rather than the one that calls: a browser then sends no cookie, and no answer differs by origin.
CORS: Mapping[str, str] = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
# Clients written for other servers send an API key, which is not read; `*` does not include its header.
PREFLIGHT: Mapping[str, str] = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "*, Authorization",
    "Access-Control-Max-Age": "7200",
}
SAME_ORIGIN: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-src 'self'; "
    "frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# A page that others may frame has neither scripts nor forms, with which they could trick its reader.
FRAMED: Mapping[str, str] = {
    **SAME_ORIGIN,
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors *",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
SOUNDING: Mapping[str, str] = {
    **SAME_ORIGIN,
    "Content-Security-Policy": SAME_ORIGIN["Content-Security-Policy"] + "; media-src 'self' data:",
}
# A worker has the policy of its script. What it runs may read nothing but the files of this server.
COMPILING: Mapping[str, str] = {
    **SAME_ORIGIN,
    "Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
}
NOT_STORED = [(b"cache-control", b"private, no-store")]
# Going back to an empty form needs no request then, which what is typed elsewhere meanwhile would cancel.
REVALIDATED = [(b"cache-control", b"private, no-cache")]
HEADERS, CORS_HEADERS, FRAMED_HEADERS, SOUND_HEADERS, WASM_HEADERS = (
    [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    for headers in (SAME_ORIGIN, {**SAME_ORIGIN, **CORS}, FRAMED, SOUNDING, COMPILING)
)


def is_preflight(method: str, headers: Mapping[str, str]) -> bool:
    """True if a browser asks whether it may send a request (https://fetch.spec.whatwg.org/#cors-preflight-request).

    >>> is_preflight("OPTIONS", {"origin": "https://a.example", "access-control-request-method": "POST"})
    True
    """
    return method == "OPTIONS" and "origin" in headers and "access-control-request-method" in headers


def read_headers(scope: Scope) -> dict[str, str]:
    """Return the header fields of a request by their names in lower case; of several with one name the first.

    >>> read_headers({"headers": [(b"host", b"a"), (b"host", b"b")]})
    {'host': 'a'}
    """
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(scope["headers"])}


def has_no_text(scope: Scope, headers: Mapping[str, str]) -> bool:
    """True if the answer to a request can show nothing of a visitor: it has no query, cookie or id in its path.

    The browser fills such a page with the text that it keeps itself.
    """
    reads = scope["method"] in ("GET", "HEAD") and not scope.get("query_string")
    return reads and "{" not in scope.get(TEMPLATE, NO_ROUTE) and "cookie" not in headers


def added_fields(scope: Scope, headers: Mapping[str, str], policy: RoutePolicy) -> Fields:
    """Return the header fields that every answer of a route has."""
    added = CORS_HEADERS if policy.cors else FRAMED_HEADERS if policy.framed else HEADERS
    added = SOUND_HEADERS if policy.sounds else WASM_HEADERS if policy.wasm else added
    return added if policy.cacheable else added + (REVALIDATED if has_no_text(scope, headers) else NOT_STORED)


def add_fields(fields: Iterable[tuple[bytes, bytes]], added: Fields) -> Fields:
    """Return the fields of an answer and those of `added` that it has not.

    >>> add_fields([(b"Cache-Control", b"no-cache")], [*NOT_STORED, (b"vary", b"accept")])
    [(b'Cache-Control', b'no-cache'), (b'vary', b'accept')]
    """
    fields = [*fields]
    present = {name.lower() for name, _ in fields}
    return fields + [field for field in added if field[0] not in present]


def check_host(scope: Scope, headers: Mapping[str, str], settings: Settings) -> None:
    """Raise the error with which a request to any address is refused for its host."""
    host = _strip_port(headers.get("host", ""))
    # A target that names its host, too, is for that one, whatever the field says (RFC 9112, section 3.2.2).
    if not _is_ours(host, settings) or (AUTHORITY in scope and not _is_ours(_strip_port(scope[AUTHORITY]), settings)):
        raise Misdirected("Add the name to TOKENARIUM_ALLOWED_HOSTS to have it answered.")


def check_request(scope: Scope, headers: Mapping[str, str], policy: RoutePolicy, settings: Settings) -> None:
    """Raise the error with which a request to a route is refused for its origin, query or length."""
    if scope["method"] not in SAFE_METHODS and not policy.cors and is_cross_site(headers):
        raise Forbidden("A page of another site sent this; only the JSON routes are open to others.")
    if query := scope.get("query_string", b""):
        if len(query) > settings.max_query:
            raise QueryTooLong(f"The limit is {settings.max_query:,} bytes.", limit=settings.max_query)
        _check_encoding(query)
    length = headers.get("content-length", "0")
    if length.isdecimal() and int(length[:20]) > (limit := _body_limit(policy, settings)):
        raise _too_large(limit)


def is_stranger(headers: Mapping[str, str], policy: RoutePolicy) -> bool:
    """True if a page of another site may read the answer or show it in a frame.

    It then depends on nothing that was added to this server.
    """
    return (policy.cors or policy.framed) and is_cross_site(headers)


async def answer_preflight(scope: Scope, receive: Receive, send: Send) -> None:
    """Tell a browser that pages of other origins may send a request."""
    await Response(status_code=204, headers=PREFLIGHT)(scope, receive, send)


def _is_ours(host: str, settings: Settings) -> bool:
    """True if this server answers for a host."""
    return host in LOOPBACK or host == settings.host or host in settings.allowed_hosts


class SecurityMiddleware:
    """ASGI middleware that checks the host of a request, and adds header fields to every answer."""

    def __init__(self, app: ASGIApp, *, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = read_headers(scope)

        def send_with_headers(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                message["headers"] = add_fields(message["headers"], added_fields(scope, headers, policy_of(scope)))
            return send(message)

        try:
            check_host(scope, headers, self.settings)
        except TokenariumError as error:
            await respond(Request(scope), Problem.of(error))(scope, receive, send_with_headers)
        else:
            await self.app(scope, receive, send_with_headers)


def _body_limit(policy: RoutePolicy, settings: Settings) -> float:
    """Return the number of bytes that a body may have."""
    if policy.streamed:
        return math.inf
    return settings.max_upload if policy.upload else settings.max_body


def _check_encoding(query: bytes) -> None:
    try:
        unquote_to_bytes(query).decode()
    except UnicodeDecodeError:
        raise BadEncoding("The query is not UTF-8.") from None


def _strip_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def is_cross_site(headers: Mapping[str, str]) -> bool:
    """True if a page of another site sent a request."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")


def limit_body(
    scope: Scope, receive: Receive, headers: Mapping[str, str], policy: RoutePolicy, settings: Settings
) -> Receive:
    """Return a `receive` that raises for a body which is over the limit, stalls, trickles, or does not end in time.

    Only the time that the client takes counts. A streamed body, which has no limit, may take any time in all. Of a body
    that is here, `check_request` has seen the length, unless it came in chunks.
    """
    if RECEIVED in scope and "transfer-encoding" not in headers:
        return receive
    clock = asyncio.get_running_loop().time
    limit = _body_limit(policy, settings)
    seconds = settings.upload_timeout if policy.upload else settings.request_timeout
    end = math.inf if policy.streamed else clock() + seconds
    size = 0
    complete = False
    # seconds and bytes since the rate was last judged
    waited = 0.0
    arrived = 0

    async def receive_limited() -> MutableMapping[str, Any]:
        nonlocal size, complete, waited, arrived
        if complete:
            return await receive()
        begun = clock()
        try:
            async with asyncio.timeout(min(settings.body_timeout, end - begun)):
                message = await receive()
        except TimeoutError:
            raise _too_slow(settings, seconds if clock() >= end else None) from None
        part = len(message.get("body", b""))
        size += part
        if size > limit:
            raise _too_large(limit)
        complete = not message.get("more_body", False)
        if complete:
            return message
        waited += clock() - begun
        arrived += part
        if waited >= settings.body_timeout:
            if arrived < settings.min_rate * waited:
                raise TooSlow(f"The body came at less than {settings.min_rate:,} bytes a second.")
            waited = 0.0
            arrived = 0
        return message

    return receive_limited


def _too_slow(settings: Settings, over: float | None) -> TooSlow:
    if over is not None:
        return TooSlow(f"The body did not come within {over:g} seconds.")
    return TooSlow(f"No more of the body came within {settings.body_timeout:g} seconds.")


def _too_large(limit: float) -> TooLarge:
    return TooLarge(f"The body is larger than {limit:,} bytes.", limit=int(limit))
