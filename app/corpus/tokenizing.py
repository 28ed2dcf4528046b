"""Tokenize a corpus to shards of ids: the same bytes whatever the number of workers, and however often it was killed.

A shard is a fixed run of parts. Its worker writes its files and then a record of them; who begins the same again goes
on with the shards that have no record. At last the manifest has all records, with what could not be read.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..errors import BadFile, Invalid, TokenariumError, Unavailable, listed
from ..lab.special_roles import special_roles
from ..registry import Registry
from . import sinks
from .addresses import is_remote, local_path
from .encoders import Differs, Encoder
from .plan import Plan, encoders_of, registry_of
from .running import Work, run
from .shards import FOLDER, MANIFEST, Format, Rows, Shards, dtype_of, files, joined, read_manifest
from .sources import Part, Reading, Source, Unread, batches

SHARD = 1 << 26
"""Bytes of the parts of a shard, about."""
MAX_TOKENS = 1 << 24
"""Tokens of a file, about; a shard with more has several."""
DONE = "done"
"""The folder of the records of shards."""
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class End:
    """What is put behind each document: nothing, or the token with an id."""

    policy: str = "none"
    id: int | None = None
    token: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """What is written where: the plan has one tokenizer; `dtype` is that of the ids."""

    plan: Plan
    folder: str
    format: Format
    end: End
    dtype: str
    size: int = SHARD

    @property
    def tokenizer(self) -> str:
        return self.plan.tokenizers[0]


@dataclass(frozen=True, slots=True)
class Shard:
    """A run of parts, with its number among all."""

    number: int
    parts: tuple[Part, ...]


class Unreadable(Exception):
    """A part that cannot be read or tokenized, and why."""

    def __init__(self, part: Part, error: Exception) -> None:
        self.part, self.error = part, error


def job_of(plan: Plan, folder: str, format: Format, end: str, size: int = SHARD) -> Job:
    """Return a job. Raises `Invalid` for a tokenizer without fixed ids, and for an end that it lacks."""
    (id,) = plan.tokenizers
    registry = registry_of(plan.settings)
    info = registry.get(id).info
    if info.grows or not info.vocab_size:
        raise Invalid(f"{id} has no fixed vocabulary: its ids mean something else in each text.", pointer="/tokenizer")
    if not is_remote(folder):
        folder = os.path.abspath(local_path(folder))  # workers may have other working folders
    return Job(plan, folder, format, end_of(registry, id, end), dtype_of(format, info.vocab_size), size)


def end_of(registry: Registry, id: str, policy: str) -> End:
    """Return what ends a document: nothing for `none`, the token of the model's configuration for `eos`, or an id.

    >>> from tokenarium.settings import Settings
    >>> end_of(Registry(Settings()), "gpt2", "eos"), end_of(Registry(Settings()), "gpt2", "0").token
    (End(policy='eos', id=50256, token='<|endoftext|>'), '!')

    Raises `Invalid` if the tokenizer has none, or no token with this id.
    """
    if policy == "none":
        return End()
    tokenizer = registry.get(id)
    specials = {**tokenizer.info.special_tokens, **tokenizer.info.added_tokens}
    if policy == "eos":
        token = special_roles(tokenizer.info, registry.chat_template(id)).get("eos_token", "")
        if token not in specials:
            detail = f"{id} has no token that ends a text; --end is none, or the id of a token."
            raise Invalid(detail, pointer="/end")
        return End("eos", specials[token], token)
    if not policy.isdecimal():
        raise Invalid(f"--end is none, eos, or the id of a token, not {policy[:40]!r}.", pointer="/end")
    try:
        return End("id", int(policy), tokenizer.entry(int(policy)).piece)
    except TokenariumError as error:
        raise Invalid(f"{id} has no token with the id {policy[:20]}.", pointer="/end") from error


def shards_of(parts: Iterable[Part], size: int = SHARD) -> Iterator[Shard]:
    """Yield runs of parts of about so many bytes.

    >>> source = Source("a.txt", "lines", 25, "")
    >>> [len(one.parts) for one in shards_of([Part(source, at, at + 5) for at in range(0, 25, 5)], size=10)]
    [2, 2, 1]
    """
    held, taken, number = 0, list[Part](), 0
    for part in parts:
        taken.append(part)
        held += part.bytes
        if held >= size:
            yield Shard(number, tuple(taken))
            held, taken, number = 0, [], number + 1
    if taken:
        yield Shard(number, tuple(taken))


@dataclass(slots=True)
class _Writer:
    """Collects the documents of a shard, and writes a file whenever it has enough of them."""

    job: Job
    number: int
    ids: list[NDArray[Any]] = field(default_factory=list)
    lengths: list[NDArray[np.int64]] = field(default_factory=list)
    places: list[tuple[str, int, int, int]] = field(default_factory=list)
    tokens: int = 0
    files: list[Record] = field(default_factory=list)

    def add(self, part: Part, first: int, ids: NDArray[Any], offsets: NDArray[np.int64]) -> None:
        end = self.job.end.id
        if end is not None:
            ids = np.insert(ids, offsets[1:], end)
            offsets = offsets + np.arange(len(offsets))
        self.ids.append(ids.astype(self.job.dtype))
        self.lengths.append(np.diff(offsets))
        self.places.append((part.source.path, part.start, first, len(offsets) - 1))
        self.tokens += len(ids)
        if self.tokens >= MAX_TOKENS:
            self.flush()

    def flush(self) -> None:
        """Write what there is to a file, whole or not at all."""
        lengths = np.concatenate([np.zeros(0, np.int64), *self.lengths])
        if not len(lengths):
            return
        offsets = np.append(0, np.cumsum(lengths))
        ids = np.concatenate(self.ids)
        self.ids = []
        names: dict[str, Record] = {}
        for ending, pieces in files(self.job.format, Rows(ids, offsets, self.places), self.job.dtype).items():
            name, digest = f"{self.number:06}-{len(self.files):03}{ending}", hashlib.sha256()
            with sinks.opened(joined(self.job.folder, FOLDER, name)) as file:
                for piece in pieces:
                    file.write(piece)
                    digest.update(piece)
            names[name] = {"bytes": sum(map(len, pieces)), "sha256": digest.hexdigest()}
        self.files.append({"documents": len(lengths), "tokens": self.tokens, "names": names})
        self.lengths, self.places, self.tokens = [], [], 0


def _lost(job: Job, shard: Shard, error: Exception) -> Record:
    """Return the record of a shard of which processes die."""
    unread, parts = Unread(), list[Record]()
    for part in shard.parts:
        unread += Unread.of_part(part, error)
        parts.append({"source": part.source.path, "start": part.start, "end": part.end, "documents": 0})
    record = {"key": key_of(job, shard), "number": shard.number, "bytes": 0, "parts": parts, "files": []}
    return record | {"unread": asdict(unread)}


class _Encoded(NamedTuple):
    """The ids of a batch of documents, the offsets at which each begins, and the bytes of their texts."""

    ids: NDArray[Any]
    offsets: NDArray[np.int64]
    bytes: int


def tokenize_shard(job: Job, shard: Shard) -> Record:
    """Write the files of a shard and then its record, which is returned. Runs in any process.

    A part that cannot be read is left out whole, which the record says. Where a faster engine differs, the reference
    does the shard again. Raises `NoSpace` and `Unavailable` if the files cannot be written.
    """
    fast, unreadable, notes = dict(job.plan.fast), dict[Part, Exception](), list[str]()
    while True:
        try:
            record = _written(job, shard, fast, unreadable)
            break
        except Differs as difference:
            fast = {}
            notes.append(f"The faster engine gave other tokens for {str(difference)!r}; the reference did the shard.")
        except Unreadable as failure:
            unreadable[failure.part] = failure.error
    record |= {"notes": notes} if notes else {}
    sinks.write(joined(job.folder, DONE, f"{shard.number:06}.json"), dumps(record))
    return record


def _written(job: Job, shard: Shard, fast: Mapping[str, Path], unreadable: Mapping[Part, Exception]) -> Record:
    """Write the files of a shard. Raises `Differs`, `Unreadable`."""
    encoder, _ = encoders_of(job.plan.settings, job.tokenizer, fast.get(job.tokenizer))
    writer, unread, parts, size = _Writer(job, shard.number), Unread(), list[Record](), 0
    for part in shard.parts:
        count = 0
        if part in unreadable:
            unread += Unread.of_part(part, unreadable[part])
        else:
            reading = job.plan.reading()
            for rows in _encoded(part, reading, encoder):
                writer.add(part, count, rows.ids, rows.offsets)
                count += len(rows.offsets) - 1
                size += rows.bytes
            unread += reading.unread
        parts.append({"source": part.source.path, "start": part.start, "end": part.end, "documents": count})
    writer.flush()
    record = {"key": key_of(job, shard), "number": shard.number, "bytes": size, "parts": parts, "files": writer.files}
    return record if unread == Unread() else record | {"unread": asdict(unread)}


def _encoded(part: Part, reading: Reading, encoder: Encoder) -> Iterator[_Encoded]:
    """Yield the ids of the documents of a part, batch by batch. Raises `Differs`, `Unreadable`."""
    read = batches(part, reading)
    while True:
        try:
            batch = next(read, None)
            if batch is None:
                return
            ids, offsets = encoder.encode(batch.documents)
        except (TokenariumError, OSError) as error:
            raise Unreadable(part, error) from error
        yield _Encoded(ids, offsets, sum(map(len, batch.documents)))


def key_of(job: Job, shard: Shard) -> str:
    """Return a hash of all that the files of a shard depend on."""
    depends = [__version__, job.format, job.dtype, job.end.id, job.plan.depends(), repr(shard)]
    return hashlib.sha256(json.dumps(depends).encode()).hexdigest()


def dumps(data: Record) -> bytes:
    return json.dumps(data, indent=1).encode() + b"\n"


def tokenize(
    job: Job,
    found: Sequence[Source],
    todo: Iterable[Part],
    executor: Executor,
    *,
    unread: Unread | None = None,
    workers: int = 2,
    progress: Callable[[Part], None] = lambda part: None,
    again: bool = False,
) -> Record:
    """Tokenize parts of files to shards on an executor, and return the manifest, which is written last.

    What was done before is kept, unless all is to be done `again`. `unread` is what could not be read even to find its
    parts. Raises `Invalid` if the folder has something else.
    """
    shards, begun = [*shards_of(todo, job.size)], _head(job, found)
    before = _checked(job, begun)
    records = {} if again else _records(job, shards, before)
    sinks.write(joined(job.folder, MANIFEST), dumps(begun | {"shards": [*records.values()]}))
    for shard in (one for one in shards if one.number in records):
        for part in shard.parts:
            progress(part)
    lost = partial(_lost, job)
    work = Work(partial(tokenize_shard, job), "", dumps, json.loads, lambda record: not _failed(record), lost)
    left = (one for one in shards if one.number not in records)
    for shard, record in run(work, left, executor, workers=workers):
        records[shard.number] = record
        for part in shard.parts:
            progress(part)
    manifest = begun | _sums([*(records[one.number] for one in shards)], unread or Unread())
    written = [*sinks.listed(joined(job.folder, FOLDER))]
    names = Shards(job.folder, manifest).names()
    if missing := names.keys() - {_name(address) for address in written}:
        detail = f"{min(missing)} is not in {job.folder}. Workers elsewhere need a shared folder, or an address."
        raise Unavailable(detail)
    sinks.write(joined(job.folder, MANIFEST), dumps(manifest))
    _tidy(job, [address for address in written if _name(address) not in names])
    return manifest


def _head(job: Job, found: Sequence[Source]) -> Record:
    """Return the beginning of a manifest: all that the shards depend on, and by which versions they are made."""
    plan, tokenizer = job.plan, registry_of(job.plan.settings).get(job.tokenizer)
    return {
        "complete": False,
        "format": job.format,
        "dtype": job.dtype,
        "tokenarium": __version__,
        "tokenizer": {
            "id": job.tokenizer,
            "sha256": registry_of(plan.settings).sha256(job.tokenizer),
            "vocabulary": tokenizer.info.vocab_size,
            "engine": _versioned(tokenizer.engine),
            "faster": _versioned("gigatoken") if plan.fast else None,
        },
        "end": asdict(job.end),
        "special_tokens_in_text": "plain text",
        "options": {"column": plan.column, "invalid": plan.invalid, "shard_bytes": job.size},
        "sources": [asdict(source) for source in found],
    }


def _versioned(package: str) -> str:
    return f"tokenarium {__version__}" if package == "scratch" else f"{package} {version(package)}"


def _checked(job: Job, begun: Record) -> Record:
    """Return the manifest of the folder, {} if it is empty. Raises `Invalid` if it has shards of something else."""
    if not any(True for _ in sinks.listed(job.folder)):
        return {}
    try:
        before = read_manifest(job.folder)
    except BadFile as error:
        raise Invalid(f"{job.folder} has other files; give an empty folder.", pointer="/out") from error
    versions = {"tokenizer": {**before["tokenizer"], "faster": begun["tokenizer"]["faster"]}, "complete": False}
    different = [name for name in begun if {**before, **versions}.get(name) != begun[name]]
    if different:
        what = listed([name.replace("_", " ") for name in different])
        raise Invalid(f"{job.folder} has shards that differ in: {what}. Give an empty folder.", pointer="/out")
    return before


def _records(job: Job, shards: Sequence[Shard], manifest: Record) -> dict[int, Record]:
    """Return the records of the shards that are done, by number."""
    records: list[Record] = [*manifest.get("shards", ())]
    for address in sinks.listed(joined(job.folder, DONE)) if manifest else ():
        try:
            records.append(json.loads(sinks.read(address)))
        except ValueError:  # not whole
            continue
    keys = {shard.number: key_of(job, shard) for shard in shards}
    there = {_name(address) for address in sinks.listed(joined(job.folder, FOLDER))}
    return {
        record["number"]: record
        for record in records
        if keys.get(record["number"]) == record["key"]
        and not _failed(record)
        and there.issuperset(name for file in record["files"] for name in file["names"])
    }


def _failed(record: Record) -> bool:
    return bool(record.get("unread", {}).get("failed"))


def _sums(records: Sequence[Record], unread: Unread) -> Record:
    """Return the rest of a manifest: what all shards have together."""
    notes: list[str] = []
    for record in records:
        unread += Unread(**record.get("unread", {}))
        notes += [note for note in record.get("notes", ()) if note not in notes]
    files = [file for record in records for file in record["files"]]
    return {
        "complete": True,
        "documents": sum(file["documents"] for file in files),
        "tokens": sum(file["tokens"] for file in files),
        "bytes": sum(record["bytes"] for record in records),
        "unread": asdict(unread),
        "notes": notes,
        "shards": [*records],
    }


def _name(address: str) -> str:
    return address.rpartition("/")[2]


def _tidy(job: Job, left: Sequence[str]) -> None:
    """Delete the records, which the manifest has now, and what killed processes have left."""
    for address in [*left, *sinks.listed(joined(job.folder, DONE))]:
        sinks.remove(address)
    if not is_remote(job.folder):
        for path in Path(local_path(job.folder)).rglob("*.part"):
            path.unlink(missing_ok=True)
        shutil.rmtree(joined(local_path(job.folder), DONE), ignore_errors=True)
