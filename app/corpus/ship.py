"""Send the tokenizers to a cluster that its workers lack: those that are not part of the package, under a hash.

A worker writes them into its cache once, and reads them from there as if they had been added on its machine.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from ..atomic_files import write_whole
from ..errors import Invalid
from ..files.archives import Folder
from ..registry import Registry
from ..settings import Settings
from ..store import Record

LOCAL = "local"
MODELS = "models"
HUB = "hub"
"""Folders of tokenizers that were added or trained, and of those that the settings name; a file with hub ids."""
READY = "ready"


def cache() -> Path:
    """Return the folder of results, of vocabularies for faster engines, and of tokenizers that were sent here."""
    from platformdirs import user_cache_path

    return user_cache_path("tokenarium", appauthor=False) / "corpus"


def collect_files(registry: Registry, settings: Settings, ids: Iterable[str]) -> dict[str, bytes]:
    """Return the files by path of those tokenizers that are not part of the package. Raises `Invalid`."""
    files: dict[str, bytes] = {}
    hub: list[str] = []
    for id in ids:
        record = registry.record(id)
        if record.folder.is_relative_to(settings.store) and not record.folder.is_relative_to(settings.local):
            continue
        if record.folder.is_relative_to(settings.local):
            place = f"{LOCAL}/{record.folder.relative_to(settings.local).as_posix()}"
            some: Mapping[str, bytes] = {path.name: path.read_bytes() for path in record.folder.iterdir()}
        elif record.folder.exists():
            place = f"{MODELS}/{_place(record)}"
            some = Folder(record.folder)
        else:
            hub.append(id)  # a name of the hub, from where each worker loads it
            continue
        files |= {f"{place}/{name}": data for name, data in some.items()}
    return files | ({HUB: "\n".join(hub).encode()} if hub else {})


def _place(record: Record) -> str:
    """Return a path that gives a tokenizer the same id again. Raises `Invalid`."""
    name, _, rest = record.info.id.partition("/")
    if "/" in rest or "--" in record.info.id:
        raise Invalid(f"{record.info.id} cannot be sent to a cluster; rename its folder to a name no other has.")
    return f"models--{name}--{rest}/snapshots/sent" if rest else name


def hash_files(files: Mapping[str, bytes]) -> str:
    """Return the hash under which files are sent; "" if there are none.

    >>> hash_files({}), len(hash_files({"a": b""}))
    ('', 32)
    """
    lines = [f"{hashlib.sha256(data).hexdigest()} {path}" for path, data in sorted(files.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32] if lines else ""


def unpack(files: Mapping[str, bytes]) -> None:
    """Write files that were sent into the cache of this machine, unless they are there. Raises `OSError`."""
    folder = _folder(hash_files(files))
    if not (folder / READY).exists():
        for path, data in files.items():
            write_whole(folder / path, data)
        write_whole(folder / READY, b"")


def settings_here(sent: str, settings: Settings) -> Settings:
    """Return the settings of another machine as they are on this one, with the tokenizers that were sent here."""
    here = replace(Settings.from_env(), max_loaded=settings.max_loaded, hub=(), workers=settings.workers)
    folder = _folder(sent)
    models = sorted((folder / MODELS).glob("*"))
    models = [path / "snapshots" / "sent" if path.name.startswith("models--") else path for path in models]
    names = (folder / HUB).read_text().splitlines() if (folder / HUB).exists() else []
    return replace(here, local=folder / LOCAL, hub=(*names, *map(str, models)))


def _folder(sent: str) -> Path:
    return cache() / "sent" / (sent or "none")
