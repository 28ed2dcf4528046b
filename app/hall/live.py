"""A hall as one process knows it: one reader of its log, and a fan-out to all who follow."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from ..errors import Invalid, TokenariumError, TooOften, Unavailable
from .state import BUDGETS, HallState, find_slot
from .store import START, Entry, HallStore

BATCH = 5_000
"""Events of a log that are read at once."""
REST = 50
"""How often as long as it took to render what the lecturer sees the hall then renders none of it."""
WOKEN = 50
"""Followers that are woken at once; other requests are answered before the next are."""
LEADER_BYTES = 8_000_000
"""Bytes of what the lecturer does that a log keeps: polls, steps and turns; of slides it has the latest alone."""
CALM_SECONDS = 1.0
"""Seconds for which changes by phones are gathered before other phones see them."""
BEAT_SECONDS = 10.0
"""Seconds without an event after which a follower gets one all the same, by which it knows that it is connected."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of what followers see: `changes` grows where it may differ, and `render` returns it as an event."""

    changes: Callable[[HallState], int]
    render: Callable[[LiveHall], bytes]


@dataclass(frozen=True, slots=True)
class Audience:
    """Followers who see the same parts. With a `pause`, any event wakes them, and so many seconds lie between two."""

    name: str
    parts: Sequence[Part]
    pause: float = 0.0
    beat: bytes = b"event: beat\ndata: 1\n\n"


@dataclass(slots=True, eq=False)
class _Batch:
    """Events that are written together, and how that failed, if it did."""

    entries: list[Entry] = field(default_factory=list)
    led: int = 0  # bytes of the lecturer
    extend: bool = False
    error: TokenariumError | None = None


