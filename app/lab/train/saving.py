"""Keep trained tokenizers: one folder each, named by its content, with every file that it can be downloaded as.

The result of a job is a folder, too, with the same files: they are written once, and copied from there.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unicodedata import normalize

from ...errors import NotAllowed, TokenariumError, UnknownFile, join_names
from ...jobs.job import Job
from ...registry import LOADERS, Registry
from ...settings import Settings
from ...store import Record
from ...types import TokenizerInfo, TrainedVocab
from ..languages.atlas import ENGLISH, count_column, dump_column
from ..languages.atlas import STORED as COUNTS
from ..languages.declarations import declarations, get_pinned_sha256
from ..tokenizers.saving import save
from .exports import CARD, FILES, Exports, record
from .metadata import (
    TrainingMetadata,
    check_title,
    dump_metadata,
    load_learned,
    load_metadata,
    model_card,
)
from .progress import TrainingProgress, measures
from .training import TrainingResult

METADATA = "account.json"
LEARNED = "learned.json"
"""In the result of a job: the vocabulary."""


@dataclass(frozen=True, slots=True)
class SavedTokenizer:
    """A kept tokenizer: its metadata, its bytes in all and by file, and why it has no files of other formats."""

    info: TokenizerInfo
    metadata: TrainingMetadata
    size: int
    files: Mapping[str, int]
    refusals: Mapping[str, str]

    @property
    def measures(self) -> list[tuple[str, str]]:
        """The metrics on held-out text, each a name and a value for people."""
        return measures(self.metadata.metrics) if self.metadata.metrics else []


def save_vocabulary(
    settings: Settings, learned: TrainedVocab, exports: Exports, metadata: TrainingMetadata, *, owner: str = ""
) -> str:
    """Keep a tokenizer and return its id. The same vocabulary under the same title is kept once.

    `owner` is the address of who keeps it, if known. Raises `NotAllowed` where the settings keep none, `NoSpace`,
    `LoneSurrogate`, and `Invalid` for a title that is empty or too long or a pre-tokenizer that no file can express.
    """
    if not settings.keep:
        raise NotAllowed("This server keeps no tokenizers; download the files instead.")
    metadata = replace(metadata, title=check_title(metadata.title))
    id = content_id(metadata.title, exports.files)
    save(settings, _record(settings, learned, exports, metadata, id), private=False, owner=owner)
    return id


def list_saved(registry: Registry) -> list[SavedTokenizer]:
    """Every trained tokenizer, in the order of their ids."""
    every = []
    for info in registry.list_trained():
        try:
            metadata, refusals = load_metadata(registry.file(info.id, METADATA))
            sizes = registry.files(info.id)
        except TokenariumError:  # another server deleted it meanwhile
            continue
        offered = {name: sizes[name] for name in (*FILES, CARD) if name in sizes}
        every.append(SavedTokenizer(info, metadata, sum(sizes.values()), offered, refusals))
    return every


def file(registry: Registry, id: str, name: str) -> bytes:
    """A file of a kept tokenizer. Raises `UnknownTokenizer`, and `UnknownFile` with the reason or the valid names."""
    if not registry.info(id).trained:
        raise UnknownFile("Only tokenizers that were trained here can be downloaded.")
    offered = [one for one in (*FILES, CARD) if one in registry.files(id)]
    if name not in offered:
        _, refusals = load_metadata(registry.file(id, METADATA))
        raise UnknownFile(f"{refusals.get(name, '')} Valid names are {join_names(offered)}.".strip())
    return registry.file(id, name)


def content_id(title: str, files: Mapping[str, bytes]) -> str:
    """An id: the ASCII letters and digits of the title, and twelve digits of the hash of title and files.

    >>> content_id("../../etc/passwd", {}), content_id("Été 2", {})[:6], content_id("你好", {})[:10]
    ('etc-passwd-3754d6cb3a38', 'ete-2-', 'tokenizer-')
    """
    digest = hashlib.sha256(title.encode())
    for name in sorted(files):
        digest.update(b"\0" + name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    plain = normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = re.sub("[^a-z0-9]+", "-", plain)[:40].strip("-") or "tokenizer"
    return f"{slug}-{digest.hexdigest()[:12]}"


def _record(settings: Settings, learned: TrainedVocab, exports: Exports, metadata: TrainingMetadata, id: str) -> Record:
    """The record to keep, with all files of its folder."""
    source = {"package": "trained here", "version": " ".join(next(reversed(metadata.versions.items())))}
    loaded = record(learned, exports, id=id, title=metadata.title, source=source)
    extras = {name: data for name, data in exports.files.items() if name not in loaded.spec["files"]}
    extras[CARD] = model_card(learned, metadata, exports.files).encode()
    extras[METADATA] = dump_metadata(metadata, exports.refusals)
    if (settings.store / COUNTS).exists():
        extras[COUNTS] = _counts(settings, loaded)
    return replace(loaded, data={**loaded.data, **extras})


def _counts(settings: Settings, loaded: Record) -> bytes:
    """The tokenizer's column of the language atlas."""
    texts = declarations(settings.store)
    tokenizer = LOADERS[loaded.info.engines[0]](loaded)
    column = count_column(tokenizer, list(texts.values()), texts[ENGLISH], sha256=loaded.sha256())
    return dump_column(column, get_pinned_sha256(settings.store))


def save_trained(title: str, settings: Settings, trained: TrainingResult) -> str:
    """Keep the outcome of a training. Raises what `save_vocabulary` raises."""
    metadata = _metadata(title, trained.started, trained.summary)
    return save_vocabulary(settings, trained.learned, trained.exports, metadata)


def save_job(title: str, settings: Settings, job: Job, *, owner: str = "") -> str:
    """Save the result of a job. Raises what `save_vocabulary` raises, and `Invalid` before the job has finished."""
    folder = job.result()
    progress = TrainingProgress.from_events(job.events())
    files = {name: (folder / name).read_bytes() for name in progress.files}
    metadata = _metadata(title, progress.started, progress.summary or {})
    id = save_vocabulary(settings, load_result(job), Exports(files, progress.refusals), metadata, owner=owner)
    job.append({"kind": "kept", "id": id})
    return id


def load_result(job: Job) -> TrainedVocab:
    """The vocabulary that a finished job learned. Raises `Invalid` before it has finished."""
    return load_learned((job.result() / LEARNED).read_bytes())


def job_file(job: Job, name: str) -> Path | bytes:
    """Where a file of a finished job is, or the card itself. Raises `UnknownFile`, and `Invalid` before its end."""
    folder = job.result()
    progress = TrainingProgress.from_events(job.events())
    if name == CARD:
        metadata = _metadata("A tokenizer", progress.started, progress.summary or {})
        return model_card(load_result(job), metadata, progress.files).encode()
    if name not in progress.files:
        valid = join_names([*progress.files, CARD])
        raise UnknownFile(f"{progress.refusals.get(name, '')} Valid names are {valid}.".strip())
    return folder / name


def _metadata(title: str, started: Mapping[str, Any], summary: Mapping[str, Any]) -> TrainingMetadata:
    """The metadata of a training, from its first event and its summary."""
    return TrainingMetadata(
        title,
        trainer=started["options"]["engine"],
        corpus=started["corpus"],
        corpus_sha256=started["sha256"],
        corpus_bytes=started["bytes"],
        settings=started["options"],
        metrics=summary["measured"],
        date=datetime.now(UTC).date().isoformat(),
    )
