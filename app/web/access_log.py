"""The access log: a line of JSON for every request, of numbers and names of routes; nothing that was sent is in it."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import TextIO

import orjson

from app.web.exchanges import Exchange


class AccessLog:
    """Writes exchanges to a stream."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def began(self) -> None:
        """A line is written once there is an answer."""

    def ended(self, exchange: Exchange) -> None:
        with suppress(OSError):  # whoever read the log is gone; the requests go on
            print(line(exchange, at=datetime.now(UTC)), file=self.stream, flush=True)


def line(exchange: Exchange, *, at: datetime) -> str:
    """The line of an exchange that ended at a time; sizes are bytes of bodies.

    >>> line(Exchange("POST", "/tokenize", 200, 0.0012345, 51, 320), at=datetime(2026, 1, 2, tzinfo=UTC))[40:]
    '"method":"POST","route":"/tokenize","status":200,"milliseconds":1.234,"bytes_in":51,"bytes_out":320}'
    """
    told = {
        "time": at.isoformat(timespec="milliseconds"),
        "method": exchange.method,
        "route": exchange.route,
        "status": exchange.status,
        "milliseconds": round(exchange.seconds * 1000, 3),
        "bytes_in": exchange.received,
        "bytes_out": exchange.sent,
    }
    return orjson.dumps(told).decode()
