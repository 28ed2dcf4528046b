"""Add and remove whole folders, whatever happens to the process that does it.

A folder is written under a hidden name, forced to the disk, and renamed; to be removed, it is renamed first. One lock
file lets one process at a time do so, and is freed with its process. A folder that bears a hidden name when the lock
was obtained was therefore left by a process that died, and is removed.

What has an owner, who is known by an address, shares the room: a keyed hash of the address lies in the folder.
"""

import fcntl
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from ..atomic_files import fill_folder, hash_owner, make_own_folder, sync_folder
from ..errors import BadFile, NoSpace, UnknownTokenizer, from_disk
from ..store import read_local

LOCK = ".lock"
OWNER = ".owner"
PART = ".part-"
REMOVED = ".gone-"
MAX_FOLDERS = 200
SHARE = 2
"""An owner gets at most one part in so many of the folders and of the quota."""


def put(
    root: Path, name: str, files: Mapping[str, bytes], *, quota: int, owner: str = "", give_way: bool = False
) -> None:
    """Add a folder. One of the same name stays as it is if it is intact, and is replaced if it is damaged.

    `owner` is the address of who adds it, and may have half of all; where older folders `give_way`, it may have all
    that others leave, and then those of the owner who has the most are removed, the oldest first.

    Raises `NoSpace` where the disk, the quota (in bytes) or the number of folders is at its limit, and `Unavailable`
    where the root cannot be written; then nothing has changed.
    """
    with _disk_errors(), hold_lock(root):
        if _is_intact(root / name):
            return
        mark = hash_owner(root, owner)
        size = sum(map(len, files.values()))
        if give_way:
            make_room(root, list_folders(root.iterdir()), size, quota, mark)
        _check_room(root, size, quota, mark if not give_way else "")
        part = root / f"{PART}{uuid4().hex}"
        try:
            fill_folder(part, {**({OWNER: mark.encode()} if mark else {}), **files})
            if (root / name).exists():
                os.rename(root / name, root / f"{REMOVED}{uuid4().hex}")
            os.rename(part, root / name)
            sync_folder(root)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def remove(root: Path, name: str) -> None:
    """Remove a folder. Raises `UnknownTokenizer` where there is none, `Unavailable` where it cannot be removed."""
    with _disk_errors(), hold_lock(root):
        removed = root / f"{REMOVED}{uuid4().hex}"
        try:
            os.rename(root / name, removed)
        except FileNotFoundError:
            raise UnknownTokenizer("No tokenizer that is kept here has this id.") from None
        sync_folder(root)
        shutil.rmtree(removed, ignore_errors=True)


def _is_intact(folder: Path) -> bool:
    try:
        read_local(folder)
    except BadFile:
        return False
    return True


def room(root: Path, quota: int) -> int:
    """Return the bytes that are left for another folder. Raises `NoSpace` where there are as many folders as may be."""
    with _disk_errors(), hold_lock(root):
        folders = list_folders(root.iterdir())
        _check(folders, 0, "here", many=MAX_FOLDERS, quota=quota)
        return quota - sum(folder.size for folder in folders)


@dataclass(frozen=True, slots=True)
class StoredFolder:
    """A folder, the mark of its owner or "", its bytes and when it was added, in seconds."""

    path: Path
    owner: str
    size: int
    added: float


def list_folders(paths: Iterable[Path]) -> list[StoredFolder]:
    """Return the folders among paths that are not hidden, the oldest first."""
    folders = []
    for path in paths:
        if path.is_dir() and not path.name.startswith("."):
            with suppress(FileNotFoundError):  # another process removes it
                size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file() and file.name != OWNER)
                folders.append(StoredFolder(path, read_owner(path), size, path.stat().st_mtime))
    return sorted(folders, key=lambda folder: folder.added)


def read_owner(folder: Path) -> str:
    """Return the mark of the owner of a folder, or ""."""
    return (folder / OWNER).read_text() if (folder / OWNER).exists() else ""


def make_room(root: Path, folders: list[StoredFolder], size: int, quota: int, owner: str) -> None:
    """Remove some of these folders, of the owner who has the most the oldest first, until one of this owner fits."""
    while folders and size <= quota:
        number = Counter([owner])
        held = Counter({owner: size})
        for folder in folders:
            number[folder.owner] += 1
            held[folder.owner] += folder.size
        if number.total() <= MAX_FOLDERS and held.total() <= quota:
            return
        shares = number if number.total() > MAX_FOLDERS else held
        # Of equal owners, the one who adds gives way: nobody is displaced by who has as much.
        oldest = max(folders, key=lambda folder: (shares[folder.owner], folder.owner == owner, -folder.added))
        folders.remove(oldest)
        os.rename(oldest.path, removed := root / f"{REMOVED}{uuid4().hex}")
        shutil.rmtree(removed, ignore_errors=True)


def _check_room(root: Path, size: int, quota: int, owner: str) -> None:
    """Raise `NoSpace` where a folder of this size has no room among all, or among those of its owner if it has one."""
    folders = list_folders(root.iterdir())
    _check(folders, size, "here", many=MAX_FOLDERS, quota=quota)
    if owner:
        own = [folder for folder in folders if folder.owner == owner]
        _check(own, size, "from this address", many=MAX_FOLDERS // SHARE, quota=quota // SHARE)


def _check(folders: Sequence[StoredFolder], size: int, where: str, *, many: int, quota: int) -> None:
    if len(folders) >= many:
        raise NoSpace(f"{many} tokenizers are kept {where} already; delete one first.", limit=many)
    used = sum(folder.size for folder in folders)
    if used + size > quota:
        left = f"{max(0, quota - used):,} of {quota:,} are left {where}"
        raise NoSpace(f"This needs {size:,} bytes, and {left}; delete one first.", limit=quota)


@contextmanager
def hold_lock(root: Path) -> Iterator[None]:
    """Hold the lock of the root, and remove what processes that died have left. Raises `OSError`."""
    if root.name.startswith("."):
        make_own_folder(root)
    else:
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
        raise from_disk(error, "The folder of kept tokenizers cannot be written") from error
