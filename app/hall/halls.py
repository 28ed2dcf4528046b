"""The halls that one process knows, and the store that it shares with others."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

import orjson

from ..errors import Overloaded, TokenariumError, UnknownHall
from ..settings import Settings
from .codes import hash_secret, new_code
from .limits import HallLimits
from .live import BEAT_SECONDS, Audience, LiveHall
from .store import HallStore, open_store

ANNOUNCE_SECONDS = 1.0
"""Seconds between two looks at how many phones follow."""
MAX_HALLS = 10_000
TRIES = 20
"""Codes that are tried until one is free."""


class Halls:
    """The halls that this process knows, and the store that it shares with others."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.process = secrets.token_hex(4)
        self.limits = HallLimits()
        self._halls: dict[str, LiveHall] = {}
        self._store: HallStore | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._refreshing: set[asyncio.Task[None]] = set()

    @property
    def store(self) -> HallStore:
        """The store, which is opened when it is first needed. Raises `NotAllowed` where the hall is off."""
        if self._store is None:
            self._store = open_store(self.settings)
        return self._store

    async def open(self, secret: str) -> LiveHall:
        """Open a hall that is led with a secret. Raises `Overloaded` where there are too many."""
        count = await self.store.count()
        if count >= MAX_HALLS:
            raise Overloaded("Too many halls are open on this server already.")
        event = {"kind": "opened", "at": time.time(), "key": secrets.token_hex(16), "leader": hash_secret(secret)}
        for _ in range(TRIES):
            code = new_code(count)
            if await self.store.create(code, orjson.dumps(event)):
                return await self.get(code)
        raise Overloaded("No code is free on this server.")

    def known(self, code: str) -> LiveHall | None:
        """Return the hall of a code if it is in memory."""
        return self._halls.get(code)

    async def get(self, code: str) -> LiveHall:
        """Return the hall of a code, as its log is now. Raises `UnknownHall`."""
        hall = self._halls.get(code) or LiveHall(code, self.store)
        await hall.refresh()
        if not hall.state.events:
            raise UnknownHall("No hall has this code. Check it, or ask for the hall to be opened.")
        return self._halls.setdefault(code, hall)

    async def follow(self, hall: LiveHall, audience: Audience, *, phone: str = "") -> AsyncGenerator[bytes, None]:
        """Yield what `LiveHall.follow` does; the store is listened to meanwhile."""
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._announce())]
        async with aclosing(hall.follow(audience, phone=phone)) as following:
            async for part in following:
                yield part

    async def sweep(self) -> None:
        """Delete halls whose time is over, and forget those that nobody follows."""
        if self._store is None and self.settings.hall == "" and not (self.settings.local / ".halls").exists():
            return
        with suppress(TokenariumError):
            await self.store.sweep()
        self._halls = {code: hall for code, hall in self._halls.items() if hall.followed}

    async def close(self) -> None:
        """End the tasks and close the store."""
        for task in (*self._tasks, *self._refreshing):
            task.cancel()
        self._tasks = []
        if self._store is not None:
            await self._store.close()
        self._store = None

    async def _listen(self) -> None:
        await self.store.listen(self._on_news)

    def _on_news(self, code: str) -> None:
        for hall in [*self._halls.values()] if not code else filter(None, [self._halls.get(code)]):
            if hall.followed:
                task = asyncio.create_task(_refresh(hall))
                self._refreshing.add(task)
                task.add_done_callback(self._refreshing.discard)

    async def _announce(self) -> None:
        while True:
            await asyncio.sleep(ANNOUNCE_SECONDS)
            for hall in [*self._halls.values()]:
                with suppress(TokenariumError):
                    await hall.announce(self.process, time.time(), BEAT_SECONDS)
            if not any(hall.followed for hall in self._halls.values()):
                break
        for task in self._tasks:
            task.cancel()
        self._tasks = []


async def _refresh(hall: LiveHall) -> None:
    with suppress(TokenariumError):
        await hall.refresh()
