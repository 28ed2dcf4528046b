"""Temporary folders of a server and its workers: locked while they are in use, so that those without a lock are left
over.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .machine import read_clock

PREFIX = "tokenarium-server-"
NEW_SECONDS = 60.0
"""A folder may be so old before it has its lock."""


@contextmanager
def locked_folder() -> Iterator[Path]:
    """Make a temporary folder, which is removed at the end with all that is in it. Raises `OSError`."""
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        handle = os.open(name, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield Path(name)
        finally:
            os.close(handle)


def sweep_folders() -> None:
    """Remove the folders that processes have left that were killed; of a living one, of any server, none."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if read_clock() - os.fstat(handle).st_mtime > NEW_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(handle)
