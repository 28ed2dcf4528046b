"""A pool of pre-started worker processes, which may be killed at any moment.

Each has a socket of its own to the server, so that the death of one does not affect another. There is one more than may
work at the same time: it takes over while a dead one is replaced. All are forked from one process, the zygote. What
work needs of it, such as a vocabulary, is prepared there once, and new workers that share it take the place of the old.
"""

import asyncio
import logging
from collections.abc import Coroutine, Hashable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

from ..errors import OverLimit, WorkerLost
from ..settings import Settings
from .forking import Call
from .process import Make, Work
from .turns import Turns
from .worker import Deadline, NeedsZygote, Worker, start_worker
from .zygote import WorkerDied, Zygote, start_zygote

START_TIMEOUT = 30.0
"""Seconds that a worker may take to be ready."""
ZYGOTE_TIMEOUT = 120.0
"""Seconds that the zygote may take to be ready: it imports all that workers share."""
RESTART_SECONDS = 1.0
"""Seconds between two attempts to start a worker."""
MAX_ATTEMPTS = 3
"""How often work is started whose worker dies."""
log = logging.getLogger(__name__)


@dataclass(slots=True)
class Workers:
    """A pool of `settings.workers` processes, which call functions of what `make(settings)` has returned in the zygote.

    `preload` names modules that they share from their start. They are started by `start`, or else by the first work.
    One whose client has left gets `grace` seconds to finish its work.
    The counts only grow: work `done`; workers `started`, `retired` because they held too much memory, `renewed` to
    share more, killed because work took too long (`overtime`) or its client had left (`abandoned`), and `lost` in any
    other way.
    """

    settings: Settings
    make: Make
    preload: Sequence[str] = ()
    grace: float = 0.5
    done: int = 0
    started: int = 0
    retired: int = 0
    renewed: int = 0
    overtime: int = 0
    abandoned: int = 0
    lost: int = 0
    _workers: dict[int, Worker | None] = field(default_factory=dict)
    _connected: set[Worker] = field(default_factory=set)
    _idle: list[Worker] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop | None = None
    _ready: asyncio.Event = field(default_factory=asyncio.Event)
    _zygote: Zygote | None = None
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _preparing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _renewals: list[asyncio.Task[None]] = field(default_factory=list)
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
            self._connected = set()
            self._idle = []
            self._tasks = set()
            self._ready = asyncio.Event()
            self._zygote = None
            self._starting, self._preparing, self._renewals = asyncio.Lock(), asyncio.Lock(), []
            self._new_turns()
        for number in range(self.settings.workers + 1):
            if number not in self._workers:
                self._workers[number] = None
                self._run_in_background(self._fill(number))

    def _run_in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def stop(self) -> None:
        """Kill all workers, and wait until they are gone."""
        workers = [*self._connected]  # also those that finish their work when others have taken their place
        zygote = self._zygote
        self._loop = self._zygote = None
        self._workers = {}
        self._idle = []
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *(worker.kill() for worker in workers), return_exceptions=True)
        if zygote is not None:
            await zygote.kill()

    async def _fill(self, number: int) -> None:
        """Start the worker of a number, and try again until it is ready."""
        while True:
            try:
                zygote = await self._get_zygote()
                async with asyncio.timeout(START_TIMEOUT):
                    worker = await start_worker(zygote, number, self._replace_worker)
                if not worker.dead:
                    self._connected.add(worker)
                    break
            except (OSError, EOFError, WorkerDied):
                log.exception("A worker could not be started.")
                await asyncio.sleep(RESTART_SECONDS)
        self.started += 1
        old = self._workers.get(number)
        self._workers[number] = worker
        self._free(worker)
        if old is not None:
            self.renewed += 1
            if old in self._idle:
                self._idle.remove(old)
                await old.kill()

    async def _get_zygote(self) -> Zygote:
        """Return the zygote; start one if there is none. Raises `OSError`, `WorkerDied`."""
        async with self._starting:
            if self._zygote is None or self._zygote.dead:
                async with asyncio.timeout(ZYGOTE_TIMEOUT):
                    self._zygote = await start_zygote(self.settings, self.make, self.preload, self._replace_zygote)
            return self._zygote

    def _replace_zygote(self, zygote: Zygote) -> None:
        """Replace a zygote that died, and then its workers; until then they go on."""
        if self._zygote is zygote:
            self.prepare_later([*zygote.prepared])

    def prepare_later(self, calls: Sequence[Call]) -> None:
        """Start the workers, and prepare in the background what they will share."""
        self.start()
        self._run_in_background(self.prepare(calls))

    async def prepare(self, calls: Sequence[Call], *, missing_in: Worker | None = None) -> None:
        """Have the zygote call functions, unless it has before; workers that share the results replace the others.

        Meanwhile the others go on. The next preparation waits until all of them are replaced. What is `missing_in` a
        worker that shares all, the zygote has dropped since, and prepares again.
        """
        self.start()
        async with self._preparing:
            await asyncio.gather(*self._renewals, return_exceptions=True)
            try:
                zygote = await self._get_zygote()
                if missing_in and not self._is_old(missing_in):
                    zygote.prepared.difference_update(calls)
                if missing := [call for call in calls if call not in zygote.prepared]:
                    async with asyncio.timeout(self.settings.load_seconds):
                        await zygote.prepare(missing)
            except TimeoutError:
                if self._zygote:
                    await self._zygote.kill()
            except (OSError, WorkerDied):
                log.exception("The zygote failed.")
            old = [number for number, worker in self._workers.items() if worker and self._is_old(worker)]
            self._renewals = [self._run_in_background(self._fill(number)) for number in old]

    def _is_old(self, worker: Worker) -> bool:
        """True if a worker that is forked now shares more than this one."""
        return worker.zygote is not self._zygote or worker.zygote.generation > worker.generation

    def _free(self, worker: Worker) -> None:
        """Note that a worker is idle, unless it died after its answer; replace one that has asked for it."""
        if self._workers.get(worker.number) is not worker and not worker.dead:
            self._run_in_background(worker.kill())  # it has been renewed meanwhile
        elif self._workers.get(worker.number) is worker and worker.retiring:
            self.retired += 1
            self._run_in_background(worker.kill())
        elif self._workers.get(worker.number) is worker:
            self._idle.append(worker)
            self._ready.set()
        else:
            self.lost += 1

    def _replace_worker(self, worker: Worker) -> None:
        """Replace a worker that died by another of its number."""
        self._connected.discard(worker)
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
        needed: set[Call] = set()
        alone = False
        while True:
            try:
                async with self._untrusted.turn(client) if untrusted else nullcontext(), self._turns.turn(client):
                    await self._wait_for(prefer % (self.settings.workers + 1), preferred_wait)
                    return await self._attempt(function, args, prefer, renewed=bool(needed), alone=alone)
            except NeedsZygote as needs:
                alone = not needed.isdisjoint(needs.calls)  # the zygote fails to prepare it, or has no room for it
                needed.update(needs.calls)
                if not alone and self._loop:  # the turn is free meanwhile for work that lacks nothing
                    await self.prepare(needs.calls, missing_in=needs.worker)

    async def visit(self, function: Work) -> list[list[Any]]:
        """Have each worker that is idle call `function(made)`, one after another, and return the parts of each.

        What fails in one of them is left out.
        """
        answers = []
        for worker in [*self._idle]:
            if worker in self._idle:
                self._idle.remove(worker)
                try:
                    answers.append(await self._run_once(worker, function, (), alone=True))
                except Exception as error:
                    log.debug("%s in a visit.", type(error).__name__)
        return answers

    async def _attempt(
        self, function: Work, args: tuple[Any, ...], prefer: int, *, renewed: bool, alone: bool
    ) -> list[Any]:
        for _ in range(MAX_ATTEMPTS):
            worker = await self._take(prefer, renewed=renewed)
            try:
                return await self._run_once(worker, function, args, alone=alone)
            except WorkerDied as lost:
                lost.check(self.settings)
        raise WorkerLost(f"The worker processes that did this died, {MAX_ATTEMPTS} in a row. Try again.")

    async def _run_once(self, worker: Worker, function: Work, args: tuple[Any, ...], *, alone: bool) -> list[Any]:
        worker.deadline = deadline = Deadline(self.settings.max_seconds, self.settings.load_seconds)
        try:
            async with deadline.timeout:
                parts = await worker.work(function, args, alone=alone)
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
            async with asyncio.timeout(self.grace):
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

    async def _take(self, prefer: int, *, renewed: bool) -> Worker:
        """Take an idle worker, one that shares all if `renewed`. Raises `WorkerLost` if none becomes ready in time."""
        try:
            async with asyncio.timeout(self.settings.max_wait):
                while not (fit := [worker for worker in self._idle if not (renewed and self._is_old(worker))]):
                    self._ready.clear()
                    await self._ready.wait()
        except TimeoutError:
            raise WorkerLost("No worker process starts.") from None
        worker = min(fit, key=lambda worker: (worker.number - prefer) % (self.settings.workers + 1))
        self._idle.remove(worker)
        return worker
