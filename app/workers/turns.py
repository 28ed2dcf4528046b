"""Turns for work: so many at a time, and those that wait for one get it by client, round robin."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from itertools import count

from ..errors import Overloaded


class Turns:
    """At most `limit` turns at a time; at most `queue_size` wait for one.

    A turn that is free goes to the client that was served least recently, and for that client in order. If the queue is
    full, it gives way that came last of the client with the most in it. `refused` counts all that got no turn.
    """

    def __init__(self, limit: int, queue_size: int) -> None:
        self.queue_size = queue_size
        self.free = limit
        self.busy = 0
        self.waiting = 0
        self.refused = 0
        self._queues: dict[Hashable, deque[asyncio.Future[None]]] = {}
        self._clock = count(1)
        self._served: dict[Hashable, int] = {}
        self._held: Counter[Hashable] = Counter()

    @asynccontextmanager
    async def turn(self, client: Hashable, until: float) -> AsyncIterator[None]:
        """Occupy a turn. Raises `Overloaded` if too many wait, or none is free at a time of the event loop."""
        if self.free:
            self._give(client)
        else:
            await self._wait(client, until)
        self.busy += 1
        try:
            yield
        finally:
            self.busy -= 1
            self._release(client)

    async def _wait(self, client: Hashable, until: float) -> None:
        self._make_room(client)
        future = asyncio.get_running_loop().create_future()
        self._queues.setdefault(client, deque()).append(future)
        self.waiting += 1
        try:
            async with asyncio.timeout_at(until):
                await future
        except BaseException as error:
            if future.done() and not future.cancelled() and not future.exception():
                self._release(client)  # it got its turn just now
            if isinstance(error, TimeoutError):
                raise self.refuse() from None
            raise
        finally:
            self.waiting -= 1
            self._leave(client, future)

    def _make_room(self, client: Hashable) -> None:
        """Refuse the last of the client with the most in the queue if it is full. Raises `Overloaded` for this one."""
        if self.waiting < self.queue_size:
            return
        most = max(self._queues, key=lambda one: len(self._queues[one]), default=client)
        if len(self._queues.get(most, ())) <= len(self._queues.get(client, ())) + 1:
            raise self.refuse()
        last = self._queues[most].pop()
        if not last.done():  # else its client has just left
            last.set_exception(self.refuse())

    def refuse(self, why: str = "Too much is waiting here already.") -> Overloaded:
        """Count a refusal and return it, to be raised."""
        self.refused += 1
        return Overloaded(f"{why} Try again soon.")

    def _leave(self, client: Hashable, future: "asyncio.Future[None]") -> None:
        if (queue := self._queues.get(client)) is not None and future in queue:
            queue.remove(future)
        if not queue:
            self._queues.pop(client, None)

    def _give(self, client: Hashable) -> None:
        self.free -= 1
        self._held[client] += 1
        self._served[client] = next(self._clock)

    def _release(self, client: Hashable) -> None:
        self.free += 1
        self._held[client] -= 1
        while self.free and self._queues:
            chosen = min(self._queues, key=lambda one: (self._held[one], self._served.get(one, 0)))
            queue = self._queues[chosen]
            future = queue.popleft()
            if not queue:
                del self._queues[chosen]
            if not future.done():
                self._give(chosen)
                future.set_result(None)
        self._held = +self._held
        known = self._held.keys() | self._queues.keys()
        self._served = {one: served for one, served in self._served.items() if one in known}
