"""Tokenizers on disk: one folder each, with a `tokenizer.toml` that describes it and the hashes of its files.

The store is part of this project and read once. Tokenizers that were trained, added or fetched on this server lie in a
folder of their own, where any process may add or delete one at any time: they are checked for changes at each call. A
damaged one is left out. Private ones lie in a folder below it: who knows such an id can use it for an hour.
"""

import hashlib
import lzma
import math
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from .errors import BadFile
from .machine import read_clock
from .types import ChatTemplate, Source, TokenizerInfo

NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,63}")
"""Folder names of local tokenizers: a slug of the title and a hash of the contents, or a name to fetch it by."""
PRIVATE = re.compile(r"private-[A-Za-z0-9_-]{22}")
"""Folder names of private tokenizers: 128 random bits, so that nobody can guess one."""
PRIVATE_FOLDER = ".private"
PRIVATE_SECONDS = 3600
"""How long a private tokenizer lives."""
TOML = "tokenizer.toml"
TEMPLATES = Path("templates", "templates.toml")
CREDITS = ("source", "model", "names", "equals", "sha256", "provenance", "trains")
"""The keys of a chat template that say whose it is and what it is for."""
SEAL = b"# sha256 "
"""The last line of a local tokenizer's description is this and the hash of the lines above."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Record:
    """One tokenizer: metadata, parsed `tokenizer.toml`, and files, in `folder` or, until it is saved, in `data`."""

    info: TokenizerInfo
    folder: Path
    spec: Mapping[str, Any]
    data: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def trusted(self) -> bool:
        """False if the tokenizer may contain a pattern that a user wrote."""
        return not self.spec.get("own_pattern", self.info.local)

    @property
    def pattern(self) -> str | None:
        """The pre-tokenization pattern in `regex`'s dialect; tiktoken's, in `spec`, can also intersect sets."""
        return self.spec.get("portable_pattern") or self.spec.get("pattern")

    def file(self, name: str) -> bytes:
        """Return a file of this tokenizer, uncompressed and verified by its hash. Raises `BadFile`, `KeyError`."""
        if name in self.data:
            return self.data[name]
        entry = {**self.spec["files"], **self.spec.get("extras", {})}[name]
        return _read_verified(self._find_path(name, entry), entry["sha256"], self.info.id)

    def stored_size(self) -> int:
        """Return the size of its files on the disk in bytes, large ones compressed, also of those that others share."""
        entries = {**self.spec.get("files", {}), **self.spec.get("extras", {})}
        paths = (self._find_path(name, entry) for name, entry in entries.items())
        return sum(path.stat().st_size for path in paths if path.exists())

    def _find_path(self, name: str, entry: Mapping[str, str]) -> Path:
        """Return the path of a file, which may be compressed and in the folder of another tokenizer, its `store`."""
        return _or_compressed(self.folder.parent / entry.get("store", self.folder.name) / name)

    def only_file(self) -> bytes:
        """Return the file of a tokenizer that has exactly one. Raises `BadFile`."""
        (name,) = self.spec["files"]
        return self.file(name)

    def chat_template(self, further: Mapping[str, Any] | None = None) -> ChatTemplate | None:
        """Return the chat template, or None if none is published; `further` is an entry of `read_templates`, of a model
        that shares the vocabulary. Raises `BadFile`."""
        own = self.spec.get("chat_template", {})
        entry = further or own
        if not entry:
            return None
        if "sha256" not in entry:  # one of the templates that others have written
            entry = next(one for one in read_templates(self.folder.parent) if one["file"] == own["file"])
        name = entry["file"]
        held = self.data.get(name)
        place = self.folder.parent / entry.get("store", self.folder.name)
        text = _read_template(place / name, entry["sha256"], self.info.id) if held is None else held.decode()
        told = {key: entry.get(key, "") for key in CREDITS}
        told |= {key: entry.get(key, {}) for key in ("named", "reasoning")}
        variables = entry.get("variables") or own.get("variables", {})
        return ChatTemplate(text, variables, tuple(entry.get("marks", ())), **told)

    def sha256(self) -> str:
        """Return the SHA-256 of the tokenizer's file, or "" if it has none."""
        return ", ".join(file["sha256"] for file in self.spec.get("files", {}).values())


