"""HTTP connections with limits on the time and size of a request's head, and on the connections of one address.

uvicorn waits forever for the rest of a head, keeps a head of any size, and has one limit for the connections of all
clients together. Other servers have some of this: hypercorn bounds the size of a head and the wait for the next bytes,
granian the buffer of a connection; none has a deadline for a trickling head, a limit on the number of fields, and a
count by address, and both would change how the server is run and measured. So uvicorn's own protocol is extended
through its documented `http` option; it parses and answers as before.

The limits of a body need the route and its error format, so they are ASGI middleware: time and size in `security`,
memory in `concurrency`.
"""

import asyncio
import re
from collections import Counter
from itertools import chain
from typing import Any

import orjson
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from ..errors import BadRequest, HeadTooLarge, TokenariumError, TooManyConnections, TooSlow
from ..serialize.problem import Problem
from ..settings import Settings
from .concurrency import Address, get_network
from .policy import policy_of
from .security import AUTHORITY, HEADERS, RECEIVED

ABSOLUTE = re.compile(rb"[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#]*)")
"""A request target with the name of its host, as clients send it to a proxy (RFC 9112, section 3.2.2)."""
PIECE = 4096
"""Bytes that are parsed at once: as many requests as may be in them may wait on a connection."""
MAX_UNPARSED = 65_536
"""Bytes that may wait on a connection, to be parsed once the requests before are answered."""


