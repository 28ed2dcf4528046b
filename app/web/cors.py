"""Other origins: what tells a browser that any page may call the stateless JSON routes and read what they answer."""

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.responses import Response

OPEN: Mapping[str, str] = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
"""Any origin, so that a browser sends no cookie and no answer differs by origin."""

PREFLIGHT: Mapping[str, str] = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "*, Authorization",
    "Access-Control-Max-Age": "7200",
}
"""Clients of the servers whose dialects are spoken send a key along; it is not read. `*` does not stand for it."""


def is_preflight(method: str, headers: Headers) -> bool:
    """Whether a browser asks if it may send a request (https://fetch.spec.whatwg.org/#cors-preflight-request).

    >>> is_preflight("OPTIONS", Headers({"origin": "https://a.example", "access-control-request-method": "POST"}))
    True
    """
    return method == "OPTIONS" and "origin" in headers and "access-control-request-method" in headers


def preflight() -> Response:
    """The answer: it may."""
    return Response(status_code=204, headers=PREFLIGHT)
