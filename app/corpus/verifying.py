"""Check a folder of shards: the hash of each file, the counts, and a sample of its documents against their sources."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from ..errors import BadFile, TokenariumError
from ..registry import Registry
from ..types import SpecialPolicy, Tokenizer
from . import addresses
from .shards import Shards
from .sources import CorpusSource, ReadContext, SourcePart, batches

PARTS = 8
"""Parts that are read again."""
DOCUMENTS = 25
"""Documents of each that are compared."""
PIECE = 1 << 22
"""Bytes that are hashed at a time."""


@dataclass(slots=True)
class VerificationReport:
    """What was checked: `files`, documents that were `decoded` and `compared` with their source; what is wrong.

    `notes` says which sources could not be compared.
    """

    files: int = 0
    decoded: int = 0
    compared: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def verify(shards: Shards, registry: Registry, *, seed: int = 0) -> VerificationReport:
    """Check all files, and if they are whole, a sample of the documents."""
    report = VerificationReport()
    for name, entry in shards.names().items():
        report.files += 1
        report.problems += _hash_differs(shards.address(name), name, entry)
    if not report.problems:
        report.problems += [*shards.check(), *_sums_differ(shards)]
    whole = not report.problems
    if (tokenizer := _tokenizer(shards, registry, report)) and whole:
        _sample(shards, tokenizer, report, seed)
    return report


def _hash_differs(address: str, name: str, entry: Mapping[str, Any]) -> Iterator[str]:
    digest = hashlib.sha256()
    size = 0
    try:
        with addresses.open_file(address, buffer=PIECE) as file:
            while piece := file.read(PIECE):
                digest.update(piece)
                size += len(piece)
    except (BadFile, OSError) as error:
        yield f"{name} cannot be read: {getattr(error, 'detail', error)}"
        return
    if size != entry["bytes"]:
        yield f"{name} has {size:,} bytes; the manifest says {entry['bytes']:,}."
    elif digest.hexdigest() != entry["sha256"]:
        yield f"{name} is damaged: its hash differs from that in the manifest."


def _sums_differ(shards: Shards) -> Iterator[str]:
    manifest = shards.manifest
    files = [file for shard in manifest["shards"] for file in shard["files"]]
    for name in ("documents", "tokens"):
        total = sum(file[name] for file in files)
        if total != manifest[name]:
            yield f"The files have {total:,} {name}; the manifest says {manifest[name]:,}."
    for shard in manifest["shards"]:
        of_parts, of_files = (sum(one["documents"] for one in shard[name]) for name in ("parts", "files"))
        if of_parts != of_files:
            yield f"The parts of shard {shard['number']} have {of_parts:,} documents, and its files {of_files:,}."


def _tokenizer(shards: Shards, registry: Registry, report: VerificationReport) -> Tokenizer | None:
    said = shards.manifest["tokenizer"]
    try:
        if registry.sha256(said["id"]) != said["sha256"]:
            report.problems.append(f"The tokenizer {said['id']} of this machine has another hash than in the manifest.")
            return None
        return registry.get(said["id"])
    except TokenariumError as error:
        report.problems.append(f"The tokenizer {said['id']} is not known here: {error.detail}")
    return None


def _sample(shards: Shards, tokenizer: Tokenizer, report: VerificationReport, seed: int) -> None:
    """Decode documents of some parts, and compare them where their source is there and has not changed."""
    options = shards.manifest["options"]
    begin = 0
    parts = [part for shard in shards.manifest["shards"] for part in shard["parts"]]
    sources = {source["path"]: CorpusSource(**source) for source in shards.manifest["sources"]}
    firsts = np.cumsum([0, *(part["documents"] for part in parts)]).tolist()
    filled = [number for number, part in enumerate(parts) if part["documents"]]
    for number in sorted(Random(seed).sample(filled, min(PARTS, len(filled)))):
        part = parts[number]
        begin = firsts[number]
        step = max(1, part["documents"] // DOCUMENTS)
        rows = range(0, part["documents"], step)
        texts: Mapping[int, bytes] = {}
        try:
            if shards.manifest.get("chat"):
                raise BadFile("conversations are not rendered again.")
            reading = ReadContext(options["column"], "", options["invalid"])
            texts = _texts(SourcePart(sources[part["source"]], part["start"], part["end"]), reading, rows)
        except (TokenariumError, OSError) as error:
            note = f"Not compared with its source: {getattr(error, 'detail', error)}"
            report.notes += [note] if note not in report.notes else []
        for row in rows:
            _compare(shards, begin + row, tokenizer, texts.get(row), report)


def _texts(part: SourcePart, reading: ReadContext, rows: Sequence[int]) -> dict[int, bytes]:
    """Return documents of a part by their position. Raises what `batches` raises."""
    wanted = {*rows}
    texts = dict[int, bytes]()
    first = 0
    for batch in batches(part, reading):
        for row, document in enumerate(batch.documents, first):
            if row in wanted:
                texts[row] = document
        first += len(batch.documents)
    return texts


def _compare(shards: Shards, number: int, tokenizer: Tokenizer, text: bytes | None, report: VerificationReport) -> None:
    ids = shards[number].tolist()
    end = shards.manifest["end"]["id"]
    if end is not None and (not ids or ids.pop() != end):
        report.problems.append(f"Document {number:,} does not end with the token {end}.")
        return
    try:
        tokenizer.decode(ids)
        report.decoded += 1
    except TokenariumError as error:
        report.problems.append(f"Document {number:,} cannot be decoded: {error.detail}")
        return
    if text is not None:
        report.compared += 1
        special: SpecialPolicy = "parse" if shards.manifest["special_tokens_in_text"] == "parsed" else "text"
        if tokenizer.encode(text.decode(), special=special).ids.tolist() != ids:
            report.problems.append(f"Document {number:,} has other tokens than its text in the source.")
