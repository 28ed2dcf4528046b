"""One worker as the server sees it: a process and the socket to it."""

import asyncio
import atexit
import multiprocessing
import pickle
import signal
import socket
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.process import BaseProcess
from typing import Any

from ..errors import OverLimit
from ..settings import Settings
from .process import LOADED, LOADING, RETIRING, Make, Work, serve

HEAD = struct.Struct("!i")
"""The length of a message, which `multiprocessing.connection` puts before it."""
EXIT_TIMEOUT = 5.0
"""Seconds for a killed process to exit."""


class WorkerDied(Exception):
    """The worker died. `code` is its exit code, negative for a signal."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code

    def check(self, settings: Settings) -> None:
        """Raise `OverLimit` if the work itself was the cause."""
        if self.code == -signal.SIGXCPU:
            limit = settings.max_cpu
            raise OverLimit(f"This takes more than {limit} seconds of processor time.", limit=limit) from None
        if self.code == -signal.SIGABRT:
            limit = settings.max_memory
            raise OverLimit(f"This takes more than {limit:,} bytes of memory.", limit=limit) from None


class Deadline:
    """The end of the time that work may take. What is spent on loading counts against a limit of its own.

    `limit` and `load_limit` are in seconds; `over` is the one that was exceeded.
    """

    def __init__(self, limit: float, load_limit: float) -> None:
        self._limit = limit
        self._load_limit = load_limit
        self._loop = asyncio.get_running_loop()
        self._begin = self._loop.time()
        self._spent = 0.0
        self._since: float | None = None
        self.timeout = asyncio.timeout_at(self._begin + limit)

    @property
    def over(self) -> float:
        return self._limit if self._since is None else self._load_limit

    def begin_loading(self) -> None:
        """Loading begins."""
        self._since = self._loop.time()
        self._reschedule(self._since + self._load_limit - self._spent)

    def end_loading(self) -> None:
        """Loading has ended."""
        if self._since is not None:
            self._spent += self._loop.time() - self._since
            self._since = None
            self._reschedule(self._begin + self._limit + self._spent)

    def _reschedule(self, when: float) -> None:
        with suppress(RuntimeError):  # the time is over, or the work has ended
            self.timeout.reschedule(when)


class Worker(asyncio.Protocol):
    """A worker process, which does one piece of work at a time, until its `deadline`."""

    def __init__(self, process: BaseProcess, number: int, gone: "Callable[[Worker], None]") -> None:
        self.number = number
        self.pid = process.pid or 0
        self._process = process
        self._gone = gone
        self._buffer = bytearray()
        self._parts: list[Any] = []
        self.deadline: Deadline | None = None
        self.dead = self.retiring = False
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
            self._handle_message(kind, value)

    def _handle_message(self, kind: str, value: Any) -> None:
        if kind == "part":
            self._parts.append(value)
        elif kind in (LOADING, LOADED):
            if self.deadline is not None:
                self.deadline.begin_loading() if kind == LOADING else self.deadline.end_loading()
        elif kind == RETIRING:
            self.retiring = True
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
        """Wait until the worker has started. Raises `WorkerDied`."""
        await self.wait_for_answer()

    async def work(self, function: Work, args: tuple[Any, ...]) -> list[Any]:
        """Return the parts that a function yields in the worker. Raises `WorkerDied`, and what the function raises."""
        if self.dead:
            raise WorkerDied(await self._exit())
        self._answer = asyncio.get_running_loop().create_future()
        self._parts = []
        message = pickle.dumps((function, args), protocol=5)
        self._transport.writelines((HEAD.pack(len(message)), message))
        return await self.wait_for_answer()

    async def wait_for_answer(self) -> list[Any]:
        """Return the parts of the pending answer. Raises `WorkerDied`, and what the function raises."""
        await asyncio.wait([self._answer])
        if self._answer.cancelled():
            raise WorkerDied(await self._exit())
        return self._answer.result()

    async def kill(self) -> None:
        """Kill the process, whatever it does."""
        self._process.kill()
        self._transport.abort()
        await self._exit()

    async def _exit(self) -> int | None:
        """Return the exit code of a process that is about to exit."""
        await asyncio.to_thread(self._process.join, EXIT_TIMEOUT)
        atexit.unregister(self._process.kill)
        return self._process.exitcode


async def start_worker(
    settings: Settings, make: Make, preload: Sequence[str], number: int, gone: Callable[[Worker], None]
) -> Worker:
    """Start a worker and return it when it is ready. Raises `OSError`, `WorkerDied`."""
    launch = asyncio.ensure_future(asyncio.to_thread(_launch, settings, make, preload))
    try:
        process, server_end = await asyncio.shield(launch)
    except asyncio.CancelledError:
        process, server_end = await launch
        server_end.close()
        process.kill()
        raise
    loop = asyncio.get_running_loop()
    try:
        _, worker = await loop.create_unix_connection(lambda: Worker(process, number, gone), sock=server_end)
    except BaseException:  # the pool is stopped meanwhile
        server_end.close()
        process.kill()
        raise
    try:
        await worker.ready()
    except BaseException:
        await worker.kill()
        raise
    return worker


def _launch(settings: Settings, make: Make, preload: Sequence[str]) -> tuple[BaseProcess, socket.socket]:
    """Start a process and return it with a socket to it.

    It is forked from one that has a single thread, as forking threads is not safe, and has imported the modules of
    workers, so that it starts in milliseconds.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([make.__module__, __name__, *preload])
    server_end, worker_end = socket.socketpair()
    server_end.setblocking(False)
    process = context.Process(target=serve, args=(worker_end, settings, make), name="worker", daemon=True)
    with worker_end:
        process.start()
    atexit.register(process.kill)
    return process, server_end
