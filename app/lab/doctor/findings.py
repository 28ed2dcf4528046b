"""Findings of the doctor, and what they are drawn from."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from ...convert.metadata import Metadata
from ...errors import UnknownId
from ...formats.detection import Role
from ...formats.json_places import JsonPlace
from ...store import Record
from ...types import Tokenizer, VocabEntry

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""Some texts lose something or get other tokens than the model was trained with · likely to surprise · to know."""
MAX_SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """What is unusual about a tokenizer's files. `file` names the one; `samples` are the first of `count` cases.

    `place` is where the first of them lies in `place_file`, which is JSON.
    """

    code: str
    severity: Severity
    detail: str
    remedy: str = ""
    file: str = ""
    count: int = 1
    samples: tuple[str, ...] = ()
    place_file: str = ""
    place: JsonPlace | None = None


@dataclass(frozen=True)
class ExaminedTokenizer:
    """One tokenizer of the files: its main file, the record made of it, and every engine that can load it."""

    file: str
    record: Record
    metadata: Metadata
    document: Mapping[str, Any] = field(default_factory=dict)
    """The contents of a tokenizer.json; else empty."""
    tokenizers: Sequence[Tokenizer] = ()
    sources: Mapping[str, bytes] = field(default_factory=dict)
    companions: Mapping[Role, str] = field(default_factory=dict)
    """The files, and the names of those beside the main file by role."""

    @cached_property
    def entries(self) -> Mapping[int, VocabEntry]:
        """The vocabulary by id, without the ids that have no token."""
        return {entry.id: entry for id in range(self.size) if (entry := find_entry(self.tokenizers[0], id))}

    @property
    def size(self) -> int:
        return self.record.info.vocab_size or 0

    @property
    def model(self) -> Mapping[str, Any]:
        """The model of a tokenizer.json; else empty."""
        model = self.document.get("model")
        return model if isinstance(model, dict) else {}

    @cached_property
    def spellings(self) -> Mapping[str, int]:
        """The ids of all tokens by their spelling."""
        return {entry.piece: id for id, entry in self.entries.items()} | dict(self.record.info.special_tokens)


Check = Callable[[ExaminedTokenizer], Iterator[Finding]]


def find_entry(tokenizer: Tokenizer, id: int) -> VocabEntry | None:
    try:
        return tokenizer.entry(id)
    except UnknownId:
        return None


def samples(items: Sequence[str]) -> tuple[str, ...]:
    """Return the first few, each shortened."""
    return tuple(item if len(item) <= 60 else f"{item[:57]}…" for item in items[:MAX_SAMPLES])
