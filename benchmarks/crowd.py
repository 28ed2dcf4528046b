"""A crowd of clients on loopback, far more than a server lets in: good ones, bad, slow, and those that vanish."""

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

from benchmarks.asks import Ask

PATIENCE = 120.0
"""Seconds for which a client waits for the end of an answer."""
PART = 2**16
LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)
AGAIN = re.compile(rb"\r\nretry-after: \d+\r\n", re.IGNORECASE)
HEAD = "{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n"
RESET = struct.pack("ii", 1, 0)
"""Of a socket that lingers for no time: to close it then resets the connection."""

Tally = Counter[tuple[str, str]]
"""How often what was asked came out how: `right` · `shed` as it should be · `gone`, of clients that vanish · else what
was wrong."""


@dataclass(slots=True)
class Client:
    """One of the crowd: its number chooses its address, what it asks and when."""

    port: int
    number: int
    asks: Sequence[Ask]
    tally: Tally = field(default_factory=Counter)
    random: Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(self.number)

    async def live(self, behave: "Behave", until: float) -> None:
        """Ask, one thing after another, until this time of the monotonic clock."""
        often = [ask.often for ask in self.asks]
        await asyncio.sleep(self.random.random())
        while time.monotonic() < until:
            (ask,) = self.random.choices(self.asks, often)
            outcome = await self.once(behave, ask)
            await asyncio.sleep(self.random.random() * (1 if outcome == "shed" else 0.1))

    async def once(self, behave: "Behave", ask: Ask) -> str:
        """Ask one thing, and note how it came out."""
        writer = None
        try:
            async with asyncio.timeout(PATIENCE):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", self.port, limit=PART, local_addr=(f"127.0.0.{1 + self.number % 250}", 0)
                )
                outcome = await behave(self, ask, reader, writer)
        except (OSError, EOFError, TimeoutError) as error:
            outcome = type(error).__name__
        if writer is not None:
            writer.transport.abort()
        self.tally[ask.name, outcome] += 1
        return outcome


Behave = Callable[[Client, Ask, asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, str]]


async def ordinary(_: Client, ask: Ask, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Send all, read all."""
    writer.write(message(ask))
    return await outcome(ask, reader)


async def trickling(_: Client, ask: Ask, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Send a bit at a time."""
    whole = message(ask)
    size = 1 + len(whole) // 20
    reading = asyncio.ensure_future(outcome(ask, reader))
    for start in range(0, len(whole), size):
        writer.write(whole[start : start + size])
        await asyncio.sleep(0.05)
    return await reading


async def sipping(_: Client, ask: Ask, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Read a bit at a time."""
    writer.write(message(ask))
    return await outcome(ask, reader, pause=0.05)


async def stalling(_: Client, ask: Ask, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Send half of a body, and wait to be told so; where there is none, nothing can stall."""
    if not ask.body:
        return "gone"
    whole = message(ask)
    writer.write(whole[: len(whole) - 1 - len(ask.body) // 2])
    status, again, _ = await response(reader)
    return "right" if status == 408 else shed_or(status, again)


async def vanishing(client: Client, ask: Ask, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Send all or half, and be gone before the answer; every other time with a reset."""
    whole = message(ask)
    writer.write(whole[: len(whole) // client.random.choice((1, 2))])
    await asyncio.sleep(client.random.random())
    if client.random.random() < 0.5:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    return "gone"


def message(ask: Ask) -> bytes:
    return HEAD.format(ask.method, ask.path, ask.media, len(ask.body)).encode() + ask.body


async def outcome(ask: Ask, reader: asyncio.StreamReader, pause: float = 0) -> str:
    """Read the answer and compare it."""
    status, again, body = await response(reader, pause)
    if status != ask.status:
        return shed_or(status, again)
    return "right" if body == ask.answer else f"a wrong answer with {status}"


def shed_or(status: int, again: bool) -> str:
    """Refused for now and told when to come again: with 503, or as text-embeddings-inference does, 429."""
    return "shed" if status in (429, 503) and again else f"{status}"


async def response(reader: asyncio.StreamReader, pause: float = 0) -> tuple[int, bool, bytes]:
    """Status, whether it says when to come again, and body. Raises `EOFError`."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = LENGTH.search(head)
    if length:
        body = await exactly(reader, int(length[1]), pause)
    else:
        parts = []
        while size := int(await reader.readline(), 16):
            parts.append(await exactly(reader, size, pause))
            await reader.readline()
        body = b"".join(parts)
    return int(head[9:12]), bool(AGAIN.search(head)), body


async def exactly(reader: asyncio.StreamReader, size: int, pause: float) -> bytes:
    parts = []
    while size:
        parts.append(part := await reader.read(min(size, PART)))
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
"""How clients behave, what they ask, and how many of 32 there are."""


def run(
    port: int, asks: Sequence[Ask], clients: int, seconds: float, kinds: Sequence[tuple[Behave, str, int]] = KINDS
) -> Tally:
    """Have so many clients ask for so long, and then wait for their last answers."""
    places = [(behave, which) for behave, which, many in kinds for _ in range(many)]
    asked = {"good": [ask for ask in asks if ask.status == 200], "bad": [ask for ask in asks if ask.status != 200]}
    tally: Tally = Counter()

    async def gather() -> None:
        until = time.monotonic() + seconds
        some = [
            (Client(port, number, asked[which], tally), behave)
            for number, (behave, which) in zip(range(clients), cycle(places), strict=False)
        ]
        await asyncio.gather(*(client.live(behave, until) for client, behave in some))

    uvloop.run(gather())
    return tally


def settle(port: int, asks: Sequence[Ask]) -> Tally:
    """Ask everything once from each of three addresses, one thing after another: the server passes what comes from
    each on to another of its workers."""
    tally: Tally = Counter()

    async def all_of_them() -> None:
        for number in range(3):
            client = Client(port, number, asks, tally)
            for ask in asks:
                await client.once(ordinary, ask)

    uvloop.run(all_of_them())
    return tally
