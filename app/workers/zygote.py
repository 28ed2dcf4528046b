"""The zygote as the server sees it: a process that prepares what workers share, and forks them."""

import asyncio
import multiprocessing
import pickle
import signal
import socket
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.process import BaseProcess
from typing import Any

from ..errors import OverLimit
from ..settings import Settings
from .forking import EXITED, FORK, HEAD, PREPARE, Call, pack_message, run_zygote
from .process import Make

EXIT_TIMEOUT = 5.0
"""Seconds for a killed process to exit."""


class WorkerDied(Exception):
    """A worker or the zygote died. `code` is its exit code, negative for a signal."""

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


class Messages(asyncio.Protocol):
    """Messages of another process, each with its length before it."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._transport: Any = None
        self.dead = False

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def abort(self) -> None:
        """Close the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= HEAD.size:
            end = HEAD.size + HEAD.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                break
            with memoryview(self._buffer) as view:
                kind, value = pickle.loads(view[HEAD.size : end])
            del self._buffer[:end]
            self.handle_message(kind, value)

    def handle_message(self, kind: str, value: Any) -> None:
        """Handle a message."""


class Zygote(Messages):
    """A process that answers one request after another.

    `generation` counts the preparations so far: a worker has those that came before it was forked. `prepared` has the
    calls. `gone` is called when it has died.
    """

    def __init__(self, process: BaseProcess, control: socket.socket, gone: "Callable[[Zygote], None]") -> None:
        super().__init__()
        self.pid = process.pid or 0
        self.generation = 0
        self.prepared: set[Call] = set()
        self._process = process
        self._control = control
        self._gone = gone
        self._loop = asyncio.get_running_loop()
        self._started: asyncio.Future[Any] = self._loop.create_future()
        self._pending: deque[tuple[asyncio.Future[Any], Sequence[Call]]] = deque([(self._started, ())])
        self._exits: dict[int, asyncio.Future[int | None]] = {}

    def handle_message(self, kind: str, value: Any) -> None:
        if kind == EXITED:
            pid, code = value
            exit = self._exits.pop(pid, None)
            if exit is None:  # before the server has noted its start
                exit = self._exits[pid] = self._loop.create_future()
            exit.set_result(code)
            return
        answer, calls = self._pending.popleft()
        if calls and value:
            self.prepared.update(calls[:value])
            self.generation += 1
        if not answer.done():
            answer.set_result((value, self.generation))

    def connection_lost(self, error: Exception | None) -> None:
        self.dead = True
        self._control.close()
        for answer, _ in self._pending:
            if not answer.done():
                answer.set_exception(WorkerDied(None))
        for exit in self._exits.values():
            if not exit.done():
                exit.set_result(None)
        self._gone(self)

    async def ready(self) -> None:
        """Wait until it has started. Raises `WorkerDied`."""
        await self._started  # which may have happened already

    async def fork(self) -> tuple[int, int, socket.socket]:
        """Fork a worker; return its process id, its generation and a socket to it. Raises `WorkerDied`, `OSError`."""
        server_end, worker_end = socket.socketpair()
        server_end.setblocking(False)
        try:
            with worker_end:
                return *await self._ask((FORK, None), descriptors=[worker_end.fileno()]), server_end
        except BaseException:
            server_end.close()
            raise

    async def prepare(self, calls: Sequence[Call]) -> None:
        """Call functions in it, until one fails; workers that are forked later have their results.

        Raises `WorkerDied`, `OSError`.
        """
        await self._ask((PREPARE, calls), calls=calls)

    async def _ask(self, message: object, *, calls: Sequence[Call] = (), descriptors: Sequence[int] = ()) -> Any:
        if self.dead:
            raise WorkerDied(None)
        answer = self._loop.create_future()
        # By the socket, since asyncio sends no descriptors; messages are far smaller than what the system buffers.
        socket.send_fds(self._control, [pack_message(message)], descriptors)
        self._pending.append((answer, calls))
        return await answer

    def exit_of(self, pid: int) -> "asyncio.Future[int | None]":
        """Return the future exit code of a worker, None if it stays unknown; to be called once for each."""
        exit = self._exits.pop(pid, None) or self._loop.create_future()
        if self.dead and not exit.done():
            exit.set_result(None)
        if not exit.done():
            self._exits[pid] = exit
        return exit

    async def kill(self) -> None:
        """Kill the process, whatever it does."""
        self.abort()
        with suppress(ValueError):  # it is closed
            self._process.kill()
        await asyncio.to_thread(self._process.join, EXIT_TIMEOUT)


async def start_zygote(
    settings: Settings, make: Make, preload: Sequence[str], gone: Callable[[Zygote], None]
) -> Zygote:
    """Start a zygote and return it when it is ready. Raises `OSError`, `WorkerDied`."""
    launch = asyncio.ensure_future(asyncio.to_thread(_launch, settings, make, preload))
    try:
        process, control = await asyncio.shield(launch)
    except asyncio.CancelledError:
        process, control = await launch
        control.close()
        process.kill()
        raise
    zygote = Zygote(process, control, gone)
    try:
        await asyncio.get_running_loop().create_unix_connection(lambda: zygote, sock=control.dup())
        await zygote.ready()
    except BaseException:
        zygote.abort()
        control.close()
        process.kill()
        raise
    return zygote


def _launch(settings: Settings, make: Make, preload: Sequence[str]) -> tuple[BaseProcess, socket.socket]:
    """Start a process and return it with a socket to it.

    It is forked from one that has a single thread, as forking threads is not safe, and has imported the modules of
    workers, so that it starts in milliseconds.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([make.__module__, __name__, *preload])
    control, other_end = socket.socketpair()
    control.setblocking(False)
    process = context.Process(target=run_zygote, args=(other_end, settings, make), name="zygote", daemon=True)
    with other_end:
        process.start()
    return process, control
