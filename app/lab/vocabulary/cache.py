"""Where analyses are kept: beside the files of a local tokenizer, else in a folder of the store for local ones."""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from ...errors import NoSpace
from ...registry import Registry
from ...settings import Settings
from ...store import Record
from ..caches import LRUCache

if TYPE_CHECKING:
    from .analysis import Analysis

VERSION = 1
"""To be raised when the same tokenizer gets another analysis: those of other versions are computed anew."""
FOLDER = ".analyses"
MAX_FILES, MAX_BYTES = 100, 16_000_000
"""Analyses that are kept in the folder, the newest, and the size of each at most."""
_recent: "LRUCache[Analysis]" = LRUCache(entries=4, max_bytes=40_000_000, size=lambda analysis: analysis.nbytes)


def key_of(record: Record) -> str:
    """Return what an analysis depends on, as a hash: the files by their hashes, the pattern, and this version."""
    described = json.dumps([VERSION, record.info.id, dict(record.spec)], sort_keys=True, default=str)
    return hashlib.sha256(described.encode()).hexdigest()


def path_of(settings: Settings, record: Record) -> Path:
    """Return where the analysis of a tokenizer is kept. That of a local one goes with its folder."""
    key = key_of(record)
    return record.folder / f"analysis-{key[:16]}.npz" if record.info.local else settings.local / FOLDER / f"{key}.npz"


def analysis_of(settings: Settings, registry: Registry, id: str) -> "Analysis | None":
    """Return the analysis of a tokenizer, or None before it has been computed. Raises `UnknownTokenizer`."""
    record = registry.record(id)
    path, key = path_of(settings, record), key_of(record)
    if (known := _recent.get(key)) is not None:
        return known
    return _read(path, key)


def _read(path: Path, key: str) -> "Analysis | None":
    from .analysis import Analysis

    try:
        analysis = Analysis.load(path.read_bytes())
    except (OSError, ValueError, KeyError, EOFError):  # none yet, or a file that is damaged
        return None
    return _recent.get_or_create(key, lambda: analysis)


def remember(record: Record, analysis: "Analysis") -> None:
    """Keep an analysis in the memory of this process alone."""
    _recent.get_or_create(key_of(record), lambda: analysis)


def keep(settings: Settings, record: Record, analysis: "Analysis") -> None:
    """Write an analysis whole or not at all. Raises `NoSpace`, `OSError`."""
    path, data = path_of(settings, record), analysis.dump()
    if len(data) > MAX_BYTES:
        raise NoSpace(f"The analysis takes {len(data):,} bytes.", limit=MAX_BYTES)
    if not record.info.local:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The time of a private tokenizer's folder says when its hour is over.
    before = path.parent.stat()
    part = path.parent / f".part-{uuid4().hex}"
    try:
        part.write_bytes(data)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
        if record.info.local:
            os.utime(path.parent, ns=(before.st_atime_ns, before.st_mtime_ns))
    if not record.info.local:
        _sweep(path.parent)


def _sweep(folder: Path) -> None:
    """Remove all but the newest analyses, and what processes that died have left."""
    with suppress(OSError):
        paths = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in [*paths[MAX_FILES:], *(path for path in paths[1:] if path.name.startswith(".part-"))]:
            path.unlink(missing_ok=True)
