"""The shelf: folders that come and go whole, whatever happens to the process that puts or takes them.

A folder is written under a name that nobody lists, forced to the disk, and renamed; to be removed it is renamed away
first. One lock, which dies with its process, lets one at a time do so. So what bears a hidden name when the lock is had
was left by a process that died, and is swept.
"""

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from app.errors import BadFile, NoSpace, Unavailable, UnknownTokenizer
from app.store import read_trained

LOCK = ".lock"
PART, GONE = ".part-", ".gone-"
MOST = 200
"""So many trained tokenizers are kept."""
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def put(shelf: Path, name: str, files: Mapping[str, bytes], *, quota: int) -> None:
    """Keep a folder; one of the same name that is whole stays as it is, and a damaged one is replaced.

    Raises `NoSpace` where the disk, the quota (in bytes) or the number of folders is at its limit, and `Unavailable`
    where the shelf cannot be written; then nothing has changed.
    """
    with _told(), _locked(shelf):
        if _whole(shelf / name):
            return
        _check_room(shelf, sum(map(len, files.values())), quota)
        part = shelf / f"{PART}{uuid4().hex}"
        try:
            _write(part, files)
            if (shelf / name).exists():
                os.rename(shelf / name, shelf / f"{GONE}{uuid4().hex}")
            os.rename(part, shelf / name)
            _sync(shelf)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def take(shelf: Path, name: str) -> None:
    """Remove a folder. Raises `UnknownTokenizer` where there is none, `Unavailable` where it cannot be removed."""
    with _told(), _locked(shelf):
        gone = shelf / f"{GONE}{uuid4().hex}"
        try:
            os.rename(shelf / name, gone)
        except FileNotFoundError:
            raise UnknownTokenizer("No tokenizer of this name is kept here.") from None
        _sync(shelf)
        shutil.rmtree(gone, ignore_errors=True)


def _whole(folder: Path) -> bool:
    try:
        read_trained(folder)
    except BadFile:
        return False
    return True


def _check_room(shelf: Path, more: int, quota: int) -> None:
    names = [path for path in shelf.iterdir() if path.is_dir() and not path.name.startswith(".")]
    if len(names) >= MOST:
        raise NoSpace(f"{MOST} trained tokenizers are kept here already; delete one first.", limit=MOST)
    taken = sum(file.stat().st_size for path in names for file in path.rglob("*") if file.is_file())
    if taken + more > quota:
        detail = f"This needs {more:,} bytes, and {max(0, quota - taken):,} of {quota:,} are left; delete one first."
        raise NoSpace(detail, limit=quota)


def _write(part: Path, files: Mapping[str, bytes]) -> None:
    """Files in a folder, all of them on the disk."""
    part.mkdir()
    for name, data in files.items():
        with (part / name).open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    _sync(part)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _locked(shelf: Path) -> Iterator[None]:
    """Alone at the shelf, which is swept first."""
    shelf.mkdir(parents=True, exist_ok=True)
    with (shelf / LOCK).open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for path in [*shelf.glob(f"{PART}*"), *shelf.glob(f"{GONE}*")]:
            shutil.rmtree(path, ignore_errors=True)
        yield


@contextmanager
def _told() -> Iterator[None]:
    """What the disk complains of, in our words."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise NoSpace("The disk is full; nothing was kept.") from error
        raise Unavailable("The folder of trained tokenizers cannot be written.") from error
