"""Limits on concurrent requests and on the memory of their bodies; a request above them is refused with 503.

A request counts once its whole body has arrived, so that clients that send slowly keep nobody out. Bodies that are
arriving or being answered share a budget of memory. Streamed bodies and streams of events have limits of their own.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import Overloaded
from ..settings import Settings
from .policy import RoutePolicy

FREE_BYTES = 4096
"""Bytes of each body that the budget does not count: small requests are answered while large ones exhaust it."""

SIZE = "tokenarium.size"
"""Key in a scope: the size of the body, which has been read."""
Result = TypeVar("Result")
Address = IPv4Address | IPv6Address | str | None
"""A client's address, or None for one that is not counted."""


@dataclass(slots=True)
class SharedBudget:
    """An amount that all requests share; those of one address get at most half, so that none uses it up alone."""

    limit: int
    used: Counter[Address] = field(default_factory=Counter)
    total: int = 0

    def take(self, address: Address, amount: int) -> bool:
        """Take an amount; False if that much is not left.

        >>> budget = SharedBudget(4)
        >>> [budget.take("a", 2), budget.take("a", 1), budget.take("b", 2), budget.take("c", 1)]
        [True, False, True, False]
        """
        half = -(-self.limit // 2)  # rounded up
        if self.total + amount > self.limit or self.used[address] + amount > half:
            return False
        self.total += amount
        self.used[address] += amount
        return True

    def give_back(self, address: Address, amount: int) -> None:
        self.total -= amount
        self.used[address] -= amount
        if not self.used[address]:
            del self.used[address]


class ConcurrencyLimiter:
    """The numbers of requests being answered and refused; bytes of bodies, streamed bodies and viewers of jobs."""

    def __init__(self, settings: Settings) -> None:
        self.limit = settings.concurrency
        self.active = 0
        self.refused = 0
        self.held = SharedBudget(settings.max_held)
        self.streams = SharedBudget(settings.max_streams)
        self.viewers = SharedBudget(settings.max_connections)

    def refuse(self, detail: str) -> Overloaded:
        """Count a refusal, and return its error."""
        self.refused += 1
        return Overloaded(detail)


async def admit(
    app: ASGIApp, limiter: ConcurrencyLimiter, policy: RoutePolicy, scope: Scope, receive: Receive, send: Send
) -> None:
    """Have an app answer within the limits. It receives a body in one piece, unless streamed.

    Raises `Overloaded`, and what `receive` raises.
    """
    if policy.watched:
        await _stream(app, limiter, limiter.viewers, scope, receive, send)
    elif not policy.counted:
        scope[SIZE] = 0
        await app(scope, receive, send)
    elif policy.streamed or policy.upload:
        await _stream(app, limiter, limiter.streams, scope, receive, send)
    else:
        await _read_whole(app, limiter, scope, receive, send)


async def _stream(
    app: ASGIApp, limiter: ConcurrencyLimiter, streams: SharedBudget, scope: Scope, receive: Receive, send: Send
) -> None:
    address = get_client(scope)
    if not streams.take(address, 1):
        raise limiter.refuse("Too many streams are under way here already. Try again soon.")
    try:
        with suppress(ClientDisconnect):
            await app(scope, receive, send)
    finally:
        streams.give_back(address, 1)


async def _read_whole(app: ASGIApp, limiter: ConcurrencyLimiter, scope: Scope, receive: Receive, send: Send) -> None:
    parts: list[bytes] = []
    size = 0
    held = 0
    address = None
    more = True
    try:
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > FREE_BYTES:
                address = address or get_client(scope)
                if not limiter.held.take(address, size - FREE_BYTES - held):
                    raise limiter.refuse("Too many bytes are under way here already. Try again soon.")
                held = size - FREE_BYTES
            more = message.get("more_body", False)
        body = b"".join(parts)
        parts.clear()
        scope[SIZE] = size
        if limiter.active >= limiter.limit:
            raise limiter.refuse("Too many requests are under way here already. Try again soon.")
        limiter.active += 1
        try:
            with suppress(ClientDisconnect):
                await app(scope, replay_body(body, receive), send)
        finally:
            limiter.active -= 1
    finally:
        if held:
            limiter.held.give_back(address, held)


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that returns a body that has been read already, and then what comes after it."""
    first = True

    async def replay() -> Message:
        nonlocal first
        if first:
            first = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replay


async def cancel_on_disconnect(receive: Receive, work: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of work for a client that has sent its whole request.

    If it disconnects before, the work is cancelled. Raises `ClientDisconnect`, and what the work raises.
    """
    task = asyncio.ensure_future(work)
    disconnect = asyncio.ensure_future(_wait_for_disconnect(receive))
    try:
        await asyncio.wait((task, disconnect), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        disconnect.cancel()
        await asyncio.wait((task, disconnect))


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def get_client(scope: Scope) -> Address:
    """Return the address under which a request's share of a budget is counted."""
    return get_network(scope["client"][0]) if scope.get("client") else "unknown"


def find_owner(scope: Scope) -> str:
    """Return the address that shares the room for kept tokenizers; "" for this machine, which shares it with none.

    >>> find_owner({"client": ("192.0.2.1", 80)}), find_owner({"client": ("::1", 80)})
    ('192.0.2.1', '')
    """
    host = scope["client"][0] if scope.get("client") else ""
    return "" if host in ("127.0.0.1", "::1") else str(get_client(scope))


def get_network(host: str, *, exempt: Sequence[IPv4Network | IPv6Network] = ()) -> Address:
    """Return the address of a host; of IPv6 the /64 network that one customer has. None if the host is exempt.

    >>> str(get_network("192.0.2.1")), str(get_network("::ffff:192.0.2.1")), str(get_network("2001:db8::1:2:3:4"))
    ('192.0.2.1', '192.0.2.1', '2001:db8::')
    >>> get_network("10.0.0.7", exempt=[IPv4Network("10.0.0.0/8")])
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    if any(address in network for network in exempt):
        return None
    return IPv6Address(int(address) >> 64 << 64) if isinstance(address, IPv6Address) else address