class Connections:
    """The open connections of one process by client address; those of reverse proxies are not counted."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.open: Counter[Address] = Counter()

    def add(self, address: Address) -> bool:
        """Count a connection; False if its address has as many as it may have already."""
        if address is None or self.open[address] < self.settings.max_connections:
            self.open[address] += 1
            return True
        return False

    def remove(self, address: Address) -> None:
        self.open[address] -= 1
        if not self.open[address]:
            del self.open[address]

    def address(self, client: tuple[str, int] | None) -> Address:
        """The address to count a client under, or None where it is a proxy or a Unix socket."""
        return None if client is None else get_network(client[0], exempt=self.settings.proxies)


class LimitedProtocol(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 protocol for one connection, which is refused or closed where it exceeds a limit.

    A timer runs only while the server waits for the client: for a whole head, and for the rest of a body whose request
    is answered already. A head that comes in one piece needs none.
    """

    def __init__(self, app_state: dict[str, Any], **options: Any) -> None:
        super().__init__(app_state=app_state, **options)
        connections: Connections = app_state["connections"]  # which the app's lifespan has put there
        self.settings = connections.settings
        self.max_head = connections.settings.max_head
        self.by_address = connections
        self.address: Address = None
        self.counted = False
        self.answered: RequestResponseCycle | None = None  # of requests that came together, the one whose turn it is
        self.waiting = b""  # what came behind requests that wait
        self.head_begun = False
        self.in_body = False
        self.progress = False  # whether a head, a part of a body or a request was completed by the last bytes
        self.unparsed = 0  # bytes since the last progress, all of which the parser may hold
        self.unsent = 0
        self.refusal: TokenariumError | None = None
        self.read_timer: asyncio.TimerHandle | None = None
        self.write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = self.by_address.address(self.client)
        self.counted = self.by_address.add(self.address)
        if self.counted:
            self.read_timer = self.loop.call_later(self.settings.head_timeout, self._on_read_timeout)
        else:
            limit = self.settings.max_connections
            self._refuse(TooManyConnections(f"At most {limit:,} may be open at once.", limit=limit))

    def connection_lost(self, exc: Exception | None) -> None:
        if self.counted:
            self.by_address.remove(self.address)
        self._stop_read_timer()
        self._stop_write_timer()
        self.cycle = self.answered  # type: ignore[assignment]  # which uvicorn tells, so that its work stops
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse bytes in pieces, so that no more is held before it is counted, until a request has to wait."""
        data = self.waiting + data
        start = 0
        while start < len(data) and not self.pipeline and not self.transport.is_closing():
            self._parse(data[start : start + PIECE])
            start += PIECE
        self.waiting = data[start:]
        if len(self.waiting) > MAX_UNPARSED:
            self.transport.close()
        elif self.waiting:
            self.flow.pause_reading()

    def _parse(self, data: bytes) -> None:
        self.progress = False
        self.unparsed += len(data)
        super().data_received(data)
        if self.progress:
            self.unparsed = 0
        elif self.unparsed > self.max_head:
            self._refuse(self._head_too_large())
        if self.head_begun or self.in_body or self.unparsed or self.read_timer:
            self._set_read_timer()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.head_begun = True

    def on_headers_complete(self) -> None:
        self.refusal = self._check_head()
        if self.refusal:
            raise self.refusal  # which stops the parser, and has uvicorn call `send_400_response`
        if absolute := ABSOLUTE.match(self.url):
            self.scope.update({AUTHORITY: absolute[1].decode("latin-1")})  # type: ignore[misc]
        super().on_headers_complete()
        self.head_begun = False
        self.in_body = True
        self.progress = True

    def on_body(self, body: bytes) -> None:
        self.progress = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self.in_body = False
        self.progress = True
        self.scope.update({RECEIVED: True})  # type: ignore[misc]
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.waiting:
            self.data_received(b"")
        elif self.in_body:
            self._set_read_timer()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self.answered = cycle
        super()._start_asgi_task(cycle, app)

    def shutdown(self) -> None:
        """End a stream of events at once, as its client will connect again; let other answers be finished."""
        super().shutdown()
        scope: Any = self.answered.scope if self.answered is not None else {}
        if policy_of(scope).watched:
            self.transport.close()

    def _check_head(self) -> TokenariumError | None:
        """What is wrong with a head that has come as a whole."""
        if len(self.headers) > self.settings.max_fields:
            limit = self.settings.max_fields
            return HeadTooLarge(f"It has more than {limit:,} header fields.", limit=limit)
        if self.unparsed > self.max_head < len(self.url) + sum(map(len, chain.from_iterable(self.headers))):
            return self._head_too_large()
        if sum([name == b"host" for name, _ in self.headers]) > 1:
            return BadRequest("There is more than one Host field.")
        return None

    def _head_too_large(self) -> HeadTooLarge:
        limit = self.max_head
        return HeadTooLarge(f"It is larger than {limit:,} bytes.", limit=limit)

    def send_400_response(self, msg: str) -> None:
        """Refuse what the parser does not accept."""
        self._refuse(self.refusal or BadRequest("This is no HTTP/1.1 request."))

    def _refuse(self, error: TokenariumError) -> None:
        """Answer with a problem, unless another answer is under way, and close the connection."""
        if not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete):
            problem = Problem.of(error)
            body = orjson.dumps(problem.members())
            length = b"%d" % len(body)
            fields = [(b"content-type", b"application/problem+json"), (b"content-length", length), *HEADERS]
            lines = [name + b": " + value + b"\r\n" for name, value in [*self.server_state.default_headers, *fields]]
            self.transport.write(b"".join([STATUS_LINE[problem.status], *lines, b"connection: close\r\n\r\n", body]))
        self.transport.close()

    def _set_read_timer(self) -> None:
        """Run the timer while the client is waited for; bytes that come do not extend it."""
        if not (self.cycle.response_complete if self.in_body else self.head_begun or self.unparsed):
            self._stop_read_timer()
        elif self.read_timer is None:
            self.read_timer = self.loop.call_later(self.settings.head_timeout, self._on_read_timeout)

    def _stop_read_timer(self) -> None:
        if self.read_timer is not None:
            self.read_timer.cancel()
            self.read_timer = None

    def _on_read_timeout(self) -> None:
        self.read_timer = None
        if self.head_begun and not self.in_body:
            self._refuse(TooSlow(f"Its head did not come within {self.settings.head_timeout:g} seconds."))
        else:
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_write_timer()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_write_timer()

    def _start_write_timer(self) -> None:
        self.unsent = self.transport.get_write_buffer_size()
        self.write_timer = self.loop.call_later(self.settings.stream_timeout, self._check_writing)

    def _stop_write_timer(self) -> None:
        if self.write_timer is not None:
            self.write_timer.cancel()
            self.write_timer = None

    def _check_writing(self) -> None:
        """Abort where an answer is read more slowly than `min_rate`; a stream that is still sent has its own limit."""
        sent = self.unsent - self.transport.get_write_buffer_size()
        sending = self.in_body and not self.pipeline and not self.cycle.response_complete
        if not sending and sent < self.settings.min_rate * self.settings.stream_timeout:
            self.transport.abort()
        else:
            self._start_write_timer()
