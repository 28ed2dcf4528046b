"""What keeps the logs of halls: the protocol of its two implementations, and which one the settings name."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Protocol

from ..errors import NotAllowed
from ..settings import Settings
from .sqlite_store import SQLiteStore

KEPT_SECONDS = 86_400.0
"""Seconds after the last event of a hall until its log is deleted."""
OFF = "off"
START = ""
"""The position before the first event of a log."""
Rows = Sequence[tuple[str, bytes]]
"""Events of a log, each with its position."""


class HallStore(Protocol):
    """Logs of events by the code of a hall. Any number of processes may share one store.

    Methods raise `Unavailable` where the store cannot be reached; `append` raises `UnknownHall`.
    """

    async def create(self, code: str, event: bytes) -> bool:
        """Begin a log with an event; False if there is one of this code."""

    async def count(self) -> int:
        """Return the number of logs."""

    async def append(self, code: str, events: Sequence[bytes], *, extend: bool = True) -> None:
        """Add events to a log, all or none; without `extend`, it is deleted as early as before."""

    async def read(self, code: str, after: str, limit: int) -> Rows:
        """Return the events after a position, in the order in which all processes see them, at most `limit`."""

    async def listen(self, wake: Callable[[str], None]) -> None:
        """Call `wake` with the code of each log to which another process may have added, until cancelled.

        The code "" stands for all logs.
        """

    async def sweep(self) -> None:
        """Delete the logs that nobody has added to for long."""

    async def close(self) -> None:
        """Give back what the store holds."""


def open_store(settings: Settings) -> HallStore:
    """Return the store that the settings name. Raises `NotAllowed` where the hall is off."""
    if settings.hall == OFF:
        raise NotAllowed("The hall is switched off on this server (TOKENARIUM_HALL).")
    if settings.hall:
        store: HallStore = import_module(f"{__package__}.redis_store").open_redis(settings.hall, KEPT_SECONDS)
        return store
    return SQLiteStore(settings.local / ".halls" / "halls.sqlite3", KEPT_SECONDS)
