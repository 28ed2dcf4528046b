"""Files and folders that are written whole or not at all: under a hidden name first, then renamed."""

import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from typing import IO


def make_own_folder(path: Path) -> None:
    """Make a folder that no other user of the machine can read, also where it is there already. Raises `OSError`."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(PermissionError):  # of a folder that someone else owns
        path.chmod(0o700)


def hash_owner(folder: Path, owner: str) -> str:
    """Return a hash of an address, by which no address can be found without the key of the folder."""
    if not owner:
        return ""
    with open(os.open(folder / ".key", os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # of processes that begin at once, one makes the key
        if not (key := file.read()):  # also where the disk was full
            file.write(key := os.urandom(32))
    return blake2b(owner.encode(), key=key, digest_size=16).hexdigest()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, with the folders above it. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path) as file:
        file.write(data)


@contextmanager
def replace_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears, or takes the place of another, once it is complete. Raises `OSError`."""
    part = _name_part(path)
    try:
        with part.open("wb") as file:
            yield file
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder whole or not at all. Raises `OSError`."""
    part = _name_part(folder)
    try:
        fill_folder(part, files)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def fill_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder, file by file, and return when all of it is on the disk. Raises `OSError`."""
    folder.mkdir()
    for name, data in files.items():
        with (folder / name).open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Force the entries of a folder to the disk: without it, a rename may be lost when the machine stops."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _name_part(path: Path) -> Path:
    """A name in the same folder, since a rename is atomic in one file system."""
    return path.with_name(f".{path.name}.{token_hex(4)}.part")