def read_bundled_text(store: Path, folder: str, file: str) -> bytes:
    """Return a file of texts of the store, whose hash is in the `texts.toml` beside it. Raises `BadFile`."""
    entry = tomllib.loads((store / folder / "texts.toml").read_text(encoding="utf-8"))
    return _read_verified(_or_compressed(store / folder / file), entry["files"][file]["sha256"], folder)


def _or_compressed(path: Path) -> Path:
    return path if path.exists() else Path(f"{path}.xz")


def _read_verified(path: Path, sha256: str, owner: str) -> bytes:
    """Return a file of a tokenizer, the `owner`, uncompressed. Raises `BadFile`."""
    name = path.name.removesuffix(".xz")
    try:
        data = path.read_bytes()
        data = lzma.decompress(data) if path.name != name else data
    except (OSError, lzma.LZMAError) as error:
        raise BadFile(f"{name} of {owner} cannot be read.") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise BadFile(f"{name} of {owner} is damaged: its hash differs.")
    return data


@lru_cache(maxsize=200)
def _read_template(path: Path, sha256: str, owner: str) -> str:
    """Return a chat template, which each rendering asks for."""
    return _read_verified(_or_compressed(path), sha256, owner).decode()


class Store(Mapping[str, Record]):
    """The tokenizers of a store by id, which is the name of the folder, sorted; each is read when it is looked up.

    Raises `BadFile` for one that lacks a required key.
    """

    def __init__(self, store: Path) -> None:
        self._paths = {path.parent.name: path for path in sorted(store.glob(f"*/{TOML}"))}
        self._records = dict[str, Record]()

    def __getitem__(self, id: str) -> Record:
        if id not in self._records:
            path = self._paths[id]
            self._records[id] = _record(path.parent, path.read_text())
        return self._records[id]

    def __contains__(self, id: object) -> bool:
        return id in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


@cache
def read_unpublished_templates(store: Path) -> Mapping[str, str]:
    """Return what to say of models whose chat template nobody has published, by a pattern of their names."""
    table = store / TEMPLATES
    return tomllib.loads(table.read_text())["unpublished"] if table.exists() else {}


@cache
def read_templates(store: Path) -> Sequence[Mapping[str, Any]]:
    """Return the entries of `templates/templates.toml`, the chat templates of models that share a vocabulary.

    The file explains its fields; each template is read when it is used, by `Record.chat_template`.
    """
    folder = store / TEMPLATES.parent
    entries = tomllib.loads((store / TEMPLATES).read_text())["template"] if (store / TEMPLATES).exists() else ()
    said = "{member} of {package} {version}"
    return tuple(entry | {"store": str(folder), "provenance": said.format_map(entry)} for entry in entries)


def read_store(store: Path) -> Iterator[Record]:
    """Yield the tokenizers of a store. Raises `BadFile` for one that lacks a required key."""
    yield from Store(store).values()


def read_local(folder: Path) -> Record:
    """Read a tokenizer that was saved on this server, and verify all of its files. Raises `BadFile`."""
    try:
        description, _, seal = (folder / TOML).read_bytes().rpartition(SEAL)
        if hashlib.sha256(description).hexdigest().encode() != seal.removesuffix(b"\n"):
            raise BadFile(f"The description of {folder.name} is damaged: its hash differs.")
        record = _record(folder, description.decode())
    except (OSError, ValueError) as error:
        raise BadFile(f"The description of {folder.name} cannot be read.") from error
    names = [*record.spec["files"], *record.spec["extras"]]
    # A description copied from elsewhere must not serve under a wrong id, nor name files outside of its folder.
    if (
        record.info.id != folder.name
        or not (NAME.fullmatch(folder.name) or PRIVATE.fullmatch(folder.name))
        or any(Path(name).name != name for name in names)
    ):
        raise BadFile(f"The description of {folder.name} is of another tokenizer.")
    for name in names:
        record.file(name)
    return record if record.info.local else replace(record, info=replace(record.info, origin="trained"))