class LiveHall:
    """A hall: its state, which follows its log, and those who follow it."""

    def __init__(self, code: str, store: HallStore) -> None:
        self.code = code
        self.state = HallState()
        self.phones: Counter[str] = Counter()
        self._store = store
        self._position = START
        self._lock = asyncio.Lock()
        self._batch = _Batch()
        self._reads = 0
        self._used: Counter[Hashable] = Counter()  # events by their kind and the address of their phone
        self._followers: dict[asyncio.Event, Audience] = {}
        self._rendered: dict[tuple[str, int], tuple[int, bytes]] = {}
        self._rests: dict[str, float] = {}  # until when what an audience sees is not rendered anew
        self._announced: tuple[frozenset[str], float] = (frozenset(), 0.0)
        self._calming: asyncio.TimerHandle | None = None

    @property
    def followed(self) -> bool:
        """True if somebody follows."""
        return bool(self._followers)

    async def append_of_phone(self, phone: str, kind: str, address: Hashable, **fields: Any) -> None:
        """Add an event of a phone at an address, which is not written.

        Raises `Invalid` where the hall is closed, `TooOften` where it has too many, or half of them from there.
        """
        if self.state.closed:
            raise Invalid("This hall is closed.")
        budget = self.state.budget_of({"kind": kind, "phone": phone, **fields})
        if max(self.state.taken[budget], 2 * self._used[budget, address]) >= BUDGETS[budget]:
            raise TooOften("This hall has taken as many of these as it can, or half of them from here.")
        self._used[budget, address] += 1
        try:
            await self.append(kind, phone=phone, **fields)
        except TokenariumError:  # it was not written
            self._used[budget, address] -= 1
            raise

    async def append(self, kind: str, *, extend: bool = True, **fields: Any) -> None:
        """Add an event to the log, with others that come meanwhile, and bring the state up to it.

        Raises `TooOften` where the lecturer has done too much, `UnknownHall`, and `NoSpace` or `Unavailable` where the
        event was not written.
        """
        batch, event = self._batch, {"kind": kind, "at": round(time.time(), 3), **fields}
        data, slot = orjson.dumps(event), find_slot(event)
        led = len(data) if slot is None and "phone" not in fields and kind != "closed" else 0
        if led and self.state.led + batch.led + led > LEADER_BYTES:
            raise TooOften("This hall has taken as much of its lecturer as it can. Open another one.")
        batch.entries.append((slot, data))
        batch.led += led
        batch.extend |= extend
        async with self._lock:
            if self._batch is batch:  # else a request before has written this event, too
                self._batch = _Batch()
                try:
                    await self._store.append(self.code, batch.entries, extend=batch.extend)
                except TokenariumError as error:
                    batch.error = error
                except BaseException:
                    batch.error = Unavailable("The server is stopping.")
                    raise
                else:
                    await self._read()
        if batch.error is not None:
            raise batch.error

    async def refresh(self) -> None:
        """Bring the state up to the log as it is now; requests at the same time share one read."""
        reads = self._reads
        async with self._lock:
            if self._reads == reads:
                await self._read()

    async def _read(self) -> None:
        self._reads += 1
        events, upvotes, changes = self.state.events, self.state.upvotes, self._changes()
        rows = await self._store.read(self.code, self._position, BATCH)
        while rows:
            for position, data in rows:
                self.state.apply(orjson.loads(data), len(data))
                self._position = position
            if len(rows) < BATCH:
                break
            rows = await self._store.read(self.code, self._position, BATCH)
        if self.state.events != events:
            if self.state.upvotes != upvotes and self._calming is None:
                self._calming = asyncio.get_running_loop().call_later(CALM_SECONDS, self._calm)
            await self._wake([one for one, to in self._followers.items() if to.pause or self._changes() != changes])

    def _changes(self) -> tuple[int, int, int]:
        return self.state.slides, self.state.polls, self.state.shown

    async def _wake(self, woken: Sequence[asyncio.Event]) -> None:
        for start in range(0, len(woken), WOKEN):
            for one in woken[start : start + WOKEN]:
                one.set()
            if len(woken) > WOKEN:
                await asyncio.sleep(0)

    def _calm(self) -> None:
        """Show to phones what phones have changed."""
        self._calming = None
        for one in self._followers:
            one.set()

    async def follow(self, audience: Audience, *, phone: str = "") -> AsyncGenerator[bytes, None]:
        """Yield all parts, then those that have changed when the follower is ready for them, until the hall ends."""
        wake = asyncio.Event()
        sent = [b""] * len(audience.parts)
        self._followers[wake] = audience
        if phone:
            self.phones[phone] += 1
        try:
            yield b"retry: %d\n\n" % (500 + secrets.randbelow(1500))  # not all at once after the server was away
            while True:
                rest = self._rests.get(audience.name, 0.0) - time.monotonic()
                parts = self._render(audience, anew=rest <= 0)
                changed = [part for part, before in zip(parts, sent, strict=True) if part != before]
                sent = parts
                for part in changed:  # each is shared by all followers
                    yield part
                if self.state.closed:
                    yield b"event: over\ndata: 1\n\n"
                    return
                if audience.pause:
                    await asyncio.sleep(max(audience.pause, rest))
                    if rest > 0:
                        wake.set()
                while not await _woken(wake):
                    yield audience.beat
        finally:
            del self._followers[wake]
            if phone:
                self.phones[phone] -= 1
                self.phones += Counter()  # drops those that have none left

    def _render(self, audience: Audience, *, anew: bool) -> list[bytes]:
        """Return the parts as all followers of an audience get them; unless anew, as they were rendered last."""
        start, parts = time.monotonic(), []
        for at, part in enumerate(audience.parts):
            changes, rendered = self._rendered.get((audience.name, at), (-1, b""))
            if changes < 0 or (anew and part.changes(self.state) != changes):
                changes, rendered = part.changes(self.state), part.render(self)
                self._rendered[audience.name, at] = changes, rendered
            parts.append(rendered)
        if audience.pause and anew:
            self._rests[audience.name] = time.monotonic() + REST * (time.monotonic() - start)
        return parts

    async def announce(self, process: str, now: float, fresh: float) -> None:
        """Write which phones this process has, where they have changed or that was written long ago."""
        (known, at), names = self._announced, frozenset(self.phones)
        if names != known or (names and now - at > fresh):
            await self.append("phones", process=process, names=[*names], extend=False)
            self._announced = names, now


async def _woken(wake: asyncio.Event) -> bool:
    """Wait until an event is set, and clear it; False if it is not for long."""
    try:
        async with asyncio.timeout(BEAT_SECONDS):
            await wake.wait()
    except TimeoutError:
        return False
    wake.clear()
    return True
