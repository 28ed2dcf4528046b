"""The folder of results on this machine, by which a command goes on where it ended: its size, its bound, its end."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from .ship import cache

KINDS = ("counts", "profiles", "words")
"""Folders of results; the others of the cache have vocabularies."""
MAX_BYTES = 1 << 28
MAX_FILES = 50_000
"""The most that a folder keeps between runs."""


@dataclass(frozen=True, slots=True)
class CacheSize:
    """The files of the results, and their bytes."""

    files: int = 0
    bytes: int = 0


def open_results(kind: str) -> Path:
    """Return the folder of a kind of results; the oldest beyond its bound are deleted."""
    folder = cache() / kind
    prune(folder)
    return folder


def prune(folder: Path, *, files: int = MAX_FILES, size: int = MAX_BYTES) -> None:
    """Delete the oldest files of a folder beyond a number and a sum of bytes."""
    try:
        found = [(entry.stat().st_mtime_ns, entry.stat().st_size, entry.path) for entry in os.scandir(folder)]
    except OSError:
        return
    kept = 0
    for number, (_, bytes_, path) in enumerate(sorted(found, reverse=True)):
        kept += bytes_
        if number >= files or kept > size:
            Path(path).unlink(missing_ok=True)


def measure() -> CacheSize:
    """Return how much all results take."""
    paths = [path for kind in KINDS for path in (cache() / kind).rglob("*") if path.is_file()]
    return CacheSize(len(paths), sum(path.stat().st_size for path in paths))


def clear() -> CacheSize:
    """Delete all results, and return how much they took."""
    size = measure()
    for kind in KINDS:
        shutil.rmtree(cache() / kind, ignore_errors=True)
    return size
