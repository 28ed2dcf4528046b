"""Workers: processes that are there before they are needed, and may be killed at any moment.

Each talks to the server through a socket of its own, so that the death of one says nothing to another. There is one
more than may work at once: it stands in while a dead one is replaced.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from app.errors import OverLimit, Overloaded, WorkerLost
from app.settings import Settings
from app.workers.process import Make, Work
from app.workers.slot import Lost, Slot, started

START = 30.0
"""Seconds that a worker may take to be ready."""
AGAIN = 1.0
"""Seconds to wait where none could be started."""
SOON = 2.0
"""Seconds for which work goes on that nobody waits for any more: another worker would take as long to be as ready."""
TRIES = 3
"""How often work is begun whose worker is lost."""
log = logging.getLogger(__name__)


@dataclass(slots=True)
class Workers:
    """A pool whose every worker calls `make(settings)` once, then functions with what it made.

    `preload` names modules that they share from their start. They are started by `start`, or else by the first work.
    The counts say what has happened so far: work `done` or `refused`; workers `started`, killed because work took too
    long (`overtime`) or its client was gone (`abandoned`), and `lost` to anything else.
    """

    settings: Settings
    make: Make
    preload: Sequence[str] = ()
    busy: int = 0
    waiting: int = 0
    done: int = 0
    refused: int = 0
    started: int = 0
    overtime: int = 0
    abandoned: int = 0
    lost: int = 0
    _slots: dict[int, Slot | None] = field(default_factory=dict)
    _idle: list[Slot] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop | None = None
    _ready: asyncio.Event = field(default_factory=asyncio.Event)
    _turns: asyncio.Semaphore = field(default_factory=asyncio.Semaphore)

    @property
    def killed(self) -> int:
        """Workers that died before their time."""
        return self.overtime + self.abandoned + self.lost

    @property
    def pids(self) -> list[int]:
        """The processes that are ready or at work."""
        return [slot.pid for slot in self._slots.values() if slot]

    def start(self) -> None:
        """Bring the workers up to their number, in the background."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._slots, self._idle, self._tasks = loop, {}, [], set()
            self._ready, self._turns = asyncio.Event(), asyncio.Semaphore(self.settings.slots)
        for number in range(self.settings.slots + 1):
            if number not in self._slots:
                self._slots[number] = None
                self._keep(self._fill(number))

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        """Do this in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Kill all workers, and wait until they are gone."""
        slots = [slot for slot in self._slots.values() if slot]
        self._loop, self._slots, self._idle = None, {}, []
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *(slot.kill() for slot in slots), return_exceptions=True)

    async def _fill(self, number: int) -> None:
        """Start the worker of this number, again and again until it is ready."""
        while True:
            try:
                async with asyncio.timeout(START):
                    slot = await started(self.settings, self.make, self.preload, number, self._gone)
                if not slot.dead:
                    break
            except (OSError, EOFError, Lost):
                log.exception("A worker could not be started.")
                await asyncio.sleep(AGAIN)
        self.started += 1
        self._slots[number] = slot
        self._free(slot)

    def _free(self, slot: Slot) -> None:
        """A worker has nothing to do; it may have died after its answer."""
        if self._slots.get(slot.number) is slot:
            self._idle.append(slot)
            self._ready.set()
        else:
            self.lost += 1

    def _gone(self, slot: Slot) -> None:
        """A worker died: another takes its number."""
        if self._slots.get(slot.number) is slot:
            if slot in self._idle:
                self._idle.remove(slot)
                self.lost += 1
            del self._slots[slot.number]
            self.start()

    async def run(self, function: Work, *args: Any, prefer: int = 0, patience: float = 0.0) -> list[Any]:
        """The parts that `function(made, *args)` gives in a worker; of those that are free, it is the nearest to
        `prefer`, which may remember something. So many seconds of `patience` are spent on waiting for just that one.

        Work whose worker is lost is begun again by another. What the function raises is raised here. Cancelled, the
        worker is killed, unless it is soon done. Raises `Overloaded` where too much waits already, `OverLimit` for
        too much time or memory, `WorkerLost`.
        """
        self.start()
        if self._turns.locked() and self.waiting >= self.settings.waiting:
            self.refused += 1
            raise Overloaded("Too much is waiting here already. Try again soon.")
        self.waiting += 1
        try:
            await self._turns.acquire()
        finally:
            self.waiting -= 1
        self.busy += 1
        try:
            await self._awaited(prefer % (self.settings.slots + 1), patience)
            return await self._tried(function, args, prefer)
        finally:
            self.busy -= 1
            self._turns.release()

    async def _tried(self, function: Work, args: tuple[Any, ...], prefer: int) -> list[Any]:
        for _ in range(TRIES):
            slot = await self._taken(prefer)
            try:
                return await self._once(slot, function, args)
            except Lost as lost:
                lost.check(self.settings)
        raise WorkerLost(f"The processes that did this were lost, {TRIES} in a row. Try again.")

    async def _once(self, slot: Slot, function: Work, args: tuple[Any, ...]) -> list[Any]:
        try:
            async with asyncio.timeout(limit := self.settings.max_seconds):
                parts = await slot.work(function, args)
        except TimeoutError:
            self.overtime += 1
            await slot.kill()
            raise OverLimit(f"This takes longer than {limit:g} seconds.", limit=int(limit)) from None
        except asyncio.CancelledError:
            self._keep(self._leave(slot))
            raise
        except Lost:
            self.lost += 1
            raise
        except BaseException:
            self._free(slot)
            raise
        self.done += 1
        self._free(slot)
        return parts

    async def _leave(self, slot: Slot) -> None:
        """Let a worker finish what nobody waits for any more, if it soon does; else kill it."""
        try:
            async with asyncio.timeout(SOON):
                await slot.answered()
        except TimeoutError:
            self.abandoned += 1
            await slot.kill()
            return
        except Lost:
            self.lost += 1
            return
        except Exception as error:
            log.debug("Nobody was told of %s.", type(error).__name__)
        self._free(slot)

    async def _awaited(self, number: int, patience: float) -> None:
        """Wait until the worker of this number is free, as long as patience lasts and it lives."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while patience and (slot := self._slots.get(number)) and slot not in self._idle:
                    self._ready.clear()
                    await self._ready.wait()

    async def _taken(self, prefer: int) -> Slot:
        """A free worker. Raises `WorkerLost` where none becomes ready in time."""
        try:
            async with asyncio.timeout(START):
                while not self._idle:
                    self._ready.clear()
                    await self._ready.wait()
        except TimeoutError:
            raise WorkerLost("No process that could do this starts.") from None
        slot = min(self._idle, key=lambda one: (one.number - prefer) % (self.settings.slots + 1))
        self._idle.remove(slot)
        return slot
