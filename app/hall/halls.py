"""The halls that one process knows, the codes, secrets and tokens of their people, and the limits of each."""

from __future__ import annotations

import asyncio
import hmac
import math
import secrets
import time
from collections.abc import AsyncGenerator, Hashable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from hashlib import blake2b, sha256

import orjson

from ..errors import Overloaded, TokenariumError, TooOften, UnknownHall, plural
from ..settings import Settings
from .live import BEAT_SECONDS, Audience, LiveHall
from .state import LOG_VERSION
from .store import HallStore, open_store

ALPHABET = "23456789BCDFGHJKMNPQRTVWXZ"
"""Without vowels, so that no code is a word, and without letters that look like digits."""
SHORTEST = 5
SPARSE = 10_000_000
"""Codes that there are, at least, for each one that is open: a guess is right at most once in so many."""
MAX_BUCKETS = 20_000
ANNOUNCE_SECONDS = 1.0
"""Seconds between two looks at how many phones follow."""
MAX_HALLS = 10_000
TRIES = 20
"""Codes that are tried until one is free."""


@dataclass(slots=True)
class RateLimit:
    """At most `burst` turns at once, and `rate` more each second, for each key; of many keys the latest are known."""

    burst: float
    rate: float
    _buckets: dict[Hashable, tuple[float, float]] = field(default_factory=dict)

    def take(
        self, key: Hashable, detail: str = "This was too often.", *, amount: int = 1, now: float | None = None
    ) -> None:
        """Take turns. Raises `TooOften`, with the seconds until there are as many, if fewer are left.

        >>> limit = RateLimit(burst=1, rate=0.1)
        >>> limit.take("a", now=0), limit.take("b", now=0), limit.take("a", now=10)
        (None, None, None)
        >>> limit.take("a", now=13)
        Traceback (most recent call last):
            ...
        tokenarium.errors.TooOften: This was too often. Try again in 7 seconds.
        """
        now = time.monotonic() if now is None else now
        turns, at = self._buckets.pop(key, (self.burst, now))
        turns = min(self.burst, turns + (now - at) * self.rate)
        if len(self._buckets) >= MAX_BUCKETS:
            del self._buckets[next(iter(self._buckets))]
        self._buckets[key] = (turns - amount if turns >= amount else turns), now
        if turns < amount:
            wait = math.ceil((amount - turns) / self.rate)
            raise TooOften(f"{detail} Try again in {plural(wait, 'second')}.", retry_after=wait)


@dataclass(frozen=True, slots=True)
class HallLimits:
    """Limits of one process. An audience may share an address, so what counts by address is generous."""

    wrong_codes: RateLimit = field(default_factory=lambda: RateLimit(burst=30, rate=0.5))  # of an address
    joins: RateLimit = field(default_factory=lambda: RateLimit(burst=1500, rate=10))  # of a hall and an address
    openings: RateLimit = field(default_factory=lambda: RateLimit(burst=10, rate=1 / 60))  # of an address
    slides: RateLimit = field(default_factory=lambda: RateLimit(burst=4e6, rate=2e5))  # bytes of an address
    actions: RateLimit = field(default_factory=lambda: RateLimit(burst=20, rate=2))  # of a phone
    questions: RateLimit = field(default_factory=lambda: RateLimit(burst=3, rate=1 / 15))  # of a phone


def code_length(halls: int) -> int:
    """Return the length of the next code, where so many halls are open.

    >>> code_length(0), code_length(1), code_length(29), code_length(30)
    (5, 6, 6, 7)
    """
    length = SHORTEST
    while len(ALPHABET) ** length < SPARSE * (halls + 1):
        length += 1
    return length


def new_code(halls: int) -> str:
    """Return a random code, where so many halls are open."""
    return "".join(secrets.choice(ALPHABET) for _ in range(code_length(halls)))


def read_code(text: str) -> str:
    """Return a code as it was typed, in capitals and without spaces and dashes; "" if it cannot be one.

    >>> read_code(" k7x-2p "), read_code("what?"), read_code("../etc")
    ('K7X2P', '', '')
    """
    code = "".join(char for char in text.upper() if char not in " -\u2013\u2014")
    return code if SHORTEST <= len(code) <= 12 and {*code} <= {*ALPHABET} else ""


def new_secret() -> str:
    """Return a secret that nobody guesses, which fits into a cookie and an address."""
    return secrets.token_urlsafe(18)


def hash_secret(secret: str) -> str:
    """Return the hash under which a secret is kept."""
    return sha256(secret.encode()).hexdigest()


def matches(secret: str, hashed: str) -> bool:
    """True if a secret has this hash."""
    return bool(hashed) and hmac.compare_digest(hash_secret(secret), hashed)


def new_phone(key: str) -> str:
    """Return the token of another phone, signed with the key of the hall: a random name and its signature."""
    name = secrets.token_hex(6)
    return f"{name}.{_sign(name, key)}"


def read_phone(token: str, key: str) -> str:
    """Return the name of the phone that has a token, or "" if the hall did not give it out.

    >>> read_phone(new_phone("key"), "key") != "", read_phone(new_phone("key"), "other"), read_phone("a.b", "key")
    (True, '', '')
    """
    name, _, signature = token.partition(".")
    return name if token.isascii() and hmac.compare_digest(signature, _sign(name, key)) else ""


def _sign(name: str, key: str) -> str:
    return blake2b(name.encode(), key=key.encode(), digest_size=9).hexdigest()


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

    async def open(self, secret: str, owner: str = "") -> LiveHall:
        """Open a hall that is led with a secret, for the address of an owner.

        Raises `Overloaded` where there are too many, and `NoSpace`.
        """
        count = await self.store.count()
        if count >= MAX_HALLS:
            raise Overloaded("Too many halls are open on this server already.")
        event = {
            "kind": "opened",
            "version": LOG_VERSION,
            "at": time.time(),
            "key": secrets.token_hex(16),
            "leader": hash_secret(secret),
        }
        for _ in range(TRIES):
            code = new_code(count)
            if await self.store.create(code, orjson.dumps(event), owner):
                return await self.get(code)
        raise Overloaded("No code is free on this server.")

    async def get(self, code: str) -> LiveHall:
        """Return the hall of a code, as its log is now. Raises `UnknownHall`."""
        # Known before its log is read, so that all phones that come back at once share one reader.
        hall = self._halls.get(code) or self._halls.setdefault(code, LiveHall(code, self.store))
        await hall.refresh()
        if not hall.state.events:
            self._halls.pop(code, None)
            raise UnknownHall("No hall has this code. Check it, or ask for the hall to be opened.")
        if hall.state.version != LOG_VERSION:
            raise UnknownHall("This hall was opened before the program was updated. Open a new one.")
        return hall

    async def follow(self, hall: LiveHall, audience: Audience, *, phone: str = "") -> AsyncGenerator[bytes, None]:
        """Yield the parts of `LiveHall.follow`; the store is listened to meanwhile."""
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._announce())]
        async with aclosing(hall.follow(audience, phone=phone)) as following:
            async for part in following:
                yield part

    async def sweep(self) -> None:
        """Delete halls whose time is over, and forget those that nobody follows."""
        if self._store is None and not (self.settings.local / ".halls").exists():
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

    def _on_news(self) -> None:
        for hall in [*self._halls.values()]:
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