def add_seal(description: str) -> bytes:
    r"""Return a description with its hash as the last line, so that a file written in part is recognized.

    >>> add_seal("id = 1\n").count(b"\n")
    2
    """
    data = description.encode()
    return data + SEAL + hashlib.sha256(data).hexdigest().encode() + b"\n"


def _record(folder: Path, description: str) -> Record:
    spec = tomllib.loads(description)
    try:
        return Record(read_info(spec), folder, spec)
    except KeyError as missing:
        raise BadFile(f"{folder.name}/{TOML} has no key {missing}.") from missing


def read_info(spec: Mapping[str, Any]) -> TokenizerInfo:
    """Return the metadata in a parsed `tokenizer.toml`. Raises `KeyError` for a required key that is missing."""
    return TokenizerInfo(
        id=spec["id"],
        title=spec["title"],
        family=spec["family"],
        engines=tuple(spec["engines"]),
        vocab_size=spec.get("vocab_size"),
        lossless=spec["lossless"],
        grows="vocab_size" not in spec,
        normalization=spec.get("normalization", ""),
        models=tuple(spec.get("models", ())),
        special_tokens=spec.get("special_tokens", {}),
        prefix=tuple(spec.get("prefix", ())),
        suffix=tuple(spec.get("suffix", ())),
        source=Source(**spec["source"]),
        origin=spec.get("origin", "bundled"),
        notes=tuple(spec.get("notes", ())),
        added_tokens=spec.get("added_tokens", {}),
        token_rules=spec.get("token_rules", {}),
        gaps=spec.get("gaps", 0),
        split_special_tokens=spec.get("split_special_tokens", False),
    )


class LocalFolder:
    """The tokenizers in a folder that may change. Each is read again only when its own folder has changed.

    `names` are their ids; those that have been there for more than `seconds` are left out.
    """

    def __init__(self, folder: Path, *, names: re.Pattern[str] = NAME, seconds: float = math.inf) -> None:
        self.folder = folder
        self._ids = names
        self._seconds = seconds
        self._cache: dict[str, tuple[tuple[int, int], Record | None]] = {}
        self._lock = Lock()

    def records(self) -> dict[str, Record]:
        """Return the valid ones by id, sorted."""
        return {name: record for name in self._names() if (record := self._read(name)) is not None}

    def record(self, id: str) -> Record | None:
        """Return one by id, or None if it is missing or damaged."""
        return self._read(id) if self._ids.fullmatch(id) else None

    def list_damaged(self) -> list[str]:
        """Return the names of all other folders: damaged tokenizers, or something else."""
        return [name for name in self._names() if self._read(name) is None]

    def forget(self, id: str) -> None:
        """Discard the cached record, so that the next call reads it again."""
        with self._lock:
            self._cache.pop(id, None)

    def _names(self) -> list[str]:
        try:
            with os.scandir(self.folder) as entries:
                return sorted(entry.name for entry in entries if entry.is_dir() and not entry.name.startswith("."))
        except OSError:
            return []

    def _read(self, name: str) -> Record | None:
        folder = self.folder / name
        try:
            state = folder.stat()
        except OSError:
            self.forget(name)
            return None
        if read_clock() - state.st_mtime > self._seconds:
            return None
        version = (state.st_ino, state.st_mtime_ns)  # a folder is replaced by a rename, which gives it a new inode
        with self._lock:
            cached = self._cache.get(name)
        if cached is None or cached[0] != version:
            try:
                cached = version, read_local(folder)
            except BadFile:
                cached = version, None
            with self._lock:
                self._cache[name] = cached
        return cached[1]
