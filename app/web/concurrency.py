"""Limits on what requests take together: places, streams, viewers, the memory of bodies and answers, and the disk.

A request counts once its whole body has arrived, so that clients that send slowly keep nobody out. Of each budget one
address gets at most half, so that none uses it up alone; what is above it is refused with 503. All that a request has
taken is given back at its end, which is when its answer is sent or its client has left. Bodies and answers share a
budget, as both are memory of one process.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import Overloaded
from ..settings import Settings
from .policy import RoutePolicy

FREE_BYTES = 4096
"""Bytes of each body that the budget does not count: small requests are answered while large ones exhaust it."""
PART = 65_536
"""Bytes of an answer that are sent at once, and do not count: a connection may hold as many that are not read."""
MAX_UPLOADS = 10
"""Uploads of the largest size that may lie on the disk at a time, beside what their turns in the workers unpack."""

SIZE = "tokenarium.size"
HELD = "tokenarium.held"
"""Keys in a scope: the size of the body, which has been read; the share of the bytes that are held."""
Result = TypeVar("Result")
Address = str | None
"""A client's address, or None for one that is not counted. A text, whose hash is computed once."""


@dataclass(slots=True)
class SharedBudget:
    """An amount that all requests share; those of one address get at most half, so that none uses it up alone."""

    what: str
    limit: int
    used: Counter[Address] = field(default_factory=Counter)
    total: int = 0
    refused: int = 0

    def check(self, address: Address, amount: int) -> None:
        """Raise `Overloaded` if that much is not left for an address.

        >>> budget = SharedBudget("bytes", 4)
        >>> budget.take("a", 2)
        >>> budget.check("b", 2)
        >>> budget.check("a", 1)
        Traceback (most recent call last):
            ...
        tokenarium.errors.Overloaded: Too many bytes are under way here already. Try again soon.
        """
        half = -(-self.limit // 2)  # rounded up
        if self.total + amount > self.limit or self.used[address] + amount > half:
            self.refused += 1
            raise Overloaded(f"Too many {self.what} are under way here already. Try again soon.")

    def take(self, address: Address, amount: int) -> None:
        """Take an amount. Raises `Overloaded` if that much is not left."""
        self.check(address, amount)
        self.total += amount
        self.used[address] += amount

    def give_back(self, address: Address, amount: int) -> None:
        self.total -= amount
        self.used[address] -= amount
        if not self.used[address]:
            del self.used[address]

    @contextmanager
    def share(self, address: Address, amount: int = 0) -> "Iterator[Share]":
        """Take an amount, and what the share takes within the block; all is given back after it."""
        share = Share(self, address)
        share.take(amount)
        try:
            yield share
        finally:
            share.give_back(share.amount)


@dataclass(slots=True)
class Share:
    """What one request has taken of a budget."""

    budget: SharedBudget
    address: Address
    amount: int = 0

    def take(self, amount: int) -> None:
        """Take more. Raises `Overloaded` if that much is not left."""
        if amount:
            self.budget.take(self.address, amount)
            self.amount += amount

    def give_back(self, amount: int) -> None:
        if amount:
            self.budget.give_back(self.address, amount)
            self.amount -= amount


class ConcurrencyLimiter:
    """The budgets of what requests take together, and the answers to those above them, which are made once each."""

    def __init__(self, settings: Settings) -> None:
        self.places = SharedBudget("requests", settings.concurrency)
        self.held = SharedBudget("bytes", settings.max_held)
        self.streams = SharedBudget("streams", settings.max_streams)
        self.viewers = SharedBudget("streams", settings.max_connections)
        self.refusals: dict[Hashable, Response] = {}
        self.disk = SharedBudget("bytes of uploads", MAX_UPLOADS * settings.max_upload)

    @property
    def refused(self) -> int:
        """The number of requests that were refused."""
        return sum(budget.refused for budget in (self.places, self.held, self.streams, self.viewers, self.disk))


async def admit(
    app: ASGIApp, limiter: ConcurrencyLimiter, policy: RoutePolicy, scope: Scope, receive: Receive, send: Send
) -> None:
    """Have an app answer within the limits. It receives a body in one piece, unless streamed.

    Raises `Overloaded`, and what `receive` raises.
    """
    if not (policy.counted or policy.watched):
        scope[SIZE] = 0
        await app(scope, receive, send)
        return
    address = get_client(scope)
    with limiter.held.share(address) as held, suppress(ClientDisconnect):
        scope[HELD] = held
        if policy.watched or policy.streamed or policy.upload:
            with (limiter.viewers if policy.watched else limiter.streams).share(address, 1):
                if policy.upload:
                    await send_counted(app, held, scope, receive, send)
                else:  # what is answered little by little counts its parts itself
                    await app(scope, receive, send)
            return
        limiter.places.check(address, 1)  # before the body is read, as are the bytes that its head announces
        replay = await _read_whole(scope, receive, held)
        with limiter.places.share(address, 1):
            await send_counted(app, held, scope, replay, send)


async def _read_whole(scope: Scope, receive: Receive, held: Share) -> Receive:
    """Return a `receive` that returns a body in one piece.

    Raises `ClientDisconnect` if its client leaves before, `Overloaded`, and what `receive` raises.
    """
    announced = dict(scope["headers"]).get(b"content-length", b"0")
    held.budget.check(held.address, max(0, int(announced) - FREE_BYTES) if announced.isdigit() else 0)
    body = bytearray()  # no list, whose parts may be of two bytes and take sixty times as much
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        held.take(max(0, len(body) - FREE_BYTES - held.amount))
        more = message.get("more_body", False)
    scope[SIZE] = len(body)
    return replay_body(bytes(body), receive)


async def send_counted(app: ASGIApp, held: Share, scope: Scope, receive: Receive, send: Send) -> None:
    """Have an app answer with a body that counts until it is sent.

    Raises `Overloaded`, after the app, if there is no room for a body that comes in one piece. The parts of one that is
    written little by little do not count.
    """
    head: Message | None = None
    refusal: Overloaded | None = None

    async def send_with_head(message: Message) -> None:
        nonlocal head, refusal
        if message["type"] == "http.response.start":
            head = message
            return
        body = message.get("body", b"")
        if head is not None:
            try:
                held.take(max(0, len(body) - PART))
            except Overloaded as error:
                refusal = error
            else:
                await send(head)
            head = None
        if refusal is None:
            await send_parts(send, body, more=message.get("more_body", False))

    await app(scope, receive, send_with_head)
    if refusal is not None:
        raise refusal


async def send_parts(send: Send, body: bytes, *, more: bool) -> None:
    """Send a body in parts. It returns when all but the last of a large one is read."""
    if len(body) > PART:
        for start in range(0, len(body), PART):
            await send({"type": "http.response.body", "body": body[start : start + PART], "more_body": True})
        body = b""
    await send({"type": "http.response.body", "body": body, "more_body": more})


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives away a body that has been read already, and then what comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

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

    >>> [find_owner({"client": (host, 80)}) for host in ("192.0.2.1", "127.0.0.1", "::1", "::ffff:127.0.0.1")]
    ['192.0.2.1', '', '', '']
    """
    address = get_client(scope)
    return "" if address in ("127.0.0.1", "::") else f"{address}"


@lru_cache(1024)
def get_network(host: str, *, exempt: tuple[IPv4Network | IPv6Network, ...] = ()) -> Address:
    """Return the address of a host; of IPv6 the /64 network that one customer has. None if the host is exempt.

    >>> get_network("192.0.2.1"), get_network("::ffff:192.0.2.1"), get_network("2001:db8::1:2:3:4")
    ('192.0.2.1', '192.0.2.1', '2001:db8::')
    >>> get_network("10.0.0.7", exempt=(IPv4Network("10.0.0.0/8"),))
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    if any(address in network for network in exempt):
        return None
    return str(IPv6Address(int(address) >> 64 << 64) if isinstance(address, IPv6Address) else address)
