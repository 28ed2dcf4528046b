"""Measure listed files: what the cache knows of them, and what is counted anew."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...registry import Registry
from ..results import FileResult, ResultCache
from .listing import FolderFile, FolderListing, SkippedFile
from .usage import FolderUsage, TokenUsage

Counted = Iterable[tuple[FolderFile, FileResult, tuple[str, ...]]]
"""Files with their results, and the notes of the parts that they were counted in."""
UNREADABLE = "unreadable: "
"""The beginning of a reason that is an error, unlike "binary"."""


def count_keys(registry: Registry, tokenizers: Iterable[str]) -> list[bytes]:
    """Return by tokenizer under which key its tokens are kept; empty for one whose files are not known."""
    return [_key(id, registry.record(id).spec) for id in tokenizers]


def _key(id: str, spec: Mapping[str, object]) -> bytes:
    described = json.dumps([id, spec], default=str, sort_keys=True).encode()
    return hashlib.sha256(described).digest()[:16] if spec else b""


def measure(
    listing: FolderListing,
    registry: Registry,
    tokenizers: Sequence[str],
    count: Callable[[Sequence[FolderFile], Sequence[bytes]], Counted],
    *,
    cache: ResultCache | None = None,
    tops: Iterable[str] = (),
) -> FolderUsage:
    """Return the tokens of listed files: of those below the folders `tops` that have not changed, from the cache.

    The others are given to `count`, with the keys of the tokenizers. Without `tops`, their paths are not kept.
    """
    keys = count_keys(registry, tokenizers)
    cache = cache if all(keys) else None
    known = cache.find_unchanged(listing.files, tops, keys) if cache and tops else {}
    usage = FolderUsage(tuple(tokenizers), skipped=[*listing.skipped], unreadable=[*listing.unreadable])
    fresh = [file for file in listing.files if file.path not in known]
    counted = list[tuple[FolderFile, FileResult]]()
    for file, result, notes in count(fresh, keys if cache else ()) if fresh else ():
        known[file.path] = result
        counted.append((file, result))
        usage.notes += [note for note in notes if note not in usage.notes]
    if cache and counted:
        cache.keep_files(counted, keys, paths=bool(tops))
    for file in listing.files:
        _add(usage, file, known[file.path])
    return usage


def _add(usage: FolderUsage, file: FolderFile, result: FileResult) -> None:
    if not result.why:
        usage.files.append(TokenUsage(file.name, [*result.tokens], 1, file.bytes, file.path, file.top))
    elif result.why.startswith(UNREADABLE):
        usage.unreadable.append(f"{file.name}: {result.why.removeprefix(UNREADABLE)}")
    else:
        usage.skipped.append(SkippedFile(file.name, result.why, file.bytes))
