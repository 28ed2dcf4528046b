"""A pool of worker processes that call functions, and may be killed at any moment.

Each has a pipe of its own to the server, so that the death of one does not affect another. There is one more than may
work at the same time: it takes over while a dead one is replaced. All are forked from the fork server of the standard
library, which has imported, and loaded, what they share. A thread of the server waits for each answer.

Pebble's process pool has all workers take turns at one pipe; when the last of them is killed, it is broken for ever.
"""

import asyncio
import logging
import multiprocessing
import signal
from collections.abc import Callable, Coroutine, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass, field
from threading import Lock, Thread
from time import monotonic
from typing import Any

from ..errors import BadRequest, OverLimit, WorkerLost
from ..lab.chat.limits import overtime
from ..settings import Settings
from ..temporary_folders import locked_folder
from .process import LOADED, LOADING, RETIRING, Make, Work, serve
from .turns import Turns

RESTART_SECONDS = 1.0
"""Seconds between two attempts to start a worker."""
EXIT_SECONDS = 5.0
"""Seconds for a killed process to exit."""
MAX_ATTEMPTS = 3
"""How often work is started whose worker dies."""
log = logging.getLogger(__name__)
_processes = Lock()
"""Held where a process is started or its exit code read: the standard library may else read that code twice."""


