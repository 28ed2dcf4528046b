"""One worker as the server sees it: a process and the socket to it."""

import asyncio
import os
import pickle
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .forking import HEAD, Call
from .process import LOADED, LOADING, MISSING, RETIRING, Work
from .zygote import EXIT_TIMEOUT, Messages, WorkerDied, Zygote


class NeedsZygote(Exception):
    """The work needs the results of `calls` in the zygote, which its worker does not share."""

    def __init__(self, calls: list[Call], worker: "Worker") -> None:
        super().__init__(calls)
        self.calls = calls
        self.worker = worker


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


class Worker(Messages):
    """A worker process, which does one piece of work at a time, until its `deadline`.

    `generation` is that of its zygote when it was forked.
    """

    def __init__(
        self, pid: int, number: int, zygote: Zygote, generation: int, gone: "Callable[[Worker], None]"
    ) -> None:
        super().__init__()
        self.number = number
        self.pid = pid
        self.zygote = zygote
        self.generation = generation
        self._exited = zygote.exit_of(pid)
        self._gone = gone
        self._parts: list[Any] = []
        self.deadline: Deadline | None = None
        self.retiring = False
        self._answer: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()

    def handle_message(self, kind: str, value: Any) -> None:
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
            elif kind == MISSING:
                self._answer.set_exception(NeedsZygote(value, self))
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

    async def work(self, function: Work, args: tuple[Any, ...], *, alone: bool = False) -> list[Any]:
        """Return the parts that a function yields in the worker.

        Raises `NeedsZygote`, unless the worker must do `alone`; `WorkerDied`, and what the function raises.
        """
        if self.dead:
            raise WorkerDied(await self._exit())
        self._answer = asyncio.get_running_loop().create_future()
        self._parts = []
        message = pickle.dumps((function, args, alone), protocol=5)
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
        if not self._exited.done() or self._exited.result() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self.abort()
        await self._exit()

    async def _exit(self) -> int | None:
        """Return the exit code of a process that is about to exit."""
        await asyncio.wait([self._exited], timeout=EXIT_TIMEOUT)
        return self._exited.result() if self._exited.done() else None


async def start_worker(zygote: Zygote, number: int, gone: Callable[[Worker], None]) -> Worker:
    """Have a zygote fork a worker, and return it when it is ready. Raises `OSError`, `WorkerDied`."""
    pid, generation, server_end = await zygote.fork()
    loop = asyncio.get_running_loop()
    worker = Worker(pid, number, zygote, generation, gone)
    try:
        await loop.create_unix_connection(lambda: worker, sock=server_end)
        await worker.ready()
    except BaseException:
        server_end.close()
        await worker.kill()
        raise
    return worker
