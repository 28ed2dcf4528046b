"""Add and remove whole folders, whatever happens to the process that does it.

A folder is written under a hidden name, forced to the disk, and renamed; to be removed, it is renamed first. One lock
file lets one process at a time do so, and is freed with its process. A folder that bears a hidden name when the lock
was obtained was therefore left by a process that died, and is removed.
"""

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from ...errors import BadFile, NoSpace, Unavailable, UnknownTokenizer
from ...store import read_local

LOCK = ".lock"
PART, REMOVED = ".part-", ".gone-"
MAX_FOLDERS = 200
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def put(root: Path, name: str, files: Mapping[str, bytes], *, quota: int) -> None:
    """Add a folder. One of the same name stays as it is if it is intact, and is replaced if it is damaged.

    Raises `NoSpace` where the disk, the quota (in bytes) or the number of folders is at its limit, and `Unavailable`
    where the root cannot be written; then nothing has changed.
    """
    with _disk_errors(), _locked(root):
        if _is_intact(root / name):
            return
        _check_room(root, sum(map(len, files.values())), quota)
        part = root / f"{PART}{uuid4().hex}"
        try:
            write_folder(part, files)
            if (root / name).exists():
                os.rename(root / name, root / f"{REMOVED}{uuid4().hex}")
            os.rename(part, root / name)
            _sync(root)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def remove(root: Path, name: str) -> None:
    """Remove a folder. Raises `UnknownTokenizer` where there is none, `Unavailable` where it cannot be removed."""
    with _disk_errors(), _locked(root):
        removed = root / f"{REMOVED}{uuid4().hex}"
        try:
            os.rename(root / name, removed)
        except FileNotFoundError:
            raise UnknownTokenizer("No tokenizer that is kept here has this id.") from None
        _sync(root)
        shutil.rmtree(removed, ignore_errors=True)


def _is_intact(folder: Path) -> bool:
    try:
        read_local(folder)
    except BadFile:
        return False
    return True


def _check_room(root: Path, size: int, quota: int) -> None:
    folders = [path for path in root.iterdir() if path.is_dir() and not path.name.startswith(".")]
    if len(folders) >= MAX_FOLDERS:
        detail = f"{MAX_FOLDERS} tokenizers are kept here already; delete one first."
        raise NoSpace(detail, limit=MAX_FOLDERS)
    used = sum(file.stat().st_size for path in folders for file in path.rglob("*") if file.is_file())
    if used + size > quota:
        detail = f"This needs {size:,} bytes, and {max(0, quota - used):,} of {quota:,} are left; delete one first."
        raise NoSpace(detail, limit=quota)


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder, and return when all of it is on the disk. Raises `OSError`."""
    folder.mkdir()
    for name, data in files.items():
        with (folder / name).open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    _sync(folder)


def _sync(folder: Path) -> None:
    """Force the entries of a folder to the disk: without it, a rename may be lost when the machine stops."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """Hold the lock of the root, and remove what processes that died have left."""
    root.mkdir(parents=True, exist_ok=True)
    with (root / LOCK).open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for path in [*root.glob(f"{PART}*"), *root.glob(f"{REMOVED}*")]:
            shutil.rmtree(path, ignore_errors=True)
        yield


@contextmanager
def _disk_errors() -> Iterator[None]:
    """Raise `NoSpace` or `Unavailable` in place of an `OSError`."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise NoSpace("The disk is full; nothing was saved.") from error
        raise Unavailable("The folder of kept tokenizers cannot be written.") from error
