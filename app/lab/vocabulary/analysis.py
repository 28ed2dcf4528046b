"""What each token of a vocabulary is good for: its class, and a text that gives it, or why none was found; in files.

The classes are those of Land and Bartolo, "Fishing for Magikarp" (2024). "Under-trained" is none of them: that takes
the embeddings of a model, and is never claimed here.

The figures lie in a file of their own, so that a server can answer with them without reading columns. Those of bundled
tokenizers are recorded in the store, so that nobody waits for them.
"""

import hashlib
import io
import json
import lzma
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal
from weakref import WeakKeyDictionary
from zipfile import BadZipFile

import numpy as np
import orjson
from numpy.typing import NDArray

from ...atomic_files import replace_file
from ...errors import NoSpace
from ...files.archives import Folder
from ...registry import Registry
from ...settings import Settings
from ...store import Record
from ..caches import LRUCache
from .columns import find_row

Class = Literal["ok", "special", "special, no text found", "undecodable", "no text found"]
CLASSES: tuple[Class, ...] = ("ok", "special", "special, no text found", "undecodable", "no text found")
"""What `Analysis.classes` are indices of. A text gives it · a special token · what is or looks like a special token,
and no text that was tried gives · a token that is not UTF-8 by itself · any other that no text that was tried gives."""
CAUSES: Mapping[str, str] = {
    "special": "A special token: a text gives it only where special tokens are recognized.",
    "not parsed": "A special token that not even its own spelling gives where special tokens are recognized.",
    "unknown": "Stands for what is not in the vocabulary; every character that was tried is.",
    "fragment": "A part of one or several characters: its bytes are not UTF-8 by themselves.",
    "not UTF-8": "No UTF-8 text has these bytes in a row.",
    "empty": "It stands for no bytes.",
    "added token": "An added token is part of its text, and is matched before anything else.",
    "orphan": "No merge of two earlier tokens makes it.",
    "merge order": "Its own symbols merge to other tokens, since other pairs have lower ranks.",
    "byte fallback": "No character that was tried falls back to this byte.",
    "normalizer": "The normalizer changes its text.",
    "pattern": "The pre-tokenizer divides its text.",
    "other tokens": "Its text becomes other tokens in every context that was tried.",
}
"""Why a token has no witness, or only one of another kind; with the words for people."""
CODES = ("", *CAUSES)
"""What `Analysis.causes` are indices of."""
_MERGED = ("orphan", "merge order")
VERSION = 2
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
_hashes: "WeakKeyDictionary[Record, str]" = WeakKeyDictionary()
_recent: "LRUCache[Analysis]" = LRUCache(entries=3, max_bytes=60_000_000, size=lambda analysis: analysis.nbytes)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why no text gives a token, or only a special one does.

    - `cause`: a key of `CAUSES`; `tried`: the number of texts that were encoded and did not give it.
    - `instead`: the ids that its own text, or its own symbols, give.
    - `found`: some text does give it, as the cause says.
    """

    cause: str
    tried: int = 0
    instead: tuple[int, ...] = ()
    found: bool = False

    @property
    def detail(self) -> str:
        """The reason in words.

        >>> Reason("pattern", tried=120).detail
        'The pre-tokenizer divides its text. No text found among 120 tries.'
        """
        if self.found:
            looked_up = " It occurs only as a whole word, which is looked up before any merge."
            return CAUSES[self.cause] + looked_up * (self.cause in _MERGED and bool(self.instead))
        return CAUSES[self.cause] + (f" No text found among {self.tried:,} tries." if self.tried else "")


@dataclass(frozen=True, eq=False)
class Analysis:
    """The analysis of a vocabulary, in columns of the shape `(n,)` and in the order of `VocabularyColumns`.

    `causes` are indices of the causes, 0 for none; `ends` those of the witnesses in `texts`, -1 for a token without.
    """

    ids: NDArray[np.uint32]
    classes: NDArray[np.uint8]
    causes: NDArray[np.uint8]
    tried: NDArray[np.uint32]
    texts: bytes
    ends: NDArray[np.int64]
    instead: Mapping[int, tuple[int, ...]]
    figures: Mapping[str, Any]

    def row(self, id: int) -> int | None:
        """Return the row of an id, or None if it has no token."""
        return find_row(self.ids, id)

    def get_class(self, id: int) -> Class | None:
        """Return the class of a token; None for an id without one."""
        row = self.row(id)
        return None if row is None else CLASSES[self.classes[row]]

    def get_reason(self, id: int) -> Reason | None:
        """Return why no text gives a token, or what is special about those that do; None for an ordinary one."""
        row = self.row(id)
        if row is None or not self.causes[row]:
            return None
        cause = CODES[self.causes[row]]
        found = bool(self.ends[row] >= 0)
        instead = self.instead.get(id, ())
        return Reason(cause, int(self.tried[row]), instead, found)

    def get_witness(self, id: int) -> str | None:
        """Return a shortest text whose encoding was seen to contain a token; None if no such text is known.

        That of a special token gives it where special tokens are parsed.
        """
        row = self.row(id)
        if row is None or self.ends[row] < 0:
            return None
        return self.texts[self._starts[row] : self.ends[row]].decode()

    @property
    def nbytes(self) -> int:
        """An estimate of the memory that this takes, in bytes."""
        return 40 * len(self.ids) + len(self.texts) + 200 * len(self.instead)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Where each witness begins: at the end of the last before it."""
        return np.concatenate(([0], np.maximum.accumulate(np.maximum(self.ends, 0))[:-1]))

    def dump(self) -> bytes:
        """Return the analysis as a file."""
        extra = {"instead": {str(id): ids for id, ids in self.instead.items()}, "figures": self.figures}
        stream = io.BytesIO()
        np.savez_compressed(
            stream,
            ids=self.ids,
            classes=self.classes,
            causes=self.causes,
            tried=self.tried,
            texts=np.frombuffer(self.texts, np.uint8),
            ends=self.ends,
            extra=np.frombuffer(orjson.dumps(extra), np.uint8),
        )
        return stream.getvalue()

    @classmethod
    def load(cls, data: bytes) -> "Analysis":
        """Read what `dump` wrote. Raises what numpy and zip files raise for anything else."""
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            columns = {name: file[name] for name in ("ids", "classes", "causes", "tried", "ends")}
            extra = orjson.loads(file["extra"].tobytes())
            texts = file["texts"].tobytes()
        instead = {int(id): tuple(ids) for id, ids in extra["instead"].items()}
        return cls(**columns, texts=texts, instead=instead, figures=extra["figures"])


def hash_record(record: Record) -> str:
    """Return a hash of all that an analysis depends on: tokens and rules, the hashes of the files, and the version."""
    if (known := _hashes.get(record)) is not None:
        return known
    source: Any = {key: value for key, value in record.spec.items() if key not in DESCRIPTIVE_KEYS}
    configured = record.info.origin == "configured"
    if configured:  # the server knows only that the files are there
        path = record.folder.expanduser()
        source = [str(path.resolve()), Folder(path).state] if path.exists() else str(path)
    described = json.dumps([VERSION, record.info.id, source], sort_keys=True, default=str)
    found = hashlib.sha256(described.encode()).hexdigest()
    if not configured:  # whose files may change
        _hashes[record] = found
    return found


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
