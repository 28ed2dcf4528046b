"""Count the tokens of a corpus part by part, on any executor, so that an interrupted count goes on where it ended.

The result of a part is kept in a folder under a key of everything it depends on: the file and its version, the range,
the tokenizers and their files, and how documents are read. Whoever counts the same again only reads it.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from .. import __version__
from ..errors import TokenariumError
from ..lab.vocabulary.columns import SCRIPTS, scripts_of
from ..registry import Registry
from ..settings import Settings
from .encoders import CHECKED, Checked, Differs, Encoder, Reference, fast_encoder, fast_vocabulary, proven
from .sources import Batch, Part, Policy, Reading, Source, batches, parts
from .tally import Tally

By = Literal["", "file", "script", "column"]
BYS: tuple[By, ...] = get_args(By)
TOTAL = ""
"""The group that all documents are in."""
MIN_FAST = 1 << 22
"""Bytes of the smallest corpus for which a faster engine is loaded."""
HEAD = 1000
"""Bytes of a document that tell its script."""
PENDING = 4
"""Parts for each worker that are submitted ahead."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is counted and how: the tokenizers, the columns, and the files of those that have a faster engine."""

    settings: Settings
    tokenizers: tuple[str, ...]
    column: str = "text"
    by: By = ""
    group: str = ""
    invalid: Policy = "refuse"
    fast: tuple[tuple[str, Path], ...] = ()

    def key(self, part: Part, hashes: Mapping[str, str]) -> str:
        """Return the name of a part's result; `hashes` has those of the tokenizers' files."""
        source = part.source
        reading = (self.column, self.by, self.group, self.invalid)
        tokenizers = [(id, hashes[id]) for id in self.tokenizers]
        place = (source.path, source.version, source.format, part.start, part.end)
        return hashlib.sha256(json.dumps([__version__, place, reading, tokenizers]).encode()).hexdigest()[:32]


@dataclass(slots=True)
class Counts:
    """The tallies of a corpus or of a part by group and tokenizer, and what was not read.

    `notes` says where a faster engine was given up; `failed` names parts that could not be read, with the cause.
    """

    groups: dict[str, dict[str, Tally]] = field(default_factory=dict)
    unread: int = 0
    replaced: int = 0
    problems: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def tally(self, group: str, tokenizer: str) -> Tally:
        return self.groups.setdefault(group, {}).setdefault(tokenizer, Tally())

    def __iadd__(self, other: "Counts") -> "Counts":
        for group, tallies in other.groups.items():
            for tokenizer, tally in tallies.items():
                mine = self.tally(group, tokenizer)
                mine += tally
        self.unread += other.unread
        self.replaced += other.replaced
        for name in ("problems", "failed", "notes"):
            mine_list: list[str] = getattr(self, name)
            mine_list += [one for one in getattr(other, name) if one not in mine_list]
        return self

    def dumped(self) -> dict[str, Any]:
        """Return it as plain data, from which `loaded` makes it again."""
        groups = {
            group: {tokenizer: tally.dumped() for tokenizer, tally in tallies.items()}
            for group, tallies in self.groups.items()
        }
        names = ("unread", "replaced", "problems", "failed", "notes")
        return {"groups": groups} | {name: getattr(self, name) for name in names}

    @classmethod
    def loaded(cls, data: Mapping[str, Any]) -> "Counts":
        groups = {
            group: {tokenizer: Tally.loaded(tally) for tokenizer, tally in tallies.items()}
            for group, tallies in data["groups"].items()
        }
        return cls(**{**data, "groups": groups})


def count_part(plan: Plan, part: Part) -> Counts:
    """Count the documents of a part; what cannot be read is said in the result. Runs in any process.

    A part on which a faster engine differs is counted by the references alone, which `notes` says.
    """
    try:
        return _counted(plan, part, dict(plan.fast))
    except Differs as difference:
        counts = _counted(plan, part, {})
        counts.notes.append(f"The faster engine gave other tokens for {str(difference)!r}; the reference counted.")
        return counts
    except (TokenariumError, OSError) as error:
        return Counts(failed=[f"{part.source.path}: {getattr(error, 'detail', '') or error}"])


def _counted(plan: Plan, part: Part, fast: Mapping[str, Path]) -> Counts:
    counts = Counts()
    reading = Reading(plan.column, plan.group if plan.by == "column" else "", plan.invalid)
    used = [(id, *_encoders(plan.settings, id, fast.get(id))) for id in plan.tokenizers]
    for batch in batches(part, reading):
        for group, documents in _grouped(plan, part, batch).items():
            sizes = sum(map(len, documents)), _characters(documents)
            for id, encoder, reference in used:
                _add(counts.tally(group, id), documents, sizes, encoder, reference)
    counts.unread, counts.replaced, counts.problems = reading.unread, reading.replaced, reading.problems
    return counts


def _grouped(plan: Plan, part: Part, batch: Batch) -> Mapping[str, list[bytes]]:
    """Return the documents of a batch by their group."""
    if plan.by in ("", "file"):
        return {part.source.path if plan.by else TOTAL: batch.documents}
    names = batch.groups
    if plan.by == "script":
        beginnings = [document[:HEAD].decode(errors="ignore") for document in batch.documents]
        names = [SCRIPTS[number] for number in scripts_of(beginnings).tolist()]
    groups: dict[str, list[bytes]] = {}
    for name, document in zip(names, batch.documents, strict=True):
        groups.setdefault(name, []).append(document)
    return groups


