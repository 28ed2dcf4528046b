"""What is on the disk of a tokenizer: a folder with a `tokenizer.toml` that says what its files must hash to.

The store comes with the house and is read once. What was trained here lies beside it and may change at any time, also
by another process, so it is looked at anew each time; what is damaged there is set aside, and the others are served.
"""

import hashlib
import lzma
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

import regex

from app.errors import BadFile
from app.types import ChatTemplate, Source, TokenizerInfo

NAME = regex.compile(r"[a-z0-9-]{1,48}-[0-9a-f]{12}")
"""What a folder of a trained tokenizer is called."""
TOML = "tokenizer.toml"
SEAL = b"# sha256 "
"""Begins the last line of a trained tokenizer's description: the hash of what is above."""


@dataclass(frozen=True, slots=True)
class Record:
    """One tokenizer: what its `tokenizer.toml` says, and its files, in a folder or, until they are kept, as `data`."""

    info: TokenizerInfo
    folder: Path
    spec: Mapping[str, Any]
    data: Mapping[str, bytes] = field(default_factory=dict)

    def file(self, name: str) -> bytes:
        """A file of this tokenizer, uncompressed and checked against its hash. Raises `BadFile`."""
        if name in self.data:
            return self.data[name]
        return self._checked(name, {**self.spec["files"], **self.spec.get("extras", {})}[name])

    def _checked(self, name: str, stated: Mapping[str, str]) -> bytes:
        path = self.folder.parent / stated.get("store", self.folder.name) / name
        try:
            data = path.read_bytes() if path.exists() else lzma.decompress(Path(f"{path}.xz").read_bytes())
        except (OSError, lzma.LZMAError) as error:
            raise BadFile(f"{name} of {self.info.id} cannot be read.") from error
        if hashlib.sha256(data).hexdigest() != stated["sha256"]:
            raise BadFile(f"{name} of {self.info.id} is damaged: its hash differs.")
        return data

    def only_file(self) -> bytes:
        """The file of a tokenizer that has one."""
        (name,) = self.spec["files"]
        return self.file(name)

    def chat_template(self) -> ChatTemplate | None:
        """How its models want a conversation written out, where that is published. Raises `BadFile`."""
        stated = self.spec.get("chat_template")
        if stated is None:
            return None
        text = self._checked(stated["file"], stated).decode()
        return ChatTemplate(text, stated["variables"], tuple(stated.get("marks", ())), stated["source"])

    def ranks(self) -> dict[bytes, int]:
        from app.formats.tiktoken_ranks import load_ranks

        return load_ranks(self.file(self.spec["ranks"]))

    def sha256(self) -> str:
        """The hash of the tokenizer's file, or nothing where it has none."""
        return ", ".join(file["sha256"] for file in self.spec.get("files", {}).values())


def read_store(store: Path) -> Iterator[Record]:
    """The descriptions in a store, in the order of their ids. Raises `BadFile` for one that lacks what it must say."""
    for path in sorted(store.glob(f"*/{TOML}")):
        yield _record(path.parent, path.read_text())


def read_trained(folder: Path) -> Record:
    """A tokenizer that was trained and kept here, every byte of it checked. Raises `BadFile`."""
    try:
        told, _, seal = (folder / TOML).read_bytes().rpartition(SEAL)
        if hashlib.sha256(told).hexdigest().encode() != seal.removesuffix(b"\n"):
            raise BadFile(f"The description of {folder.name} is damaged: its hash differs.")
        record = _record(folder, told.decode())
    except (OSError, ValueError) as error:
        raise BadFile(f"The description of {folder.name} cannot be read.") from error
    names = [*record.spec["files"], *record.spec["extras"]]
    if (
        record.info.id != folder.name
        or not NAME.fullmatch(folder.name)
        or any(Path(name).name != name for name in names)
    ):
        raise BadFile(f"The description of {folder.name} is of another tokenizer.")
    for name in names:
        record.file(name)
    return replace(record, info=replace(record.info, trained=True))


def sealed(description: str) -> bytes:
    r"""A description with the line that tells whether it is whole.

    >>> sealed("id = 1\n").count(b"\n")
    2
    """
    told = description.encode()
    return told + SEAL + hashlib.sha256(told).hexdigest().encode() + b"\n"


def _record(folder: Path, description: str) -> Record:
    spec = tomllib.loads(description)
    try:
        return Record(described(spec), folder, spec)
    except KeyError as missing:
        raise BadFile(f"{folder.name}/{TOML} does not say {missing}.") from missing


def described(spec: Mapping[str, Any]) -> TokenizerInfo:
    """What a `tokenizer.toml` says of a tokenizer."""
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
    )


class Trained:
    """The tokenizers that were trained and kept in a folder, as they are now; each is read once for each change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: dict[str, tuple[tuple[int, int], Record | None]] = {}
        self._lock = Lock()

    def records(self) -> dict[str, Record]:
        """Those that are whole, by id, in the order of their ids."""
        return {name: record for name in self._names() if (record := self._read(name)) is not None}

    def record(self, id: str) -> Record | None:
        """One of them, if it is there and whole."""
        return self._read(id) if NAME.fullmatch(id) else None

    def damaged(self) -> list[str]:
        """The names of those that are not whole, and of folders that are none of them."""
        return [name for name in self._names() if self._read(name) is None]

    def forget(self, id: str) -> None:
        """Read one again when it is asked for next."""
        with self._lock:
            self._seen.pop(id, None)

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
        mark = (state.st_ino, state.st_mtime_ns)
        with self._lock:
            known = self._seen.get(name)
        if known is None or known[0] != mark:
            try:
                known = mark, read_trained(folder)
            except BadFile:
                known = mark, None
            with self._lock:
                self._seen[name] = known
        return known[1]
