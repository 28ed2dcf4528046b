"""The tokenizers that the settings name: local folders and files by what they contain, anything else as a hub id.

In the server process only the beginnings of files are read, to list what there is; what a file contains is read in a
worker. A folder is read again once one of its files has changed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock

from .errors import BadFile
from .files.archives import Folder
from .files.detection import KINDS, Kind, detect, detect_role
from .store import Record
from .types import Engine, TokenizerInfo

HEAD = 4096
"""Bytes of a file that are read to list it."""
GENERIC = frozenset({"tokenizer", "vocab", "spiece", "sentencepiece.bpe", "tekken", "ranks", "snapshots", ""})
"""Names of files that say nothing about the tokenizer, so that the folder names it."""
ENGINES: Mapping[Kind, tuple[Engine, ...]] = {
    **dict.fromkeys(KINDS, ("tokenizers", "scratch")),
    "sentencepiece": ("sentencepiece", "scratch"),
    **dict.fromkeys(("tiktoken", "tekken", "claude"), ("tiktoken", "scratch")),
    **dict.fromkeys(("minbpe", "rwkv"), ("scratch",)),
}
JSON_MARKS: Mapping[bytes, Kind] = {b'"token_bytes"': "tekken", b'"pat_str"': "claude", b'"explicit_n_vocab"': "claude"}


class Configured(Mapping[str, Record]):
    """The records of folders, files and hub ids by id, as far as they are known without reading the files."""

    def __init__(self, names: Sequence[str], *, taken: Sequence[str] = ()) -> None:
        self._paths: dict[str, Path] = {}
        self._records: dict[str, Record] = {}
        self._cache: dict[str, tuple[object, Record]] = {}
        self._lock = Lock()
        for name in names:
            path = Path(name).expanduser()
            id = _free_id(path, {*taken, *self._records}) if path.exists() else name
            if path.exists():
                self._paths[id] = path.resolve()
            self._records.setdefault(id, _unread(id, path))

    def __getitem__(self, id: str) -> Record:
        return self._records[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def read(self, id: str, *, changed: Callable[[], None]) -> Record:
        """Return the record of an id with the contents of its files; `changed` is called if they are others now.

        Raises `BadFile`, `KeyError`.
        """
        record = self._records[id]
        if id not in self._paths:
            return record
        files = Folder(self._paths[id])
        state = files.state
        with self._lock:
            cached = self._cache.get(id)
        if cached is None or cached[0] != state:
            changed()
            cached = state, _read(record, files)
            with self._lock:
                self._cache[id] = cached
        return cached[1]


class OnDisk(Mapping[str, bytes]):
    """The files of a record, of which those that lie unchanged in the folder are read when they are needed."""

    def __init__(self, files: Folder, data: Mapping[str, bytes], same: Mapping[str, str]) -> None:
        self._files = files
        self._data = {name: contents for name, contents in data.items() if name not in same}
        self._same = same

    def __getitem__(self, name: str) -> bytes:
        return self._files[self._same[name]] if name in self._same else self._data[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*self._data, *self._same))

    def __len__(self) -> int:
        return len(self._data) + len(self._same)


def _read(unread: Record, files: Folder) -> Record:
    """Return the record of a folder; one that contains no file of a known kind is left to `transformers`."""
    from .files.records import record_from_files  # imports the readers of all formats

    contents = dict(files)
    try:
        main = detect(contents).main
    except BadFile as error:
        return replace(unread, info=replace(unread.info, engines=("transformers",), notes=(error.detail,)))
    record = record_from_files(unread.info.id, contents)
    same = {name: main for name, data in record.data.items() if data is contents[main]}
    info = replace(record.info, title=unread.info.title, origin="configured")
    return replace(record, info=info, folder=files.path, data=OnDisk(files, record.data, same))


def _unread(id: str, path: Path) -> Record:
    """Return a record that says which engines can probably load it."""
    engines: tuple[Engine, ...] = ("transformers",)
    if path.exists():
        kinds = _kinds(path)
        engines = ENGINES[min(kinds, key=KINDS.index)] if kinds else engines
    info = TokenizerInfo(
        id, id, "other", engines, None, lossless=False, normalization="As its own files define.", origin="configured"
    )
    return Record(info, path, {})


def _kinds(path: Path) -> set[Kind]:
    """Return the kinds of the tokenizers in a folder, by the beginnings of its files."""
    kinds: set[Kind] = set()
    for name in Folder(path):
        try:
            with (path / name if path.is_dir() else path).open("rb") as file:
                head = file.read(HEAD)
        except OSError:
            continue
        if head.lstrip()[:1] == b"{" and name.endswith(".json"):
            marks = [kind for mark, kind in JSON_MARKS.items() if mark in head]
            named = ["tokenizer.json"] if name in ("tokenizer.json", "vocab.json") else []
            kinds |= {kind for kind in KINDS if kind in (marks or named)}
        else:
            kinds |= {kind for kind in KINDS if kind == _role(head)}
    return kinds


def _role(head: bytes) -> str:
    """Return the role of a file by its beginning, which may end inside a line."""
    try:
        return detect_role(head if head.startswith((b"GGUF", b"\n")) else head[: head.rfind(b"\n") + 1] or head)
    except BadFile:
        return ""


def _free_id(path: Path, taken: set[str]) -> str:
    """Return an id for a folder or file: the name of the folder, with those around it as far as another has it."""
    parts = [part for part in path.resolve().parts if part not in ("/", "")]
    if path.is_file() and Path(parts[-1]).stem in GENERIC:
        parts.pop()
    if len(parts) > 2 and parts[-2] == "snapshots" and parts[-3].startswith("models--"):
        parts = [*parts[:-3], parts[-3].removeprefix("models--").replace("--", "/")]  # the hub's cache
    for count in range(1, len(parts) + 1):
        id = "/".join(parts[-count:])
        if id not in taken:
            return id
    return str(path)
