"""How a corpus is read and tokenized: the columns, the tokenizers, and the faster engines that have proven equal."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, get_args

from ..errors import TokenariumError, Unavailable
from ..registry import get_registry
from ..settings import Settings
from ..types import SpecialPolicy
from .addresses import describe_error
from .encoders import (
    CHECKED,
    CheckedEncoder,
    Encoder,
    ReferenceEncoder,
    fast_encoder,
    fast_vocabulary,
    get_proven_encoder,
)
from .ship import cache, settings_here
from .sources import CorpusSource, Policy, ReadContext, batches, parts

By = Literal["", "file", "script", "column"]
BYS: tuple[By, ...] = get_args(By)
MIN_FAST = 1 << 22
"""Bytes of the smallest corpus for which a faster engine is loaded."""
FILE_BYTES = 200
"""Bytes of text that take the reference as long as a call of it, so that a file counts as no fewer."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is counted and how: the tokenizers, the columns, and the files of those that have a faster engine.

    With `details`, words are counted, and the documents that stand out are kept. `sent` is the hash of the tokenizers'
    files if it is done on a cluster: a worker uses these, and its own settings. `keep` are columns that go into shards.
    `special`: special tokens that documents spell are plain text, or parsed.
    """

    settings: Settings
    tokenizers: tuple[str, ...]
    column: str = "text"
    by: By = ""
    group: str = ""
    invalid: Policy = "refuse"
    fast: tuple[tuple[str, Path], ...] = ()
    sent: str | None = None
    details: bool = False
    keep: tuple[str, ...] = ()
    special: SpecialPolicy = "text"

    def __reduce__(self) -> tuple[Any, ...]:
        return _receive_plan, tuple(getattr(self, one.name) for one in fields(self))

    def make_read_context(self) -> ReadContext:
        """Return the options for reading documents, and the note of those that could not be read."""
        return ReadContext(self.column, self.group if self.by == "column" else "", self.invalid, keep=self.keep)

    def depends(self) -> str:
        """Return all that a result depends on beside its part, with the hashes of the tokenizers' files."""
        hashes = [(id, get_registry(self.settings).sha256(id)) for id in self.tokenizers]
        read = [self.column, self.by, self.group, self.invalid, self.details, self.keep, self.special]
        return json.dumps([*read, hashes])


def _receive_plan(settings: Settings, tokenizers: tuple[str, ...], *values: Any) -> Plan:
    """Return a plan in the process that it was sent to."""
    plan = Plan(settings, tokenizers, *values)
    if plan.sent is None:
        return plan
    fast = tuple((id, cache() / "engines" / path.name) for id, path in plan.fast)
    return replace(plan, settings=settings_here(plan.sent, settings), fast=fast)


@lru_cache(maxsize=16)
def get_encoders(
    settings: Settings, id: str, fast: Path | None, special: SpecialPolicy
) -> tuple[Encoder, ReferenceEncoder]:
    """Return the encoder that a process uses for a tokenizer, and the reference; both live as long as the process.

    A file for the faster engine that is not on this machine is made here; where there is no such engine, there is none.
    """
    registry = get_registry(settings)
    reference = ReferenceEncoder(registry.get(id), special)
    if fast and not fast.exists():
        fast = fast_vocabulary(registry, id, fast.parent)
    try:
        return CheckedEncoder(fast_encoder(fast, reference), reference) if fast else reference, reference
    except Unavailable:
        return reference, reference


def with_fast_engines(plan: Plan, found: Sequence[CorpusSource], folder: Path) -> tuple[Plan, list[str]]:
    """Return a plan that uses a faster engine where one agrees with the reference, and why one does not elsewhere.

    Its vocabularies are kept in a folder.
    """
    if sum(max(source.bytes, FILE_BYTES) for source in found) < MIN_FAST:
        return plan, []
    return prove_fast_engines(plan, found, folder)


def prove_fast_engines(plan: Plan, found: Sequence[CorpusSource], folder: Path) -> tuple[Plan, list[str]]:
    """Return the same for a corpus of any size, or a sample of one."""
    registry = get_registry(plan.settings)
    fast = list[tuple[str, Path]]()
    notes = list[str]()
    first = list(islice(first_documents(plan, found), CHECKED))
    for id in plan.tokenizers:
        try:
            path = fast_vocabulary(registry, id, folder)
            encoder, reference = get_encoders(plan.settings, id, path, plan.special)  # which forked processes have, too
            # which raises why not
            engine = encoder.fast if isinstance(encoder, CheckedEncoder) else fast_encoder(path, reference)
            why = get_proven_encoder(engine, reference, first, vocabulary=path)
        except TokenariumError as error:
            why = error.detail
        except OSError as error:  # a full disk, or a folder that is read-only
            why = f"The faster engine needs a file in {folder}: {describe_error(error)}."
        if why:
            notes.append(f"{id} is counted by its reference library. {why}")
        else:
            fast.append((id, path))
    return replace(plan, fast=tuple(fast)), notes


def first_documents(plan: Plan, found: Iterable[CorpusSource]) -> Iterator[bytes]:
    """Yield the documents of files that can be read."""
    reading = ReadContext(plan.column, "", "skip")
    for source in found:
        try:
            for batch in chain.from_iterable(batches(part, reading) for part in parts(source)):
                yield from batch.documents
        except (TokenariumError, OSError):  # the count itself says so
            continue
