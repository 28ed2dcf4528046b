"""What is kept of earlier runs in one SQLite file: the results of parts of a corpus, the tokens of files of folders.

The result of a part is kept under a key of all that it depends on, so that an interrupted run goes on where it ended.
A file of a folder that has the same size and times has the same content, unless it was written just before it was read.
What else is read is recognized by its hash, so that a new checkout of the same files is not tokenized again.
"""

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .folder.listing import FolderFile
from .ship import cache

MAX_BYTES = 1 << 28
"""Bytes of the results of parts that are kept when a run ends; those used longest ago are deleted."""
MAX_FILES = 500_000
"""Files that are kept, and twice as many counts of tokens, some 150 MB."""
DAY = 86_400
BUSY_SECONDS = 5.0
SCHEMA = """
PRAGMA auto_vacuum = FULL;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS parts (key TEXT PRIMARY KEY, data BLOB, used INTEGER);
CREATE TABLE IF NOT EXISTS files (
  path BLOB PRIMARY KEY, bytes INTEGER, modified INTEGER, changed INTEGER, hash BLOB, why TEXT, used INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counts (
  hash BLOB, tokenizer BLOB, tokens INTEGER, used INTEGER, PRIMARY KEY (hash, tokenizer)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class FileResult:
    """The tokens of a file in each tokenizer, or `why` it was not counted; the hash of its content."""

    hash: bytes
    why: str
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CacheSize:
    """The parts and files of which something is known, and the bytes of all of it on the disk."""

    parts: int = 0
    files: int = 0
    bytes: int = 0

    def __add__(self, other: "CacheSize") -> "CacheSize":
        return CacheSize(self.parts + other.parts, self.files + other.files, self.bytes + other.bytes)


@dataclass(frozen=True, slots=True)
class ResultCache:
    """The file of one user, which any number of processes may read and write at once.

    It has so many bytes of results of parts when a run has ended, and so many rows of `files` at most. A file that was
    written within `fresh` nanoseconds before it was read might be written again at the same time stamp, so it is read
    again. What SQLite cannot do is left out: then all is done anew.
    """

    path: Path
    max_bytes: int = MAX_BYTES
    files: int = MAX_FILES
    fresh: int = 2_000_000_000

    def find_result(self, key: str) -> bytes | None:
        """Return the kept result of a part, and note once a day that it was used."""
        today = int(time.time()) // DAY
        with suppress(sqlite3.Error, OSError), _open_reader(self.path) as db:
            row = db.execute("SELECT data, used FROM parts WHERE key = ?", (key,)).fetchone()
            if row and row[1] < today:
                with self._connect() as writer:
                    writer.execute("UPDATE parts SET used = ? WHERE key = ?", (today, key))
            return row and bytes(row[0])
        return None

    def keep_result(self, key: str, data: bytes) -> None:
        """Keep what was found in a part. Raises `OSError`."""
        row = (key, data, int(time.time()) // DAY)
        try:
            with self._connect() as db:
                db.execute("INSERT OR REPLACE INTO parts VALUES (?, ?, ?)", row)
        except sqlite3.Error as error:
            raise OSError(str(error)) from error

    def trim(self) -> None:
        """Delete the results of parts beyond the bound, those used longest ago."""
        held = "SELECT key, sum(length(data)) OVER (ORDER BY used DESC, rowid DESC) AS held FROM parts"
        with suppress(sqlite3.Error, OSError), self._connect() as db:
            db.execute(f"DELETE FROM parts WHERE key IN (SELECT key FROM ({held}) WHERE held > ?)", (self.max_bytes,))

    def find_unchanged(
        self, files: Sequence[FolderFile], tops: Iterable[str], keys: Sequence[bytes]
    ) -> dict[str, FileResult]:
        """Return by path what is known of the files below some folders that have not changed since."""
        rows = dict[bytes, tuple[int, int, int, bytes, str, tuple[int | None, ...]]]()
        with suppress(sqlite3.Error, OSError), self._connect() as db:
            for top in tops:
                rows |= _select(db, top, keys)
        unchanged = dict[str, FileResult]()
        for file in files:
            bytes_, modified, changed, hash, why, tokens = rows.get(os.fsencode(file.path), NOTHING)
            if (bytes_, modified, changed) != (file.bytes, file.modified, file.changed):
                continue
            known = tuple(count for count in tokens if count is not None)
            if why or len(known) == len(keys):
                unchanged[file.path] = FileResult(hash, why, known)
        return unchanged

    def find_counts(self, hashes: Sequence[bytes], keys: Sequence[bytes]) -> Mapping[bytes, tuple[int, ...]]:
        """Return the tokens of contents by their hash, of those that all tokenizers have counted."""
        found = dict[bytes, dict[bytes, int]]()
        marks = ", ".join("?" * len(keys))
        sql = f"SELECT tokenizer, tokens FROM counts WHERE hash = ? AND tokenizer IN ({marks})"
        with suppress(sqlite3.Error), _open_reader(self.path) as db:
            for hash in hashes:
                found[hash] = dict(db.execute(sql, (hash, *keys)))
        complete = {hash: counts for hash, counts in found.items() if all(key in counts for key in keys)}
        return {hash: tuple(counts[key] for key in keys) for hash, counts in complete.items()}

    def keep_files(
        self, results: Iterable[tuple[FolderFile, FileResult]], keys: Sequence[bytes], *, paths: bool
    ) -> None:
        """Keep the tokens of contents; with `paths`, also to which files they belong. No text is kept."""
        now = time.time_ns()
        today = now // 1_000_000_000 // DAY
        pairs = [*results]
        files = [
            (os.fsencode(file.path), file.bytes, file.modified, file.changed, result.hash, result.why, today)
            for file, result in pairs
            if paths and result.hash and max(file.modified, file.changed) < now - self.fresh
        ]
        counts = [
            (result.hash, key, tokens, today)
            for _, result in pairs
            if result.hash
            for key, tokens in zip(keys, result.tokens, strict=False)
            if key
        ]
        with suppress(sqlite3.Error, OSError), self._connect() as db:
            db.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", files)
            db.executemany("INSERT OR REPLACE INTO counts VALUES (?, ?, ?, ?)", counts)
            _trim(db, "files", self.files)
            _trim(db, "counts", 2 * self.files)

    def measure(self) -> CacheSize:
        """Return the size of the cache."""
        size = sum(path.stat().st_size for path in self._paths() if path.exists())
        with suppress(sqlite3.Error), _open_reader(self.path) as db:
            counts = (db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("parts", "files"))
            return CacheSize(next(counts), next(counts), size)
        return CacheSize(bytes=size)

    def clear(self) -> None:
        """Delete everything that is known. Raises `OSError`."""
        for path in self._paths():
            path.unlink(missing_ok=True)

    def _paths(self) -> list[Path]:
        return [Path(f"{self.path}{ending}") for ending in ("", "-wal", "-shm")]

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction; one that is damaged is deleted, and another made."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self.path, timeout=BUSY_SECONDS)
        try:
            try:
                db.executescript(SCHEMA)
            except sqlite3.DatabaseError as error:
                db.close()
                if isinstance(error, sqlite3.OperationalError):  # busy, or the disk is full
                    raise
                self.clear()
                db = sqlite3.connect(self.path, timeout=BUSY_SECONDS)
                db.executescript(SCHEMA)
            with db:
                yield db
        finally:
            db.close()


NOTHING = (-1, 0, 0, b"", "", ())


def find_cache() -> ResultCache:
    """Return the cache of this user on this machine."""
    return ResultCache(cache().with_name("results.sqlite3"))


def find_training_cache(name: str) -> ResultCache:
    """Return a cache of one training, which is not bounded and is deleted when it has ended.

    Of those that were given up, the oldest beyond a bound are deleted.
    """
    held = 0
    for one in sorted(_list_trainings(), key=_read_time, reverse=True):
        held += one.measure().bytes
        if held > MAX_BYTES and one.path.stem != name:
            one.clear()
    return ResultCache(cache() / "words" / f"{name}.sqlite3")


def list_caches() -> list[ResultCache]:
    """Return the caches of this user, those of trainings that have not ended last."""
    return [find_cache(), *_list_trainings()]


def _list_trainings() -> list[ResultCache]:
    return [ResultCache(path) for path in (cache() / "words").glob("*.sqlite3")]


def _read_time(one: ResultCache) -> float:
    return one.path.stat().st_mtime if one.path.exists() else 0.0


@contextmanager
def _open_reader(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file that is there to read it. Raises `sqlite3.Error`."""
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)
    try:
        yield db
    finally:
        db.close()


