"""Where added and fetched tokenizers are saved: beside those trained here, or privately for an hour."""

import hashlib
import secrets
from contextlib import suppress
from pathlib import Path

import tomli_w

from ...errors import BadFile, NotAllowed, Unavailable, UnknownTokenizer
from ...jobs import atomic_store
from ...machine import read_clock
from ...settings import Settings
from ...store import NAME, PRIVATE, PRIVATE_FOLDER, PRIVATE_SECONDS, TOML, Record, add_seal


def new_private_id() -> str:
    """Return an id of 128 random bits."""
    while not PRIVATE.fullmatch(id := f"private-{secrets.token_urlsafe(16)}"):
        pass
    return id


def private_folder(settings: Settings) -> Path:
    return settings.local / PRIVATE_FOLDER


def save(settings: Settings, record: Record, *, private: bool, owner: str = "") -> None:
    """Save a tokenizer, whole or not at all; `owner` is the address of who adds it, if known.

    Where there is no room, private ones give way. Raises `NoSpace`, `Unavailable`, `BadFile`.
    """
    root = settings.local
    if private:
        root = private_folder(settings)
        sweep(settings)
    atomic_store.put(root, record.info.id, build_folder(record), quota=settings.quota, owner=owner, give_way=private)


def build_folder(record: Record) -> dict[str, bytes]:
    """Return the files of a tokenizer's folder by name; the description is last, without which it is not listed."""
    spec = {key: value for key, value in record.spec.items() if value is not None}
    spec["extras"] = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        for name, data in record.data.items()
        if name not in spec["files"]
    }
    try:
        description = add_seal(tomli_w.dumps(spec))
    except (UnicodeEncodeError, TypeError):
        raise BadFile(
            "A token or a setting of the file is no text that can be saved, such as half a surrogate."
        ) from None
    return {**record.data, TOML: description}


def delete(settings: Settings, id: str) -> None:
    """Delete a tokenizer that was trained, added or fetched here; a private one is deleted by its id alone.

    Raises `NotAllowed` for others, and for all where the settings keep none; `UnknownTokenizer`.
    """
    if PRIVATE.fullmatch(id):
        atomic_store.remove(private_folder(settings), id)
        return
    if not settings.keep:
        raise NotAllowed("This server deletes no tokenizers.")
    if id in settings.hub or id in (path.parent.name for path in settings.store.glob(f"*/{TOML}")):
        raise NotAllowed("Only tokenizers that were trained, added or fetched here can be deleted.")
    if not NAME.fullmatch(id):
        raise UnknownTokenizer("No tokenizer that is kept here has this id.")
    atomic_store.remove(settings.local, id)


def sweep(settings: Settings) -> None:
    """Remove private tokenizers whose hour is over."""
    with suppress(OSError, UnknownTokenizer, Unavailable):
        for folder in private_folder(settings).iterdir():
            if PRIVATE.fullmatch(folder.name) and read_clock() - folder.stat().st_mtime > PRIVATE_SECONDS:
                atomic_store.remove(folder.parent, folder.name)
