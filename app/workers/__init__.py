"""A pool of pre-started worker processes, which may be killed at any moment.

Each has a socket of its own to the server, so that the death of one does not affect another. There is one more than may
work at the same time: it takes over while a dead one is replaced.
"""

import asyncio
import logging
from collections.abc import Coroutine, Hashable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

from ..errors import OverLimit, WorkerLost
from ..settings import Settings
from .process import Make, Work
from .turns import Turns
from .worker import Deadline, Worker, WorkerDied, start_worker

START_TIMEOUT = 30.0
"""Seconds that a worker may take to be ready."""
RESTART_SECONDS = 1.0
"""Seconds between two attempts to start a worker."""
ABANDONED_SECONDS = 0.5
"""Seconds that a worker gets to finish work whose client has left."""
MAX_ATTEMPTS = 3
"""How often work is started whose worker dies."""
log = logging.getLogger(__name__)


@dataclass(slots=True)
class Workers:
    """A pool of `settings.workers` processes, each of which calls `make(settings)` once, then functions with it.

    `preload` names modules that they share from their start. They are started by `start`, or else by the first work.
    The counts only grow: work `done`; workers `started`, `retired` because they held too much memory, killed because
    work took too long (`overtime`) or its client had left (`abandoned`), and `lost` in any other way.
    """

    settings: Settings
    make: Make
    preload: Sequence[str] = ()
    done: int = 0
    started: int = 0
    retired: int = 0
    overtime: int = 0
    abandoned: int = 0
    lost: int = 0
    _workers: dict[int, Worker | None] = field(default_factory=dict)
    _idle: list[Worker] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop | None = None
    _ready: asyncio.Event = field(default_factory=asyncio.Event)
    _turns: Turns = field(init=False)
    _untrusted: Turns = field(init=False)

    def __post_init__(self) -> None:
        self._new_turns()

    def _new_turns(self) -> None:
        """Have as many turns as workers. Untrusted work has a queue of its own, so that it delays no other work."""
        settings = self.settings
        self._turns = Turns(settings.workers, settings.queue_size, settings.max_wait)
        self._untrusted = Turns(max(1, settings.workers - 1), settings.queue_size, settings.max_wait)

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
        return [worker.pid for worker in self._workers.values() if worker]

    def start(self) -> None:
        """Start the workers that are missing, in the background."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop = loop
            self._workers = {}
            self._idle = []
            self._tasks = set()
            self._ready = asyncio.Event()
            self._new_turns()
        for number in range(self.settings.workers + 1):
            if number not in self._workers:
                self._workers[number] = None
                self._run_in_background(self._fill(number))

    def _run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Kill all workers, and wait until they are gone."""
        workers = [worker for worker in self._workers.values() if worker]
        self._loop = None
        self._workers = {}
        self._idle = []
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *(worker.kill() for worker in workers), return_exceptions=True)

    async def _fill(self, number: int) -> None:
        """Start the worker of a number, and try again until it is ready."""
        while True:
            try:
                async with asyncio.timeout(START_TIMEOUT):
                    worker = await start_worker(self.settings, self.make, self.preload, number, self._replace_worker)
                if not worker.dead:
                    break
            except (OSError, EOFError, WorkerDied):
                log.exception("A worker could not be started.")
                await asyncio.sleep(RESTART_SECONDS)
        self.started += 1
        self._workers[number] = worker
        self._free(worker)

    def _free(self, worker: Worker) -> None:
        """Note that a worker is idle, unless it died after its answer; replace one that has asked for it."""
        if self._workers.get(worker.number) is worker and worker.retiring:
            self.retired += 1
            self._run_in_background(worker.kill())
        elif self._workers.get(worker.number) is worker:
            self._idle.append(worker)
            self._ready.set()
        else:
            self.lost += 1

    def _replace_worker(self, worker: Worker) -> None:
        """Replace a worker that died by another of its number."""
        if self._workers.get(worker.number) is worker:
            if worker in self._idle:
                self._idle.remove(worker)
                self.lost += 1
            del self._workers[worker.number]
            self.start()

    async def run(
        self,
        function: Work,
        *args: Any,
        prefer: int = 0,
        preferred_wait: float = 0.0,
        untrusted: bool = False,
        client: Hashable = None,
    ) -> list[Any]:
        """Return the parts that `function(made, *args)` yields in a worker.

        Of the idle workers, the nearest to the number `prefer` is taken, which may have cached something; for that one
        itself, at most `preferred_wait` seconds are waited. Of several workers, `untrusted` work, which runs what a
        user wrote, always leaves one to other work. Work waits by `client`, or else by `prefer`: each of them gets a
        worker in turn. If the worker dies, another starts the work again. If this is cancelled, the worker is killed,
        unless it soon finishes. Raises `Overloaded` if too much work waits already or this waits too long, `OverLimit`
        for too much time or memory, `WorkerLost`, and what the function raises.
        """
        self.start()
        client = prefer if client is None else client
        async with self._untrusted.turn(client) if untrusted else nullcontext(), self._turns.turn(client):
            await self._wait_for(prefer % (self.settings.workers + 1), preferred_wait)
            return await self._attempt(function, args, prefer)

    async def _attempt(self, function: Work, args: tuple[Any, ...], prefer: int) -> list[Any]:
        for _ in range(MAX_ATTEMPTS):
            worker = await self._take(prefer)
            try:
                return await self._run_once(worker, function, args)
            except WorkerDied as lost:
                lost.check(self.settings)
        raise WorkerLost(f"The worker processes that did this died, {MAX_ATTEMPTS} in a row. Try again.")

    async def _run_once(self, worker: Worker, function: Work, args: tuple[Any, ...]) -> list[Any]:
        worker.deadline = deadline = Deadline(self.settings.max_seconds, self.settings.load_seconds)
        try:
            async with deadline.timeout:
                parts = await worker.work(function, args)
        except TimeoutError:
            self.overtime += 1
            await worker.kill()
            limit = deadline.over
            raise OverLimit(f"This takes longer than {limit:g} seconds.", limit=int(limit)) from None
        except asyncio.CancelledError:
            self._run_in_background(self._abandon(worker))
            raise
        except WorkerDied:
            self.lost += 1
            raise
        except BaseException:
            self._free(worker)
            raise
        self.done += 1
        self._free(worker)
        return parts

    async def _abandon(self, worker: Worker) -> None:
        """Let a worker finish work that nobody waits for any more, if it soon does; else kill it."""
        try:
            async with asyncio.timeout(ABANDONED_SECONDS):
                await worker.wait_for_answer()
        except TimeoutError:
            self.abandoned += 1
            await worker.kill()
            return
        except WorkerDied:
            self.lost += 1
            return
        except Exception as error:
            log.debug("%s in abandoned work.", type(error).__name__)
        self._free(worker)

    async def _wait_for(self, number: int, seconds: float) -> None:
        """Wait until the worker of a number is idle or dead, or the seconds are over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while seconds and (worker := self._workers.get(number)) and worker not in self._idle:
                    self._ready.clear()
                    await self._ready.wait()

    async def _take(self, prefer: int) -> Worker:
        """Take an idle worker. Raises `WorkerLost` if none becomes ready in time."""
        try:
            async with asyncio.timeout(START_TIMEOUT):
                while not self._idle:
                    self._ready.clear()
                    await self._ready.wait()
        except TimeoutError:
            raise WorkerLost("No worker process starts.") from None
        worker = min(self._idle, key=lambda worker: (worker.number - prefer) % (self.settings.workers + 1))
        self._idle.remove(worker)
        return worker
