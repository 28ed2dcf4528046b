"""Where analyses are kept: beside the files of a local tokenizer, and goes with them, or else in a folder of the store.

The figures lie in a file of their own, so that a server can answer with them without reading columns. Those of bundled
tokenizers are recorded in the store, so that nobody waits for them.
"""

import hashlib
import json
import lzma
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import orjson

from ...atomic_files import replace_file
from ...errors import NoSpace
from ...formats.archives import Folder
from ...registry import Registry
from ...settings import Settings
from ...store import Record
from ..caches import LRUCache
from .analysis import Analysis

VERSION = 1
"""To be raised when the same tokenizer gets another analysis: those of other versions are computed anew."""
FOLDER = ".analyses"
COLUMNS = ".npz"
FIGURES = ".json"
RECORDED = "figures.json.xz"
MAX_FILES = 200
MAX_BYTES = 16_000_000
"""Files that are kept in the folder, the newest, and bytes of one analysis at most."""
DESCRIPTIVE_KEYS = frozenset({"title", "models", "normalization", "notes", "source", "chat_template"})
"""Of a description, what no analysis reads."""
_recent: "LRUCache[Analysis]" = LRUCache(entries=3, max_bytes=60_000_000, size=lambda analysis: analysis.nbytes)


def hash_record(record: Record) -> str:
    """Return what an analysis depends on, as a hash: the tokens and rules, the hashes of the files, and the version."""
    source: Any = {key: value for key, value in record.spec.items() if key not in DESCRIPTIVE_KEYS}
    if record.info.origin == "configured":  # the server knows only that the files are there
        path = record.folder.expanduser()
        source = [str(path.resolve()), Folder(path).state] if path.exists() else str(path)
    described = json.dumps([VERSION, record.info.id, source], sort_keys=True, default=str)
    return hashlib.sha256(described.encode()).hexdigest()


def _path(settings: Settings, record: Record, suffix: str) -> Path:
    key = hash_record(record)
    if record.info.local:
        return record.folder / f"analysis-{key[:16]}{suffix}"
    return settings.local / FOLDER / f"{key}{suffix}"


def load_analysis(settings: Settings, registry: Registry, id: str) -> "Analysis | None":
    """Return the analysis of a tokenizer, or None before it has been computed. Raises `UnknownTokenizer`."""
    record = registry.record(id)
    key = hash_record(record)
    if (known := _recent.get(key)) is not None:
        return known
    try:
        analysis = Analysis.load(_path(settings, record, COLUMNS).read_bytes())
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error):  # none yet, or a file that is damaged
        return None
    return _recent.get_or_create(key, lambda: analysis)


def load_figures(settings: Settings, record: Record) -> Mapping[str, Any] | None:
    """Return the figures of a tokenizer, or None before they have been computed."""
    try:
        figures: Mapping[str, Any] = orjson.loads(_path(settings, record, FIGURES).read_bytes())
    except (OSError, ValueError):
        return (
            load_recorded_figures(settings.store).get(hash_record(record)) if record.info.origin == "bundled" else None
        )
    return figures


def is_analysed(settings: Settings, record: Record) -> bool:
    """True if the classes and witnesses of a tokenizer's tokens are kept, not its figures alone."""
    return _path(settings, record, COLUMNS).exists()


@lru_cache(maxsize=1)
def load_recorded_figures(store: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return the recorded figures of the store by `hash_record`, which differs once a tokenizer has changed."""
    try:
        figures: Mapping[str, Mapping[str, Any]] = orjson.loads(lzma.decompress((store / RECORDED).read_bytes()))
    except (OSError, ValueError, lzma.LZMAError):
        return {}
    return figures


def write_recorded(store: Path, figures: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the figures of the bundled tokenizers, by `hash_record`."""
    _write(store / RECORDED, lzma.compress(orjson.dumps(figures, option=orjson.OPT_SORT_KEYS)))
    load_recorded_figures.cache_clear()


def remember(record: Record, analysis: "Analysis") -> None:
    """Keep an analysis in the memory of this process."""
    _recent.get_or_create(hash_record(record), lambda: analysis)


def recall(record: Record) -> "Analysis | None":
    """Return the analysis of a tokenizer that is in the memory of this process, or None."""
    return _recent.get(hash_record(record))


def save_analysis(settings: Settings, record: Record, analysis: "Analysis") -> None:
    """Write an analysis, each file whole or not at all. Raises `NoSpace`, `OSError`."""
    data = analysis.dump()
    if len(data) > MAX_BYTES:
        raise NoSpace(f"The analysis takes {len(data):,} bytes.", limit=MAX_BYTES)
    folder = _path(settings, record, COLUMNS).parent
    if not record.info.local:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _sweep(folder)
    before = folder.stat()
    _write(_path(settings, record, COLUMNS), data)
    _write(_path(settings, record, FIGURES), orjson.dumps(analysis.figures))
    if record.info.local:  # of a private tokenizer, the time of its folder says when its hour is over
        os.utime(folder, ns=(before.st_atime_ns, before.st_mtime_ns))


def _write(path: Path, data: bytes) -> None:
    with replace_file(path) as file:  # not the folder above it, which may be removed meanwhile
        file.write(data)


def _sweep(folder: Path) -> None:
    """Remove all but the newest files."""
    with suppress(OSError):
        paths = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in paths[MAX_FILES - 2 :]:
            path.unlink(missing_ok=True)
