"""A record of each request for metrics and for the access log: numbers and the route's template, never content."""

import time
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, TextIO

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .policy import NO_ROUTE, TEMPLATE

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
CLIENT_CLOSED = 499
"""Status of a request whose client disconnected before an answer began, as in the logs of nginx."""


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """A request and its answer. `route` is a template such as `/api/tokenizers/{id}`.

    `received` and `sent` are the sizes of the bodies in bytes.
    """

    method: str
    route: str
    status: int
    seconds: float
    received: int
    sent: int


class Observer(Protocol):
    """Receives every request when it begins and its record when it ends."""

    def on_begin(self) -> None:
        """A request has arrived."""

    def on_end(self, record: RequestRecord) -> None:
        """A request was answered, or failed."""


def make_record(scope: Scope, start: float, *, status: int, received: int, sent: int) -> RequestRecord:
    """Return the record of a request that began at `start` of `time.perf_counter` and ends now."""
    method = scope["method"] if scope["method"] in METHODS else "other"  # of which a client may send any number
    seconds = time.perf_counter() - start
    return RequestRecord(method, scope.get(TEMPLATE, NO_ROUTE), status, seconds, received, sent)


class RecordingMiddleware:
    """ASGI middleware around the whole app that passes the record of every request to observers."""

    def __init__(self, app: ASGIApp, *, observers: Sequence[Observer]) -> None:
        self.app = app
        self.observers = observers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start = time.perf_counter()
        status = CLIENT_CLOSED
        received = 0
        sent = 0

        async def count_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return message

        def count_send(message: Message) -> Awaitable[None]:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
            sent += len(message.get("body", b""))
            return send(message)

        for observer in self.observers:
            observer.on_begin()
        try:
            await self.app(scope, count_receive, count_send)
        except Exception:
            status = 500
            raise
        finally:
            record = make_record(scope, start, status=status, received=received, sent=sent)
            for observer in self.observers:
                observer.on_end(record)


class AccessLog:
    """Writes a line of JSON for each record to a stream."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def on_begin(self) -> None:
        """Nothing: a line is written when the request ends."""

    def on_end(self, record: RequestRecord) -> None:
        with suppress(OSError):  # if the reader of the log is gone, requests go on
            print(line(record, at=datetime.now(UTC)), file=self.stream, flush=True)


def line(record: RequestRecord, *, at: datetime) -> str:
    """Return the line of a request that ended at a time; sizes are bytes of bodies.

    >>> line(RequestRecord("POST", "/tokenize", 200, 0.0012345, 51, 320), at=datetime(2026, 1, 2, tzinfo=UTC))[40:]
    '"method":"POST","route":"/tokenize","status":200,"milliseconds":1.234,"bytes_in":51,"bytes_out":320}'
    """
    fields = {
        "time": at.isoformat(timespec="milliseconds"),
        "method": record.method,
        "route": record.route,
        "status": record.status,
        "milliseconds": round(record.seconds * 1000, 3),
        "bytes_in": record.received,
        "bytes_out": record.sent,
    }
    return orjson.dumps(fields).decode()