def _select(
    db: sqlite3.Connection, top: str, keys: Sequence[bytes]
) -> dict[bytes, tuple[int, int, int, bytes, str, tuple[int | None, ...]]]:
    """Return the rows of a file, or of all files below a folder, by path."""
    columns = "".join(f", c{number}.tokens" for number in range(len(keys)))
    joins = "".join(
        f" LEFT JOIN counts c{number} ON c{number}.hash = files.hash AND c{number}.tokenizer = ?"
        for number in range(len(keys))
    )
    sql = f"SELECT path, bytes, modified, changed, files.hash, why{columns} FROM files{joins}"
    path = os.fsencode(top)
    below = path.rstrip(b"/") + b"/"
    where = " WHERE path = ? OR (path > ? AND path < ?)"
    rows = db.execute(sql + where, (*keys, path, below, below[:-1] + b"0")).fetchall()  # "0" is what follows "/"
    _mark_used(db, path, below)
    return {row[0]: (*row[1:6], row[6:]) for row in rows}


def _mark_used(db: sqlite3.Connection, path: bytes, below: bytes) -> None:
    """Note once a day that rows were used."""
    today = int(time.time()) // DAY
    where = "(path = ? OR (path > ? AND path < ?)) AND used < ?"
    files = (path, below, below[:-1] + b"0", today)
    if db.execute(f"SELECT 1 FROM files WHERE {where} LIMIT 1", files).fetchone():
        db.execute(f"UPDATE counts SET used = ? WHERE hash IN (SELECT hash FROM files WHERE {where})", (today, *files))
        db.execute(f"UPDATE files SET used = ? WHERE {where}", (today, *files))


def _trim(db: sqlite3.Connection, table: str, most: int) -> None:
    """Delete the rows used longest ago, a tenth more than needed, so that this happens rarely."""
    key = "path" if table == "files" else "hash, tokenizer"
    (count,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()
    if count > most:
        oldest = f"SELECT {key} FROM {table} ORDER BY used LIMIT ?"
        db.execute(f"DELETE FROM {table} WHERE ({key}) IN ({oldest})", (count - most * 9 // 10,))
