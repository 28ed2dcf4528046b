"""What a worker does for shards of ids: it tokenizes a run of parts, writes their files, and then a record of them."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..errors import Invalid, TokenariumError
from ..lab.chat.templates import special_roles
from ..registry import Registry, get_registry
from . import sinks
from .addresses import is_remote, local_path
from .chat.counting import ChatPlan
from .chat.packing import MaskedRows, encode_part
from .encoders import Encoder, EncodingMismatch
from .plan import Plan, get_encoders
from .shards import CHAT_COLUMN, FOLDER, OWN_COLUMNS, Format, ShardRows, choose_dtype, files, join_address
from .sources import Batch, ReadContext, SourcePart, Unread, batches

SHARD = 1 << 26
"""Bytes of the parts of a shard, about."""
MAX_TOKENS = 1 << 24
"""Tokens of a file, about; a shard with more has several."""
DONE = "done"
"""The folder of the records of shards."""
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DocumentEnd:
    """What is put behind each document: nothing, or the token with an id."""

    policy: str = "none"
    id: int | None = None
    token: str = ""


@dataclass(frozen=True, slots=True)
class ShardJob:
    """What is written where: the plan has one tokenizer; `dtype` is that of the ids.

    With `chat`, the documents are conversations, rendered through a template.
    """

    plan: Plan
    folder: str
    format: Format
    end: DocumentEnd
    dtype: str
    size: int = SHARD
    chat: ChatPlan | None = None

    @property
    def tokenizer(self) -> str:
        return self.plan.tokenizers[0]


@dataclass(frozen=True, slots=True)
class Shard:
    """A run of parts, with its number among all."""

    number: int
    parts: tuple[SourcePart, ...]


class UnreadablePart(Exception):
    """A part that cannot be read or tokenized, and why."""

    def __init__(self, part: SourcePart, error: Exception) -> None:
        self.part = part
        self.error = error


def make_job(
    plan: Plan, folder: str, format: Format, end: str, size: int = SHARD, chat: ChatPlan | None = None
) -> ShardJob:
    """Return a job. Raises `Invalid` for a tokenizer without fixed ids, and for an end that it lacks."""
    if chat and (format == "megatron" or end != "none"):
        raise Invalid("Conversations have the ends that their template writes, and Megatron’s format has no masks.")
    (id,) = plan.tokenizers
    registry = get_registry(plan.settings)
    info = registry.get(id).info
    if info.grows or not info.vocab_size:
        raise Invalid(f"{id} has no fixed vocabulary: its ids mean something else in each text.", pointer="/tokenizer")
    if plan.keep and chat:
        raise Invalid("Columns are kept with texts, not with conversations.", pointer="/keep")
    if plan.keep and format != "parquet":
        raise Invalid(f"Columns are kept in Parquet alone; shards in {format} have ids.", pointer="/keep")
    if taken := {*plan.keep} & {*OWN_COLUMNS}:
        raise Invalid(f"Shards have a column {min(taken)!r} of their own.", pointer="/keep")
    if not is_remote(folder):
        folder = os.path.abspath(local_path(folder))  # workers may have other working folders
    return ShardJob(
        plan=plan,
        folder=folder,
        format=format,
        end=make_document_end(registry, id, end),
        dtype=choose_dtype(format, info.vocab_size),
        size=size,
        chat=chat,
    )


def make_document_end(registry: Registry, id: str, policy: str) -> DocumentEnd:
    """Return the ids that end a document: none for `none`, the token that ends a text for `eos`, or an id.

    >>> from tokenarium.settings import Settings
    >>> registry = Registry(Settings())
    >>> make_document_end(registry, "gpt2", "eos"), make_document_end(registry, "gpt2", "0").token
    (DocumentEnd(policy='eos', id=50256, token='<|endoftext|>'), '!')

    Raises `Invalid` if the tokenizer has none, or no token with this id.
    """
    if policy == "none":
        return DocumentEnd()
    tokenizer = registry.get(id)
    specials = {**tokenizer.info.special_tokens, **tokenizer.info.added_tokens}
    if policy == "eos":
        roles = special_roles(tokenizer.info, None)  # first those of texts: a chat template names the end of a turn
        roles = {**special_roles(tokenizer.info, registry.chat_template(id)), **roles}
        token = roles.get("eos_token", "")
        if token not in specials:
            detail = f"{id} has no token that ends a text; --end is none, or the id of a token."
            raise Invalid(detail, pointer="/end")
        return DocumentEnd("eos", specials[token], token)
    if not policy.isdecimal():
        raise Invalid(f"--end is none, eos, or the id of a token, not {policy[:40]!r}.", pointer="/end")
    try:
        return DocumentEnd("id", int(policy), tokenizer.entry(int(policy)).piece)
    except TokenariumError as error:
        raise Invalid(f"{id} has no token with the id {policy[:20]}.", pointer="/end") from error


def group_shards(parts: Iterable[SourcePart], size: int = SHARD) -> Iterator[Shard]:
    """Yield runs of parts of about so many bytes.

    >>> from tokenarium.corpus.types import CorpusSource
    >>> source = CorpusSource("a.txt", "lines", 25, "")
    >>> [len(one.parts) for one in group_shards([SourcePart(source, at, at + 5) for at in range(0, 25, 5)], size=10)]
    [2, 2, 1]
    """
    held = 0
    taken = list[SourcePart]()
    number = 0
    for part in parts:
        taken.append(part)
        held += part.bytes
        if held >= size:
            yield Shard(number, tuple(taken))
            held = 0
            taken = []
            number = number + 1
    if taken:
        yield Shard(number, tuple(taken))


class _EncodedBatch(NamedTuple):
    """A batch of documents, their ids, and the offsets at which each begins."""

    batch: Batch
    ids: NDArray[Any]
    offsets: NDArray[np.int64]

    @property
    def bytes(self) -> int:
        """The bytes of the documents."""
        return sum(map(len, self.batch.documents))


@dataclass(slots=True)
class _ShardWriter:
    """Collects the documents of a shard, and writes a file whenever it has enough of them."""

    job: ShardJob
    number: int
    ids: list[NDArray[Any]] = field(default_factory=list)
    lengths: list[NDArray[np.int64]] = field(default_factory=list)
    places: list[tuple[str, int, int, int]] = field(default_factory=list)
    rows: list[NDArray[np.int64]] = field(default_factory=list)
    kept: list[tuple[str | None, ...]] = field(default_factory=list)
    conversations: list[MaskedRows] = field(default_factory=list)
    tokens: int = 0
    files: list[Record] = field(default_factory=list)

    def add(self, part: SourcePart, first: int, rows: _EncodedBatch | MaskedRows) -> None:
        ids, offsets = rows.ids, rows.offsets
        end = self.job.end.id
        if end is not None:
            ids = np.insert(ids, offsets[1:], end)
            offsets = offsets + np.arange(len(offsets))
        self.ids.append(ids.astype(self.job.dtype))
        self.lengths.append(np.diff(offsets))
        self.places.append((part.source.path, part.start, first, len(offsets) - 1))
        if isinstance(rows, MaskedRows):
            self.conversations.append(rows)
        elif self.job.format == "parquet":
            self.rows.append(rows.batch.rows)
            self.kept += rows.batch.kept if self.job.plan.keep else ()
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
        masks = [rows.mask for rows in self.conversations]
        sizes = [rows.lengths for rows in self.conversations if rows.lengths is not None]
        rows = ShardRows(
            ids,
            offsets,
            self.places,
            mask=np.concatenate(masks) if masks else None,
            lengths=np.concatenate(sizes) if sizes else None,
            packed=[number for rows in self.conversations for number in rows.packed],
            rows=None if self.job.chat else np.concatenate([np.zeros(0, np.int64), *self.rows]),
            kept=dict(zip(self.job.plan.keep, zip(*self.kept, strict=True), strict=True)),
        )
        column = CHAT_COLUMN if self.job.chat else "ids"
        for ending, pieces in files(self.job.format, rows, self.job.dtype, column).items():
            name = f"{self.number:06}-{len(self.files):03}{ending}"
            digest = hashlib.sha256()
            with sinks.open_replacing(join_address(self.job.folder, FOLDER, name)) as file:
                for piece in pieces:
                    file.write(piece)
                    digest.update(piece)
            names[name] = {"bytes": sum(map(len, pieces)), "sha256": digest.hexdigest()}
        self.files.append({"documents": len(lengths), "tokens": self.tokens, "names": names})
        self.lengths = []
        self.conversations = []
        self.places = []
        self.rows = []
        self.kept = []
        self.tokens = 0


def record_lost_shard(job: ShardJob, shard: Shard, error: Exception) -> Record:
    """Return the record of a shard of which processes die."""
    unread = Unread()
    parts = list[Record]()
    for part in shard.parts:
        unread += Unread.of_part(part, error)
        parts.append({"source": part.source.path, "start": part.start, "end": part.end, "documents": 0, "rows": 0})
    record = {"key": hash_job(job, shard), "number": shard.number, "bytes": 0, "parts": parts, "files": []}
    return record | {"unread": asdict(unread)}


def tokenize_shard(job: ShardJob, shard: Shard) -> Record:
    """Write the files of a shard and then its record, which is returned. Runs in any process.

    A part that cannot be read is left out whole, which the record says. Where a faster engine differs, the reference
    does the shard again. Raises `NoSpace` and `Unavailable` if the files cannot be written.
    """
    fast = dict(job.plan.fast)
    unreadable = dict[SourcePart, Exception]()
    notes = list[str]()
    while True:
        try:
            record = _write_shard(job, shard, fast, unreadable)
            break
        except EncodingMismatch as difference:
            fast = {}
            notes.append(f"The faster engine gave other tokens for {str(difference)!r}; the reference did the shard.")
        except UnreadablePart as failure:
            unreadable[failure.part] = failure.error
    record |= {"notes": notes} if notes else {}
    sinks.write(join_address(job.folder, DONE, f"{shard.number:06}.json"), dumps(record))
    return record


def _write_shard(
    job: ShardJob, shard: Shard, fast: Mapping[str, Path], unreadable: Mapping[SourcePart, Exception]
) -> Record:
    """Write the files of a shard. Raises `EncodingMismatch`, `UnreadablePart`."""
    encoder, _ = get_encoders(job.plan.settings, job.tokenizer, fast.get(job.tokenizer), job.plan.special)
    writer = _ShardWriter(job, shard.number)
    unread = Unread()
    parts = list[Record]()
    size = 0
    for part in shard.parts:
        count = 0
        reading = job.plan.make_read_context()
        if part in unreadable:
            unread += Unread.of_part(part, unreadable[part])
        else:
            for rows in _encode_part(job, part, reading, encoder):
                writer.add(part, count, rows)
                count += len(rows.offsets) - 1
                size += rows.bytes
            unread += reading.unread
        where = {"source": part.source.path, "start": part.start, "end": part.end}
        parts.append({**where, "documents": count, "rows": reading.rows})
    writer.flush()
    record = {"key": hash_job(job, shard), "number": shard.number, "bytes": size, "parts": parts, "files": writer.files}
    return record if unread == Unread() else record | {"unread": asdict(unread)}


def _encode_part(
    job: ShardJob, part: SourcePart, reading: ReadContext, encoder: Encoder
) -> Iterator[_EncodedBatch | MaskedRows]:
    """Yield the ids of the documents of a part, batch by batch. Raises `EncodingMismatch`, `UnreadablePart`."""
    if job.chat:
        try:
            yield from encode_part(job.chat, part, reading)
        except (TokenariumError, OSError) as error:
            raise UnreadablePart(part, error) from error
        return
    read = batches(part, reading)
    while True:
        try:
            batch = next(read, None)
            if batch is None:
                return
            ids, offsets = encoder.encode(batch.documents)
        except (TokenariumError, OSError) as error:
            raise UnreadablePart(part, error) from error
        yield _EncodedBatch(batch, ids, offsets)


def hash_job(job: ShardJob, shard: Shard) -> str:
    """Return a hash of all that the files of a shard depend on."""
    depends = [__version__, job.format, job.dtype, job.end.id, job.plan.depends(), repr(shard)]
    depends += [job.chat.depends()] if job.chat else []
    return hashlib.sha256(json.dumps(depends).encode()).hexdigest()


def dumps(data: Record) -> bytes:
    return json.dumps(data, indent=1).encode() + b"\n"
