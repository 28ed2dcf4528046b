"""What is known of files that were counted before, in one SQLite file.

A file of the same size and times has the same content, unless it was written just before it was read. What else is
read is recognized by its hash, so that a new checkout of the same files is not tokenized again. The tokens of a content
are kept by tokenizer; no text is.
"""

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .listing import FolderFile

MAX_FILES = 500_000
"""Files that are kept, and twice as many counts of tokens, some 150 MB; those used longest ago are deleted."""
DAY = 86_400
BUSY_SECONDS = 5.0
SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
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
class CountCache:
    """The file of one user, which any number of processes may read and write at once.

    It has so many rows of `files` at most. One that was written within `fresh` nanoseconds before it was read might be
    written again at the same time stamp, so it is read again. What SQLite cannot do is left out: then all files are.
    """

    path: Path
    files: int = MAX_FILES
    fresh: int = 2_000_000_000

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

    def save(self, results: Iterable[tuple[FolderFile, FileResult]], keys: Sequence[bytes], *, paths: bool) -> None:
        """Keep results; with `paths`, also to which files they belong."""
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

    def clear(self) -> None:
        """Delete everything that is known. Raises `OSError`."""
        for ending in ("", "-wal", "-shm"):
            Path(f"{self.path}{ending}").unlink(missing_ok=True)

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction; one that is damaged is deleted first."""
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


def find_counts(path: Path, hashes: Sequence[bytes], keys: Sequence[bytes]) -> Mapping[bytes, tuple[int, ...]]:
    """Return the tokens of contents by their hash, of those that all tokenizers have counted. Runs in any process."""
    found = dict[bytes, dict[bytes, int]]()
    marks = ", ".join("?" * len(keys))
    sql = f"SELECT tokenizer, tokens FROM counts WHERE hash = ? AND tokenizer IN ({marks})"
    try:
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=BUSY_SECONDS)
    except sqlite3.Error:
        return {}
    try:
        with suppress(sqlite3.Error):
            for hash in hashes:
                found[hash] = dict(db.execute(sql, (hash, *keys)))
    finally:
        db.close()
    return {
        hash: tuple(counts[key] for key in keys) for hash, counts in found.items() if all(key in counts for key in keys)
    }


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
