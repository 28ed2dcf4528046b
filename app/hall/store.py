"""The store of the logs of halls, in a file of SQLite that the processes of a machine share."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ..atomic_files import make_own_folder
from ..errors import NotAllowed, Unavailable, UnknownHall
from ..settings import Settings

POLL_SECONDS = 0.2
"""Seconds between two looks for what other processes have written; what this one writes it knows at once."""
BUSY_SECONDS = 10.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS halls (code TEXT PRIMARY KEY, used REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT NOT NULL, data BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS of_hall ON events (code, id);
"""
Result = TypeVar("Result")
KEPT_SECONDS = 86_400.0
"""Seconds after the last event of a hall until its log is deleted."""
START = 0
"""The position before the first event of a log."""
Rows = Sequence[tuple[int, bytes]]
"""Events of a log, each with its position."""


class HallStore:
    """Logs of events by the code of a hall, in one file. One thread does all that may wait for the disk.

    Events are written to the log ahead of the file (WAL) before they are confirmed: they outlive the process. Methods
    raise `Unavailable` where the file cannot be read or written.
    """

    def __init__(self, path: Path, kept: float) -> None:
        self.path = path
        self.kept = kept
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="hall")
        self._connection: sqlite3.Connection | None = None

    async def create(self, code: str, event: bytes) -> bool:
        """Begin a log with an event; False if there is one of this code."""

        def create(db: sqlite3.Connection) -> bool:
            added = db.execute("INSERT OR IGNORE INTO halls VALUES (?, ?)", (code, time.time())).rowcount == 1
            if added:
                db.execute("INSERT INTO events (code, data) VALUES (?, ?)", (code, event))
            return added

        return await self._run(create)

    async def count(self) -> int:
        """Return the number of logs."""
        return await self._run(lambda db: int(db.execute("SELECT count(*) FROM halls").fetchone()[0]))

    async def append(self, code: str, events: Sequence[bytes], *, extend: bool = True) -> None:
        """Add events to a log, all or none; without `extend`, it is deleted no later. Raises `UnknownHall`."""

        def append(db: sqlite3.Connection) -> None:
            if db.execute("SELECT 1 FROM halls WHERE code = ?", (code,)).fetchone() is None:
                raise UnknownHall("The hall was deleted meanwhile.")
            db.executemany("INSERT INTO events (code, data) VALUES (?, ?)", [(code, event) for event in events])
            if extend:
                db.execute("UPDATE halls SET used = ? WHERE code = ?", (time.time(), code))

        await self._run(append)

    async def read(self, code: str, after: int, limit: int) -> Rows:
        """Return the events after a position, in the order in which all processes see them, at most `limit`."""
        sql = "SELECT id, data FROM events WHERE code = ? AND id > ? ORDER BY id LIMIT ?"
        return await self._run(lambda db: db.execute(sql, (code, after, limit)).fetchall())

    async def listen(self, wake: Callable[[], None]) -> None:
        """Call `wake` when another process may have added to a log, until cancelled."""
        seen = None
        while True:
            # Changes with what other connections write, and costs no read of the file.
            with suppress(Unavailable):
                version = await self._run(lambda db: int(db.execute("PRAGMA data_version").fetchone()[0]))
                if seen != (seen := version):
                    wake()
            await asyncio.sleep(POLL_SECONDS)

    async def sweep(self) -> None:
        """Delete the logs that nobody has added to for long."""

        def sweep(db: sqlite3.Connection) -> None:
            old = [code for (code,) in db.execute("SELECT code FROM halls WHERE used < ?", (time.time() - self.kept,))]
            for code in old:
                db.execute("DELETE FROM events WHERE code = ?", (code,))
                db.execute("DELETE FROM halls WHERE code = ?", (code,))

        await self._run(sweep)

    async def close(self) -> None:
        """Close the file."""

        def close() -> None:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

        await asyncio.get_running_loop().run_in_executor(self._thread, close)
        self._thread.shutdown()

    async def _run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._transact, work)

    def _transact(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        try:
            with self._connect() as db:  # commits, or rolls back where something is raised
                return work(db)
        except (sqlite3.Error, OSError) as error:
            raise Unavailable(f"The halls cannot be read or written: {type(error).__name__}.") from None

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            make_own_folder(self.path.parent)
            db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, check_same_thread=False)
            db.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; {SCHEMA}")
            self._connection = db
        return self._connection


def open_store(settings: Settings) -> HallStore:
    """Return the store of a server. Raises `NotAllowed` where the hall is off."""
    if not settings.hall:
        raise NotAllowed("The hall is switched off on this server (TOKENARIUM_HALL).")
    return HallStore(settings.local / ".halls" / "halls.sqlite3", KEPT_SECONDS)