def _characters(documents: Sequence[bytes]) -> int:
    """Return the number of code points: of UTF-8, the bytes that do not continue one."""
    data = np.frombuffer(b"".join(documents), np.uint8)
    return int(np.count_nonzero((data & 0xC0) != 0x80))


def _add(
    tally: Tally, documents: Sequence[bytes], sizes: tuple[int, int], encoder: Encoder, reference: Reference
) -> None:
    ids, offsets = encoder.encode(documents)
    lengths = np.diff(offsets)
    tally.documents += len(documents)
    tally.bytes += sizes[0]
    tally.characters += sizes[1]
    tally.tokens += len(ids)
    marks = reference.marks
    if marks.any():
        marked = marks[ids]
        tally.unknown += int(np.count_nonzero(marked == 1))
        tally.fallback += int(np.count_nonzero(marked == 2))
    tally.longest = max(tally.longest, int(lengths.max(initial=0)))
    shifts = np.maximum(0, np.frexp(lengths.astype(np.float64))[1] - 8)  # as `tally.bucket` does
    values, numbers = np.unique(lengths >> shifts << shifts, return_counts=True)
    tally.lengths.update(dict(zip(values.tolist(), numbers.tolist(), strict=True)))


@lru_cache(maxsize=1)
def _registry(settings: Settings) -> Registry:
    return Registry(settings)


@lru_cache(maxsize=16)
def _encoders(settings: Settings, id: str, fast: Path | None) -> tuple[Encoder, Reference]:
    """Return the encoder that a process uses for a tokenizer, and the reference; both live as long as the process."""
    registry = _registry(settings)
    reference = Reference(registry.get(id))
    return Checked(fast_encoder(fast), reference) if fast else reference, reference


def with_fast_engines(plan: Plan, found: Sequence[Source], folder: Path) -> tuple[Plan, list[str]]:
    """Return a plan that uses a faster engine where one agrees with the reference, and why one does not elsewhere.

    Its vocabularies are kept in a folder.
    """
    if sum(source.bytes for source in found) < MIN_FAST:
        return plan, []
    registry, fast, notes = _registry(plan.settings), list[tuple[str, Path]](), list[str]()
    first = list(islice(_first_documents(plan, found), CHECKED))
    for id in plan.tokenizers:
        try:
            path = fast_vocabulary(registry, id, folder)
            why = proven(fast_encoder(path), Reference(registry.get(id)), first)
        except TokenariumError as error:
            why = error.detail
        if why:
            notes.append(f"{id} is counted by its reference library. {why}")
        else:
            fast.append((id, path))
    return replace(plan, fast=tuple(fast)), notes


def _first_documents(plan: Plan, found: Iterable[Source]) -> Iterator[bytes]:
    reading = Reading(plan.column, "", "skip")
    for source in found:
        try:
            for batch in chain.from_iterable(batches(part, reading) for part in parts(source)):
                yield from batch.documents
        except (TokenariumError, OSError):  # the count itself says so
            continue


def count(
    plan: Plan,
    todo: Sequence[Part],
    executor: Executor,
    *,
    results: Path | None = None,
    progress: Callable[[Part], None] = lambda part: None,
    workers: int = 2,
) -> Counts:
    """Count parts on an executor; those whose result is in the folder `results` are read from there.

    Whatever has been counted is kept there, also if this is interrupted. Parts that failed are counted again next time.
    """
    hashes = {id: _registry(plan.settings).sha256(id) for id in plan.tokenizers}
    total, waiting = Counts(), iter(todo)
    pending: dict[Future[Counts], tuple[Part, Path | None]] = {}
    exhausted = False
    while pending or not exhausted:
        while not exhausted and len(pending) < PENDING * workers:
            if (part := next(waiting, None)) is None:
                exhausted = True
                break
            path = results and results / f"{plan.key(part, hashes)}.json"
            if path and (known := _kept(path)):
                total += known
                progress(part)
            else:
                pending[executor.submit(count_part, plan, part)] = part, path
        total += _collected(pending, progress)
    return total


def _collected(pending: dict[Future[Counts], tuple[Part, Path | None]], progress: Callable[[Part], None]) -> Counts:
    """Wait for a part, and return the sum of those that are done."""
    total = Counts()
    done, _ = wait(pending, return_when=FIRST_COMPLETED) if pending else ((), ())
    for future in done:
        part, path = pending.pop(future)
        counts = future.result()
        if path and not counts.failed:
            keep(path, counts)
        total += counts
        progress(part)
    return total


def _kept(path: Path) -> Counts | None:
    try:
        return Counts.loaded(json.loads(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(path: Path, counts: Counts) -> None:
    """Write a result, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(counts.dumped()), encoding="utf-8")
    os.replace(part, path)


def totals(counts: Counts) -> dict[str, Tally]:
    """Return the tallies of all groups together, by tokenizer."""
    every: dict[str, Tally] = {}
    for tallies in counts.groups.values():
        for tokenizer, tally in tallies.items():
            mine = every.setdefault(tokenizer, Tally())
            mine += tally
    return every
