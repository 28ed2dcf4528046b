"""Answers compressed with gzip, for clients that accept it."""

import gzip
from typing import TypeVar

from starlette.datastructures import Headers
from starlette.responses import Response

Answer = TypeVar("Answer", bound=Response)
LEVEL = 6
LEAST = 1000
"""Bytes of the smallest answer that is compressed: a smaller one is a single packet anyway."""


def accepts_gzip(headers: Headers) -> bool:
    """True if a client accepts gzip.

    >>> accepts_gzip(Headers({"accept-encoding": "br, gzip"})), accepts_gzip(Headers({"accept-encoding": "gzip;q=0"}))
    (True, False)
    """
    codings = (coding.replace(" ", "").split(";") for coding in headers.get("accept-encoding", "").lower().split(","))
    return any(name == "gzip" and weight[:1] not in (["q=0"], ["q=0.0"]) for name, *weight in codings)


def compress(response: Answer, headers: Headers) -> Answer:
    """Compress an answer to a request with these headers, if that is accepted."""
    response.headers.add_vary_header("Accept-Encoding")
    if len(response.body) >= LEAST and accepts_gzip(headers):
        response.body = gzip.compress(response.body, LEVEL)
        response.headers.update({"Content-Encoding": "gzip", "Content-Length": str(len(response.body))})
    return response
