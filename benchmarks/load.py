"""A load of clients on loopback, far more than a server admits: good, bad, slow and disconnecting ones."""

import asyncio
import re
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from random import Random

import uvloop

from benchmarks.load_requests import NDJSON, LoadRequest

TIMEOUT_SECONDS = 120.0
"""A client gives up an answer that is not complete after so long."""
CHUNK_BYTES = 2**16
CONTENT_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)
RETRY_AFTER = re.compile(rb"\r\nretry-after: \d+\r\n", re.IGNORECASE)
REQUEST_HEAD = "{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n"
LINGER_ZERO = struct.pack("ii", 1, 0)
"""A socket option: closing the socket resets the connection."""

Tally = Counter[tuple[str, str]]
"""Counts of outcomes by request: `right`, `shed` (503 or 429 with Retry-After), `gone` (of disconnecting clients), or
what was wrong."""


@dataclass(slots=True)
class Client:
    """One client; its number seeds its address, its requests and their times."""

    port: int
    number: int
    requests: Sequence[LoadRequest]
    tally: Tally = field(default_factory=Counter)
    random: Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(self.number)

    async def send_until(self, behave: "Behave", until: float) -> None:
        """Send one request after another until this time of the monotonic clock."""
        weights = [request.weight for request in self.requests]
        await asyncio.sleep(self.random.random())
        while time.monotonic() < until:
            (request,) = self.random.choices(self.requests, weights)
            outcome = await self.send(behave, request)
            await asyncio.sleep(self.random.random() * (1 if outcome == "shed" else 0.1))

    async def send(self, behave: "Behave", request: LoadRequest) -> str:
        """Send one request, and count its outcome."""
        writer = None
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", self.port, limit=CHUNK_BYTES, local_addr=(f"127.0.0.{1 + self.number % 250}", 0)
                )
                outcome = await behave(self, request, reader, writer)
        except (OSError, EOFError, TimeoutError) as error:
            outcome = type(error).__name__
        if writer is not None:
            writer.transport.abort()
        self.tally[request.name, outcome] += 1
        return outcome


Behave = Callable[[Client, LoadRequest, asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, str]]


async def ordinary(_: Client, request: LoadRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Send all, read all."""
    writer.write(message(request))
    return await outcome(request, reader)


async def trickling(_: Client, request: LoadRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Send a bit at a time."""
    whole = message(request)
    size = 1 + len(whole) // 20
    reading = asyncio.ensure_future(outcome(request, reader))
    for start in range(0, len(whole), size):
        writer.write(whole[start : start + size])
        await asyncio.sleep(0.05)
    return await reading


async def sipping(_: Client, request: LoadRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Read a bit at a time."""
    writer.write(message(request))
    return await outcome(request, reader, pause=0.05)


async def stalling(_: Client, request: LoadRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Send half of a body, and expect 408; a request without a body cannot stall."""
    if not request.body:
        return "gone"
    whole = message(request)
    writer.write(whole[: len(whole) - 1 - len(request.body) // 2])
    status, retry_after, body = await response(reader)
    # A stream has begun its answer by then; its last line is the problem.
    stalled = status == 408 or (request.media == NDJSON and b'"status":408' in last_line(body))
    return "right" if stalled else shed_or_status(status, retry_after)


async def vanishing(client: Client, request: LoadRequest, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Send all or half, and disconnect before the answer; every other time with a reset."""
    whole = message(request)
    writer.write(whole[: len(whole) // client.random.choice((1, 2))])
    await asyncio.sleep(client.random.random())
    if client.random.random() < 0.5:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_ZERO)
    return "gone"


def message(request: LoadRequest) -> bytes:
    return REQUEST_HEAD.format(request.method, request.path, request.media, len(request.body)).encode() + request.body


async def outcome(request: LoadRequest, reader: asyncio.StreamReader, pause: float = 0) -> str:
    """Read the answer and compare it."""
    status, retry_after, body = await response(reader, pause)
    if status != request.status:
        return shed_or_status(status, retry_after)
    if body == request.answer:
        return "right"
    return "shed" if request.media == NDJSON and b'"code":"overloaded"' in body else f"a wrong answer with {status}"


def last_line(body: bytes) -> bytes:
    """Return the last line of an answer to a stream."""
    return body.rstrip(b"\n").rpartition(b"\n")[2]


def shed_or_status(status: int, retry_after: bool) -> str:
    """Return `shed` for 503 with Retry-After, or 429 as text-embeddings-inference has it, else the status."""
    return "shed" if status in (429, 503) and retry_after else f"{status}"


async def response(reader: asyncio.StreamReader, pause: float = 0) -> tuple[int, bool, bytes]:
    """Return the status, whether there is a Retry-After, and the body. Raises `EOFError`."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = CONTENT_LENGTH.search(head)
    if length:
        body = await exactly(reader, int(length[1]), pause)
    else:
        parts = []
        while size := int(await reader.readline(), 16):
            parts.append(await exactly(reader, size, pause))
            await reader.readline()
        body = b"".join(parts)
    return int(head[9:12]), bool(RETRY_AFTER.search(head)), body


async def exactly(reader: asyncio.StreamReader, size: int, pause: float) -> bytes:
    parts = []
    while size:
        parts.append(part := await reader.read(min(size, CHUNK_BYTES)))
        if not part:
            raise EOFError
        size -= len(part)
        await asyncio.sleep(pause)
    return b"".join(parts)


KINDS: Sequence[tuple[Behave, str, int]] = (
    (ordinary, "good", 24),
    (ordinary, "bad", 3),
    (trickling, "good", 1),
    (sipping, "good", 1),
    (stalling, "good", 1),
    (vanishing, "good", 2),
)
"""How clients behave, which requests they send, and how many of 32 there are."""


def run(
    port: int,
    requests: Sequence[LoadRequest],
    clients: int,
    seconds: float,
    kinds: Sequence[tuple[Behave, str, int]] = KINDS,
) -> Tally:
    """Run so many clients for so long, then wait for their last answers."""
    places = [(behave, which) for behave, which, many in kinds for _ in range(many)]
    by_kind = {
        "good": [one for one in requests if one.status == 200],
        "bad": [one for one in requests if one.status != 200],
    }
    tally: Tally = Counter()

    async def gather() -> None:
        until = time.monotonic() + seconds
        some = [
            (Client(port, number, by_kind[which], tally), behave)
            for number, (behave, which) in zip(range(clients), cycle(places), strict=False)
        ]
        await asyncio.gather(*(client.send_until(behave, until) for client, behave in some))

    uvloop.run(gather())
    return tally


def settle(port: int, requests: Sequence[LoadRequest]) -> Tally:
    """Send each request once from each of three addresses, one after another: the server hands requests of different
    addresses to different workers."""
    tally: Tally = Counter()

    async def send_all() -> None:
        for number in range(3):
            client = Client(port, number, requests, tally)
            for request in requests:
                await client.send(ordinary, request)

    uvloop.run(send_all())
    return tally
