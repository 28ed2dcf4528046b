"""A slot: one worker as the server sees it, a process and the socket to it."""

import asyncio
import atexit
import multiprocessing
import pickle
import signal
import socket
import struct
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from typing import Any

from app.errors import OverLimit
from app.settings import Settings
from app.workers.process import Make, Work, serve

HEAD = struct.Struct("!i")
"""What `multiprocessing.connection` puts before each message: its length."""
PATIENCE = 5.0
"""Seconds until a killed process is gone."""


class Lost(Exception):
    """The worker died, with this exit code; negative ones are signals."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code

    def check(self, settings: Settings) -> None:
        """Raise `OverLimit` where the work itself was the cause."""
        if self.code == -signal.SIGXCPU:
            limit = settings.max_cpu
            raise OverLimit(f"This takes more than {limit} seconds of processor time.", limit=limit) from None
        if self.code == -signal.SIGABRT:
            limit = settings.max_memory
            raise OverLimit(f"This takes more than {limit:,} bytes of memory.", limit=limit) from None


class Slot(asyncio.Protocol):
    """A worker that does one thing at a time."""

    def __init__(self, process: BaseProcess, number: int, gone: "Callable[[Slot], None]") -> None:
        self.number = number
        self.pid = process.pid or 0
        self._process = process
        self._gone = gone
        self._buffer = bytearray()
        self._parts: list[Any] = []
        self.dead = False
        self._answer: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= HEAD.size:
            end = HEAD.size + HEAD.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                break
            with memoryview(self._buffer) as view:
                kind, value = pickle.loads(view[HEAD.size : end])
            del self._buffer[:end]
            self._told(kind, value)

    def _told(self, kind: str, value: Any) -> None:
        if kind == "part":
            self._parts.append(value)
        elif not self._answer.done():
            if kind == "error":
                self._answer.set_exception(value)
            else:
                self._answer.set_result(self._parts)

    def connection_lost(self, error: Exception | None) -> None:
        self.dead = True
        if not self._answer.done():
            self._answer.cancel()
        self._gone(self)

    async def ready(self) -> None:
        """Wait until the worker has made what it works with. Raises `Lost`."""
        await self.answered()

    async def work(self, function: Work, args: tuple[Any, ...]) -> list[Any]:
        """The parts that the function gives. Raises `Lost`, and what the function raises."""
        if self.dead:
            raise Lost(await self._exit())
        self._answer, self._parts = asyncio.get_running_loop().create_future(), []
        sent = pickle.dumps((function, args), protocol=5)
        self._transport.writelines((HEAD.pack(len(sent)), sent))
        return await self.answered()

    async def answered(self) -> list[Any]:
        """The parts of the answer that is due. Raises `Lost`, and what the function raises."""
        await asyncio.wait([self._answer])
        if self._answer.cancelled():
            raise Lost(await self._exit())
        return self._answer.result()

    async def kill(self) -> None:
        """End the process at once, whatever it does."""
        self._process.kill()
        self._transport.abort()
        await self._exit()

    async def _exit(self) -> int | None:
        """The exit code of a process that is about to end."""
        await asyncio.to_thread(self._process.join, PATIENCE)
        atexit.unregister(self._process.kill)
        return self._process.exitcode


async def started(
    settings: Settings, make: Make, preload: Sequence[str], number: int, gone: Callable[[Slot], None]
) -> Slot:
    """A new worker that is ready. Raises `OSError`, `Lost`."""
    launch = asyncio.ensure_future(asyncio.to_thread(_launched, settings, make, preload))
    try:
        process, ours = await asyncio.shield(launch)
    except asyncio.CancelledError:
        process, ours = await launch
        ours.close()
        process.kill()
        raise
    loop = asyncio.get_running_loop()
    _, slot = await loop.create_unix_connection(lambda: Slot(process, number, gone), sock=ours)
    try:
        await slot.ready()
    except BaseException:
        await slot.kill()
        raise
    return slot


def _launched(settings: Settings, make: Make, preload: Sequence[str]) -> tuple[BaseProcess, socket.socket]:
    """A process forked from one that has only one thread, and has imported what a worker needs; and a socket to it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([make.__module__, __name__, *preload])
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    process = context.Process(target=serve, args=(theirs, settings, make), name="worker", daemon=True)
    with theirs:
        process.start()
    atexit.register(process.kill)
    return process, ours
