"""Count the documents, characters, bytes and tokens of a corpus in several tokenizers, by group, on any executor."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import TokenariumError
from ..lab.vocabulary.columns import SCRIPTS, classify_scripts
from .counts import MIN_BYTES, DocumentCounts, Outlier, Outliers, head, scores
from .encoders import EncodingMismatch, ReferenceEncoder, Rows
from .lines import count_white_space_words, measure_size, measure_sizes
from .plan import Plan, get_encoders
from .results import ResultCache
from .running import sum_results
from .sources import Batch, SourcePart, Unread, batches

TOTAL = ""
"""The group that all documents are in."""
HEAD = 1000
"""Bytes of a document that tell its script."""


@dataclass(slots=True)
class CorpusCounts:
    """The tallies of a corpus or of a part by group and tokenizer, and what was not read.

    `notes` says where a faster engine was given up. `outliers` has the documents that stand out by tokenizer and kind,
    if the plan asks for details.
    """

    groups: dict[str, dict[str, DocumentCounts]] = field(default_factory=dict)
    unread: Unread = field(default_factory=Unread)
    notes: list[str] = field(default_factory=list)
    outliers: dict[str, dict[str, Outliers]] = field(default_factory=dict)

    def get_counts(self, group: str, tokenizer: str) -> DocumentCounts:
        return self.groups.setdefault(group, {}).setdefault(tokenizer, DocumentCounts())

    def __iadd__(self, other: "CorpusCounts") -> "CorpusCounts":
        for group, tallies in other.groups.items():
            for tokenizer, tally in tallies.items():
                mine = self.get_counts(group, tokenizer)
                mine += tally
        self.unread += other.unread
        self.notes += [note for note in other.notes if note not in self.notes]
        for tokenizer, kinds in other.outliers.items():
            for kind, extremes in kinds.items():
                kept = self.outliers.setdefault(tokenizer, {}).setdefault(kind, Outliers())
                kept += extremes
        return self

    def dump(self) -> dict[str, Any]:
        """Return it as plain data, from which `load` makes it again."""
        groups = {
            group: {tokenizer: tally.dump() for tokenizer, tally in tallies.items()}
            for group, tallies in self.groups.items()
        }
        extremes = {
            tokenizer: {kind: [[*one] for one in extremes.documents] for kind, extremes in kinds.items()}
            for tokenizer, kinds in self.outliers.items()
        }
        return {"groups": groups, "unread": asdict(self.unread), "notes": self.notes, "extremes": extremes}

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> "CorpusCounts":
        groups = {
            group: {tokenizer: DocumentCounts.load(tally) for tokenizer, tally in tallies.items()}
            for group, tallies in data["groups"].items()
        }
        extremes = {
            tokenizer: {kind: Outliers([Outlier(*one) for one in kept]) for kind, kept in kinds.items()}
            for tokenizer, kinds in data["extremes"].items()
        }
        return cls(groups, Unread(**data["unread"]), data["notes"], extremes)


def count_part(plan: Plan, part: SourcePart) -> CorpusCounts:
    """Count the documents of a part; what cannot be read is said in the result. Runs in any process.

    A part on which a faster engine differs is counted by the references alone, which `notes` says.
    """

    def count(fast: Mapping[str, Path]) -> CorpusCounts:
        reading = plan.make_read_context()
        counts = _count_batches(plan, part.source.path, batches(part, reading), fast)
        counts.unread = reading.unread
        return counts

    try:
        return _count_checked(plan, count)
    except (TokenariumError, OSError) as error:
        return CorpusCounts(unread=Unread.of_part(part, error))


def count_parts_together(plan: Plan, parts: Sequence[SourcePart]) -> CorpusCounts | None:
    """Count small files as if they were one, unless each has a group or details of its own. Runs in any process.

    Where one of the documents cannot be tokenized, each has to be counted alone, too.
    """
    if len(parts) == 1 or plan.by == "file" or plan.details:
        return None
    counts = CorpusCounts()
    whole = Batch([], [])
    for part in parts:
        reading = plan.make_read_context()
        try:
            read = [*batches(part, reading)]
        except (TokenariumError, OSError) as error:
            counts.unread += Unread.of_part(part, error)
            continue
        counts.unread += reading.unread
        whole.documents = [*chain(whole.documents, *(one.documents for one in read))]
        whole.groups = [*chain(whole.groups, *(one.groups for one in read))]
    try:
        counts += _count_checked(plan, partial(_count_batches, plan, "", [whole]))
    except TokenariumError:
        return None
    return counts


def _count_checked(plan: Plan, count: Callable[[Mapping[str, Path]], CorpusCounts]) -> CorpusCounts:
    """Return counts by the faster engines, or by the reference engines if one of the faster differs from its own."""
    try:
        return count(dict(plan.fast))
    except EncodingMismatch as difference:
        counts = count({})
        counts.notes.append(difference.note)
        return counts


def _count_batches(plan: Plan, path: str, read: Iterable[Batch], fast: Mapping[str, Path]) -> CorpusCounts:
    counts = CorpusCounts()
    used = [(id, *get_encoders(plan.settings, id, fast.get(id), plan.special)) for id in plan.tokenizers]
    for batch in read:
        for group, documents in _group_documents(plan, path, batch).items():
            sizes = measure_size(documents)
            words = count_white_space_words(documents) if plan.details else 0
            rows = [encoder.encode(documents) for _, encoder, _ in used] if plan.details else []
            for number, (id, encoder, reference) in enumerate(used):
                ids, offsets = rows[number] if rows else encoder.encode(documents)
                tally = counts.get_counts(group, id)
                _add(tally, documents=len(documents), sizes=sizes, ids=ids, offsets=offsets, reference=reference)
                tally.words += words
                if plan.details:
                    _add_outliers(
                        counts,
                        id=id,
                        path=path,
                        documents=documents,
                        rows=(ids, offsets),
                        first=rows[0],
                        reference=reference,
                    )
    return counts


def _group_documents(plan: Plan, path: str, batch: Batch) -> Mapping[str, Sequence[bytes]]:
    """Return the documents of a batch by their group."""
    if plan.by in ("", "file"):
        return {path if plan.by else TOTAL: batch.documents}
    names = batch.groups
    if plan.by == "script":
        beginnings = [document[:HEAD].decode(errors="ignore") for document in batch.documents]
        names = [SCRIPTS[number] for number in classify_scripts(beginnings).tolist()]
    groups: dict[str, list[bytes]] = {}
    for name, document in zip(names, batch.documents, strict=True):
        groups.setdefault(name, []).append(document)
    return groups


def _add(
    tally: DocumentCounts,
    documents: int,
    sizes: tuple[int, int],
    ids: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    reference: ReferenceEncoder,
) -> None:
    lengths = np.diff(offsets)
    tally.documents += documents
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


def _add_outliers(
    counts: CorpusCounts,
    id: str,
    path: str,
    documents: Sequence[bytes],
    rows: Rows,
    first: Rows,
    reference: ReferenceEncoder,
) -> None:
    """Keep the documents that stand out, also by the ratio of their tokens to those of the first tokenizer."""
    sizes = measure_sizes(documents)
    lengths = np.diff(rows[1])
    base = np.diff(first[1])
    kinds = dict(scores(*rows, sizes, reference.marks))
    if rows[1] is not first[1]:
        kinds["more"] = np.where(sizes >= MIN_BYTES, lengths / np.maximum(base, 1), 0.0)
        kinds["fewer"] = np.where((sizes >= MIN_BYTES) & (lengths > 0), base / np.maximum(lengths, 1), 0.0)
    for kind, found in kinds.items():

        def one(row: int, found: NDArray[np.float64] = found) -> Outlier:
            size = int(sizes[row])
            tokens = int(lengths[row])
            return Outlier(float(found[row]), head(documents[row]), path, size, tokens)

        counts.outliers.setdefault(id, {}).setdefault(kind, Outliers()).add(found, one)


def count(
    plan: Plan,
    todo: Iterable[SourcePart],
    executor: Executor,
    *,
    results: ResultCache | None = None,
    progress: Callable[[SourcePart], None] = lambda part: None,
    workers: int = 2,
) -> CorpusCounts:
    """Count parts on an executor; those whose result is in `results` are read from there."""
    return sum_results(
        CorpusCounts,
        partial(count_part, plan),
        plan.depends(),
        todo,
        executor,
        together=partial(count_parts_together, plan),
        saved=results,
        progress=progress,
        workers=workers,
    )


def totals(counts: CorpusCounts) -> dict[str, DocumentCounts]:
    """Return the tallies of all groups together, by tokenizer."""
    every: dict[str, DocumentCounts] = {}
    for tallies in counts.groups.values():
        for tokenizer, tally in tallies.items():
            mine = every.setdefault(tokenizer, DocumentCounts())
            mine += tally
    return every
