"""The store of the logs of halls, in a file of SQLite that the processes of a machine share."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ..atomic_files import hash_owner, make_own_folder
from ..errors import NoSpace, NotAllowed, Unavailable, UnknownHall, from_disk
from ..machine import read_clock
from ..settings import Settings

POLL_SECONDS = 0.2
"""Seconds between two looks for what other processes have written; what this one writes it knows at once."""
BUSY_SECONDS = 10.0
MAX_BYTES = 256_000_000
"""Bytes of all logs together, of which those that were opened from one address get at most half."""
ROW_BYTES = 60
"""Bytes that the file takes for each event beside its data, about."""
SCHEMA = """
DROP TABLE IF EXISTS events; DROP TABLE IF EXISTS halls; -- of earlier versions
CREATE TABLE IF NOT EXISTS logs (
  code TEXT PRIMARY KEY, used REAL NOT NULL, owner TEXT NOT NULL, size INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT NOT NULL, slot TEXT, data BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS of_log ON entries (code, id);
CREATE INDEX IF NOT EXISTS of_slot ON entries (code, slot) WHERE slot IS NOT NULL;
"""
Result = TypeVar("Result")
KEPT_SECONDS = 86_400.0
"""Seconds after the last event of a hall until its log is deleted."""
START = 0
"""The position before the first event of a log."""
Rows = Sequence[tuple[int, bytes]]
"""Events of a log, each with its position."""
Entry = tuple[str | None, bytes]
"""An event, and the slot of which a log keeps only the latest, or None where it keeps them all."""


class HallStore:
    """Logs of events by the code of a hall, in one file. One thread does all that may wait for the disk.

    Events are written to the log ahead of the file (WAL) before they are confirmed: they outlive the process. Methods
    raise `Unavailable` where the file cannot be read or written, `NoSpace` where the disk is full.
    """

    def __init__(self, path: Path, kept: float, room: int = MAX_BYTES) -> None:
        self.path = path
        self.kept = kept
        self.room = room
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="hall")
        self._connection: sqlite3.Connection | None = None

    async def create(self, code: str, event: bytes, owner: str = "") -> bool:
        """Begin a log with an event, for the owner of an address; False if there is one of this code."""

        def create(db: sqlite3.Connection) -> bool:
            row = (code, time.time(), hash_owner(self.path.parent, owner))
            added = db.execute("INSERT OR IGNORE INTO logs (code, used, owner) VALUES (?, ?, ?)", row).rowcount == 1
            if added:
                _add(db, code, [(None, event)], self.room)
            return added

        return await self._run(create)

    async def count(self) -> int:
        """Return the number of logs."""
        return await self._run(lambda db: int(db.execute("SELECT count(*) FROM logs").fetchone()[0]))

    async def append(self, code: str, entries: Sequence[Entry], *, extend: bool = True) -> None:
        """Add events to a log, all or none; without `extend`, it is deleted no later.

        Raises `UnknownHall`, and `NoSpace` where the logs of its owner or all together would be too large.
        """

        def append(db: sqlite3.Connection) -> None:
            if db.execute("SELECT 1 FROM logs WHERE code = ?", (code,)).fetchone() is None:
                raise UnknownHall("The hall was deleted meanwhile.")
            _add(db, code, entries, self.room)
            if extend:
                db.execute("UPDATE logs SET used = ? WHERE code = ?", (time.time(), code))

        await self._run(append)

    async def read(self, code: str, after: int, limit: int) -> Rows:
        """Return the events after a position, in the order in which all processes see them, at most `limit`."""
        sql = "SELECT id, data FROM entries WHERE code = ? AND id > ? ORDER BY id LIMIT ?"
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
            old = [code for (code,) in db.execute("SELECT code FROM logs WHERE used < ?", (read_clock() - self.kept,))]
            for code in old:
                db.execute("DELETE FROM entries WHERE code = ?", (code,))
                db.execute("DELETE FROM logs WHERE code = ?", (code,))

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
        except sqlite3.Error as error:
            full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
            raise (NoSpace if full else Unavailable)(f"The halls cannot be read or written: {error}.") from None
        except OSError as error:
            raise from_disk(error, "The halls cannot be read or written") from None

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            make_own_folder(self.path.parent)
            db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, check_same_thread=False)
            db.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; {SCHEMA}")
            self._connection = db
        return self._connection


def _add(db: sqlite3.Connection, code: str, entries: Sequence[Entry], room: int) -> None:
    """Add events to a log, in the place of those before them in their slots. Raises `NoSpace`."""
    grown = 0
    for slot, data in entries:
        if slot is not None:
            gone = db.execute("DELETE FROM entries WHERE code = ? AND slot = ? RETURNING length(data)", (code, slot))
            grown -= sum(size + ROW_BYTES for (size,) in gone)
        db.execute("INSERT INTO entries (code, slot, data) VALUES (?, ?, ?)", (code, slot, data))
        grown += len(data) + ROW_BYTES
    db.execute("UPDATE logs SET size = size + ? WHERE code = ?", (grown, code))
    own, together = db.execute(
        "SELECT sum(size) FILTER (WHERE owner = (SELECT owner FROM logs WHERE code = ?)), sum(size) FROM logs", (code,)
    ).fetchone()
    if grown > 0 and (together > room or own > room // 2):
        raise NoSpace(f"The halls have {room:,} bytes, and those of one address half of them.", limit=room)


def open_store(settings: Settings) -> HallStore:
    """Return the store of a server. Raises `NotAllowed` where the hall is off."""
    if not settings.hall:
        raise NotAllowed("The hall is switched off on this server (TOKENARIUM_HALL).")
    return HallStore(settings.local / ".halls" / "halls.sqlite3", KEPT_SECONDS)
