"""Tokenize a corpus to shards of ids: the same bytes whatever the number of workers, and however often it was killed.

A shard is a fixed run of parts. Its worker writes its files and then a record of them; who begins the same again goes
on with the shards that have no record. At last the manifest has all records, with what could not be read.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from .. import __version__
from ..errors import BadFile, Invalid, Unavailable, join_names
from ..registry import get_registry
from . import sinks
from .addresses import is_remote, local_path
from .chat.counting import ChatPlan
from .running import Work, run
from .shard_work import DONE, Record, Shard, ShardJob, dumps, group_shards, hash_job, record_lost_shard, tokenize_shard
from .shards import FOLDER, MANIFEST, Shards, join_address, read_manifest
from .sources import CorpusSource, SourcePart, Unread


def tokenize(
    job: ShardJob,
    found: Sequence[CorpusSource],
    todo: Iterable[SourcePart],
    executor: Executor,
    *,
    unread: Unread | None = None,
    workers: int = 2,
    progress: Callable[[SourcePart], None] = lambda part: None,
    again: bool = False,
) -> Record:
    """Tokenize parts of files to shards on an executor, and return the manifest, which is written last.

    What was done before is kept, unless all is to be done `again`. `unread` is what could not be read even to find its
    parts. Raises `Invalid` if the folder has something else.
    """
    shards = [*group_shards(todo, job.size)]
    begun = _head(job, found)
    before = _check_folder(job, begun)
    records = {} if again else _records(job, shards, before)
    sinks.write(join_address(job.folder, MANIFEST), dumps(begun | {"shards": [*records.values()]}))
    for shard in (one for one in shards if one.number in records):
        for part in shard.parts:
            progress(part)
    lost = partial(record_lost_shard, job)
    work = Work(
        do=partial(tokenize_shard, job),
        depends="",
        dump=dumps,
        load=json.loads,
        complete=lambda record: not _has_failed(record),
        make_failure=lost,
    )
    left = (one for one in shards if one.number not in records)
    for shard, record in run(work, left, executor, workers=workers, tick=getattr(progress, "tick", None)):
        records[shard.number] = record
        for part in shard.parts:
            progress(part)
    manifest = begun | _sums([*(records[one.number] for one in shards)], unread or Unread())
    written = [*sinks.list_files(join_address(job.folder, FOLDER))]
    names = Shards(job.folder, manifest).names()
    if missing := names.keys() - {_name(address) for address in written}:
        detail = f"{min(missing)} is not in {job.folder}. Workers elsewhere need a shared folder, or an address."
        raise Unavailable(detail)
    sinks.write(join_address(job.folder, MANIFEST), dumps(manifest))
    _tidy(job, [address for address in written if _name(address) not in names])
    return manifest


def _head(job: ShardJob, found: Sequence[CorpusSource]) -> Record:
    """Return the beginning of a manifest: all that the shards depend on, and by which versions they are made."""
    plan = job.plan
    tokenizer = get_registry(job.plan.settings).get(job.tokenizer)
    return {
        "complete": False,
        "format": job.format,
        "dtype": job.dtype,
        "tokenarium": __version__,
        "tokenizer": {
            "id": job.tokenizer,
            "sha256": get_registry(plan.settings).sha256(job.tokenizer),
            "vocabulary": tokenizer.info.vocab_size,
            "engine": _format_version(tokenizer.engine),
            "faster": _format_version("gigatoken") if plan.fast else None,
        },
        "end": asdict(job.end),
        "special_tokens_in_text": "parsed" if job.chat or plan.special == "parse" else "plain text",
        "chat": _describe_chat(job.chat) if job.chat else None,
        "options": {"column": plan.column, "invalid": plan.invalid, "shard_bytes": job.size, "keep": [*plan.keep]},
        "sources": [asdict(source) for source in found],
    }


def _describe_chat(chat: ChatPlan) -> Record:
    return {
        "template_sha256": sha256(chat.text.encode()).hexdigest(),
        "masks": "generation" if chat.marked else "prefixes",
        "context": max(chat.contexts, default=None),
        "packed": chat.packed,
        "columns": dict(chat.columns),
    }


def _format_version(package: str) -> str:
    return f"tokenarium {__version__}" if package == "scratch" else f"{package} {version(package)}"


def _check_folder(job: ShardJob, begun: Record) -> Record:
    """Return the manifest of the folder, {} if it is empty. Raises `Invalid` if it has shards of something else."""
    if not any(True for _ in sinks.list_files(job.folder)):
        return {}
    try:
        before = read_manifest(job.folder)
    except BadFile as error:
        raise Invalid(f"{job.folder} has other files; give an empty folder.", pointer="/out") from error
    versions = {"tokenizer": {**before["tokenizer"], "faster": begun["tokenizer"]["faster"]}, "complete": False}
    different = [name for name in begun if {**before, **versions}.get(name) != begun[name]]
    if different:
        what = join_names([name.replace("_", " ") for name in different])
        raise Invalid(f"{job.folder} has shards that differ in: {what}. Give an empty folder.", pointer="/out")
    return before


def _records(job: ShardJob, shards: Sequence[Shard], manifest: Record) -> dict[int, Record]:
    """Return the records of the shards that are done, by number."""
    records: list[Record] = [*manifest.get("shards", ())]
    for address in sinks.list_files(join_address(job.folder, DONE)) if manifest else ():
        try:
            records.append(json.loads(sinks.read(address)))
        except ValueError:  # not whole
            continue
    keys = {shard.number: hash_job(job, shard) for shard in shards}
    there = {_name(address) for address in sinks.list_files(join_address(job.folder, FOLDER))}
    return {
        record["number"]: record
        for record in records
        if keys.get(record["number"]) == record["key"]
        and not _has_failed(record)
        and there.issuperset(name for file in record["files"] for name in file["names"])
    }


def _has_failed(record: Record) -> bool:
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
        "rows": sum(part["rows"] for record in records for part in record["parts"]),
        "unread": asdict(unread),
        "notes": notes,
        "shards": [*records],
    }


def _name(address: str) -> str:
    return address.rpartition("/")[2]


def _tidy(job: ShardJob, left: Sequence[str]) -> None:
    """Delete the records, which the manifest has now, and what killed processes have left."""
    for address in [*left, *sinks.list_files(join_address(job.folder, DONE))]:
        sinks.remove(address)
    if not is_remote(job.folder):
        for path in Path(local_path(job.folder)).rglob("*.part"):
            path.unlink(missing_ok=True)
        shutil.rmtree(join_address(local_path(job.folder), DONE), ignore_errors=True)