class WorkerDied(Exception):
    """A worker died. `code` is its exit code, negative for a signal."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code

    def check(self, settings: Settings) -> None:
        """Raise `OverLimit` if the work itself was the cause."""
        if self.code == -signal.SIGXCPU:
            limit = settings.max_cpu
            raise OverLimit(f"This takes more than {limit} seconds of processor time.", limit=limit) from None
        if self.code == -signal.SIGPROF:
            raise overtime() from None
        if self.code == -signal.SIGABRT:
            limit = settings.max_memory
            raise OverLimit(f"This takes more than {limit:,} bytes of memory.", limit=limit) from None


class Worker:
    """A worker process, which does one piece of work at a time. `retiring`: it is to be replaced after its work.

    Its temporary files lie in a folder that is removed when it is gone, however it ended. If none can be made, it does
    one piece of work.
    """

    def __init__(self, settings: Settings, make: Make, preload: Sequence[str]) -> None:
        """Start a process, which takes milliseconds but for the first one. Raises `OSError`, `EOFError`."""
        context = multiprocessing.get_context("forkserver")
        with ExitStack() as until_started:
            folder = None
            with suppress(OSError):  # of a disk that is full or cannot be written, which most work does not need
                folder = until_started.enter_context(locked_folder())
            self._connection, other_end = context.Pipe()
            with other_end, _processes:
                context.set_forkserver_preload([*preload])
                args = (other_end, settings, make, folder)
                self.process = context.Process(target=serve, args=args, name="worker", daemon=True)
                self.process.start()
            self._until_closed = until_started.pop_all()
        self.settings = settings
        self.retiring = False
        self.killed = False
        self._working = Lock()

    def work(self, function: Work, args: tuple[Any, ...]) -> Any:
        """Return what a function returns in the worker; called in a thread.

        Raises `TimeoutError` with the limit that was exceeded, after which the worker is dead; `WorkerDied`, and what
        the function raises.
        """
        with self._working:
            return self._work(function, args)

    def _work(self, function: Work, args: tuple[Any, ...]) -> Any:
        limit = self.settings.max_seconds
        end = monotonic() + limit
        try:
            self._send(function, args)
            while self._connection.poll(max(0.0, end - monotonic())):
                kind, value = self._connection.recv()
                if kind == LOADING:
                    left = end - monotonic()
                    limit = self.settings.load_seconds
                    end = monotonic() + limit
                elif kind == LOADED:
                    limit = self.settings.max_seconds
                    end = monotonic() + left
                elif kind == RETIRING:
                    self.retiring = True
                elif kind == "error":
                    raise value
                else:
                    return value
        except (EOFError, ConnectionError):
            raise WorkerDied(self._wait()) from None
        self.kill()
        raise TimeoutError(limit)

    def _send(self, *work: Any) -> None:
        """Send work to the process. Raises `BadRequest` for arguments that pickle cannot follow to their end."""
        try:
            self._connection.send(work)
        except RecursionError:  # of about 490 lists in each other; nothing is sent then
            raise BadRequest("The body is nested too deep.") from None

    def kill(self) -> None:
        """Kill the process, whatever it does."""
        self.killed = True
        self.process.kill()

    def _wait(self) -> int | None:
        """Return the exit code of a process that is about to exit."""
        with _processes:
            self.process.join(EXIT_SECONDS)
            return self.process.exitcode

    def close(self) -> None:
        """Forget a process that has exited. The connection stays open while a thread waits at it."""
        self._wait()
        with self._working, self._until_closed:
            self._connection.close()


def _start(starting: "Future[Worker]", settings: Settings, make: Make, preload: Sequence[str]) -> None:
    """Start a worker, and set it, or why there is none, as the result of a future that is not yet cancelled."""
    if starting.set_running_or_notify_cancel():
        try:
            starting.set_result(Worker(settings, make, preload))
        except Exception as error:
            starting.set_exception(error)


def _discard(starting: "Future[Worker]") -> None:
    """End a worker that nobody waits for any more once it has started."""
    if not starting.cancelled() and starting.exception() is None:
        worker = starting.result()
        worker.kill()
        worker.close()


@dataclass(slots=True)
class Workers:
    """A pool of `settings.workers` processes, which call functions with what `make(settings)` returns in each.

    `preload` names modules that they share. They are started by `start`, or else by the first work. One whose client
    has left gets `grace` seconds to finish its work. The counts only grow: work `done`; workers `started`, `retired`
    because they held too much memory, killed because work took too long (`overtime`) or its client had left
    (`abandoned`), and `lost` in any other way.
    """

    settings: Settings
    make: Make
    preload: Sequence[str] = ()
    grace: float = 0.5
    done: int = 0
    started: int = 0
    retired: int = 0
    overtime: int = 0
    abandoned: int = 0
    lost: int = 0
    _workers: set[Worker] = field(default_factory=set)
    _idle: list[Worker] = field(default_factory=list)
    _missing: int = 0
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop | None = None
    _ready: asyncio.Event = field(default_factory=asyncio.Event)
    _threads: ThreadPoolExecutor = field(init=False)
    _turns: Turns = field(init=False)
    _untrusted: Turns = field(init=False)

    def __post_init__(self) -> None:
        self._new_turns()

    def _new_turns(self) -> None:
        """Have as many turns as workers. Untrusted work has a queue of its own, so that it delays no other work."""
        settings = self.settings
        self._turns = Turns(settings.workers, settings.queue_size)
        self._untrusted = Turns(max(1, settings.workers - 1), settings.queue_size)

    @property
    def busy(self) -> int:
        """The number of pieces of work that are being done."""
        return self._turns.busy

    @property
    def waiting(self) -> int:
        """The number of those that wait for a worker; untrusted work that waits for its turn does not count."""
        return self._turns.waiting

    @property
    def refused(self) -> int:
        """The number of those that were refused."""
        return self._turns.refused + self._untrusted.refused

    @property
    def killed(self) -> int:
        """The number of workers that were killed or lost."""
        return self.overtime + self.abandoned + self.lost

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers that are ready or busy."""
        return [worker.process.pid or 0 for worker in self._workers]

    def start(self) -> None:
        """Start the workers that are missing, in the background."""
        loop = asyncio.get_running_loop()
        size = self.settings.workers + 1
        if loop is not self._loop:
            self._loop = loop
            self._workers, self._idle, self._tasks = set(), [], set()
            self._missing = 0
            self._ready = asyncio.Event()
            self._threads = ThreadPoolExecutor(2 * size, "worker")
            self._new_turns()
        while len(self._workers) + self._missing < size:
            self._missing += 1
            self._run_in_background(self._start_one())

    def _run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _call(self, function: Callable[..., Any], *args: Any) -> "asyncio.Future[Any]":
        """Call a function in a thread."""
        return asyncio.get_running_loop().run_in_executor(self._threads, function, *args)

    async def _start_one(self) -> None:
        """Start a worker, and try again until it has started."""
        while True:
            starting = Future[Worker]()
            # A daemon, for which the end of this process does not wait: the fork server may still load.
            Thread(target=_start, args=(starting, self.settings, self.make, self.preload), daemon=True).start()
            try:
                worker = await asyncio.wrap_future(starting)
                break
            except asyncio.CancelledError:
                starting.add_done_callback(_discard)
                raise
            except (OSError, EOFError):  # of a fork server that has ended
                log.exception("A worker could not be started.")
                await asyncio.sleep(RESTART_SECONDS)
        self.started += 1
        self._missing -= 1
        self._workers.add(worker)
        asyncio.get_running_loop().add_reader(worker.process.sentinel, self._replace, worker)
        self._free(worker)

    def _replace(self, worker: Worker) -> None:
        """Replace a worker that has exited."""
        asyncio.get_running_loop().remove_reader(worker.process.sentinel)
        self._workers.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
            self.lost += not worker.killed
        self._call(worker.close)
        self.start()

    def _free(self, worker: Worker) -> None:
        """Note that a worker is idle, unless it has died after its answer; end one that is to be replaced."""
        if worker.retiring:
            self.retired += 1
            worker.kill()
        elif worker in self._workers:
            self._idle.append(worker)
            self._ready.set()
        else:
            self.lost += 1

    async def stop(self) -> None:
        """Kill all workers, and wait until they are gone. One that still starts, maybe for long, is killed after it."""
        if self._loop is None:
            return
        self._loop = None
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        workers, self._workers, self._idle = self._workers, set(), []
        for worker in workers:
            asyncio.get_running_loop().remove_reader(worker.process.sentinel)
            worker.kill()
        await asyncio.gather(*(self._call(worker.close) for worker in workers))
        self._threads.shutdown(wait=False)

    async def run(self, function: Work, *args: Any, untrusted: bool = False, client: Hashable = None) -> Any:
        """Return what `function(made, *args)` returns in a worker.

        Of the idle workers, the one that was busy last is taken, which has most in memory. `untrusted` work, which runs
        what a user wrote, always leaves one of several workers to other work. Each `client` gets a worker in turn. If
        the worker dies, another starts the work again. If this is cancelled, the worker is killed, unless it soon
        finishes. Raises `Overloaded` if too much work waits already or this waits too long, `OverLimit` for too much
        time or memory, `WorkerLost`, and what the function raises.
        """
        self.start()
        until = self._last_moment()
        turn = self._untrusted.turn(client, until) if untrusted else nullcontext()
        async with turn, self._turns.turn(client, until):
            for _ in range(MAX_ATTEMPTS):
                try:
                    return await self._run_once(await self._take(until), function, args)
                except WorkerDied as died:
                    died.check(self.settings)
                    until = self._last_moment()
            raise WorkerLost(f"The worker processes that did this died, {MAX_ATTEMPTS} in a row. Try again.")

    async def visit(self, function: Work) -> list[Any]:
        """Have each worker that is idle call `function(made)`, one after another, and return the results.

        What fails in one of them is left out.
        """
        answers = []
        for worker in [*self._idle]:
            if worker in self._idle:
                self._idle.remove(worker)
                try:
                    answers.append(await self._run_once(worker, function, ()))
                except Exception as error:
                    log.debug("%s in a visit.", type(error).__name__)
        return answers

    def _last_moment(self) -> float:
        """Return until when work that begins to wait now may wait for a turn and a worker, by the loop’s clock.

        Until the first worker has started, which loads what all share, as long as tokenizers may be loaded.
        """
        limit = self.settings.max_wait if self.started else self.settings.load_seconds
        return asyncio.get_running_loop().time() + limit

    async def _take(self, until: float) -> Worker:
        """Take an idle worker. Raises `Overloaded` if none is ready in time, as after the start of a busy machine."""
        try:
            async with asyncio.timeout_at(until):
                while not self._idle:
                    self._ready.clear()
                    await self._ready.wait()
        except TimeoutError:
            raise self._turns.refuse("No worker process has started yet.") from None
        return self._idle.pop()

    async def _run_once(self, worker: Worker, function: Work, args: tuple[Any, ...]) -> Any:
        answer = self._call(worker.work, function, args)
        try:
            result = await asyncio.shield(answer)
        except TimeoutError as over:
            self.overtime += 1
            (limit,) = over.args
            raise OverLimit(f"This takes longer than {limit:g} seconds.", limit=int(limit)) from None
        except asyncio.CancelledError:
            answer.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # which nobody else asks for
            self._run_in_background(self._abandon(worker, answer))
            raise
        except WorkerDied:
            self.lost += 1
            raise
        except BaseException:
            self._free(worker)
            raise
        self.done += 1
        self._free(worker)
        return result

    async def _abandon(self, worker: Worker, answer: "asyncio.Future[Any]") -> None:
        """Let a worker finish work that nobody waits for any more, if it soon does; else kill it."""
        done, _ = await asyncio.wait([answer], timeout=self.grace)
        if not done:
            self.abandoned += 1
            worker.kill()
            await asyncio.wait([answer])
        if isinstance(answer.exception(), WorkerDied | TimeoutError):
            self.lost += not worker.killed
        else:
            self._free(worker)
