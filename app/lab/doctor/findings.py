"""Findings of the doctor, what they are drawn from, and where in which file they lie, as line and column."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from ...files.conversion import Metadata
from ...files.detection import Role
from ...files.json_objects import JsonPlace, find_place
from ...files.spelling import Spelling
from ...files.targets import list_merges
from ...files.vocab_entries import list_entries
from ...store import Record
from ...types import Tokenizer, VocabEntry

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""Some texts lose something or get other tokens than the model was trained with · likely to surprise · to know."""
MAX_SAMPLES = 5
Path = tuple[str | int, ...]
MAX_SIZE = 64_000_000
"""Bytes of the largest file in which places are looked for."""


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
        return {entry.id: entry for entry in list_entries(self.tokenizers[0])}

    @property
    def size(self) -> int:
        return self.record.info.vocab_size or 0

    @property
    def model(self) -> Mapping[str, Any]:
        """The model of a tokenizer.json; else empty."""
        model = self.document.get("model")
        return model if isinstance(model, dict) else {}

    @cached_property
    def orphans(self) -> Sequence[str]:
        """The tokens of several characters that no merge makes, so that no text gives them."""
        vocabulary = self.model.get("vocab")
        if self.model.get("type") != "BPE" or not isinstance(vocabulary, dict) or self.model.get("ignore_merges"):
            return ()
        info = self.record.info
        known = {left + right for left, right in list_merges(self.model)} | {*info.special_tokens, *info.added_tokens}
        end = self.model.get("end_of_word_suffix") or ""
        return [
            token
            for token, id in vocabulary.items()
            if len(token.removesuffix(end)) > 1
            and token not in known
            and (id not in self.entries or self.entries[id].kind == "normal")
        ]

    @property
    def byte_level(self) -> bool:
        """True if each character of a token in the file spells one byte."""
        stages = [self.document.get("pre_tokenizer"), self.document.get("decoder")]
        return self.record.spec.get("ranks") is not None or any("'ByteLevel'" in repr(stage) for stage in stages)

    def spell(self, token: str) -> str:
        """Return a token of the file as pages spell it: `Ġthe` is ` the`."""
        return Spelling(byte_level=self.byte_level).entry(0, token).piece

    def spell_merge(self, left: str, right: str) -> str:
        """Return a merge as findings name it."""
        return f"{self.spell(left)} + {self.spell(right)}"

    @cached_property
    def spellings(self) -> Mapping[str, int]:
        """The ids of all tokens by their spelling."""
        return {entry.piece: id for id, entry in self.entries.items()} | dict(self.record.info.special_tokens)


Check = Callable[[ExaminedTokenizer], Iterator[Finding]]


def report_cases(
    code: str, severity: Severity, cases: Sequence[str], detail: str, remedy: str = "", file: str = ""
) -> Iterator[Finding]:
    """Yield the finding about some cases, of which the first few are its samples, each shortened; none for no case."""
    if cases:
        samples = tuple(case if len(case) <= 60 else f"{case[:57]}…" for case in cases[:MAX_SAMPLES])
        yield Finding(code, severity, detail, remedy, file, len(cases), samples)


def locate(finding: Finding, subject: ExaminedTokenizer) -> Finding:
    """Return a finding with the tokenizer that it is about, and the place in a file, where that is one."""
    beside, find = PLACES.get(finding.code, (False, lambda subject, finding: None))
    name = subject.companions.get("config", "") if beside else subject.file
    path = find(subject, finding)
    data = subject.sources.get(name, b"")
    if path is None or not data.lstrip().startswith(b"{") or len(data) > MAX_SIZE:
        return replace(finding, file=subject.file)
    place = find_place(data.decode("utf-8-sig", errors="replace"), path)
    return replace(finding, file=subject.file, place_file=name if place else "", place=place)


def _at(*path: str) -> Callable[[ExaminedTokenizer, Finding], Path | None]:
    return lambda subject, finding: path


def _find_token(subject: ExaminedTokenizer, finding: Finding) -> Path | None:
    """Return the place of the first sample in the vocabulary of a model."""
    vocabulary = subject.model.get("vocab")
    name = finding.samples[0] if finding.samples else ""
    if not isinstance(vocabulary, dict):
        return None
    return next((("model", "vocab", token) for token in vocabulary if subject.spell(token) == name), None)


def _find_merge(subject: ExaminedTokenizer, finding: Finding) -> Path | None:
    """Return the place of the first merge that is a sample, or that stands there again."""
    names = [subject.spell_merge(left, right) for left, right in list_merges(subject.model)]
    seen = set[str]()
    for index, name in enumerate(names):
        if name in finding.samples or (not finding.samples and name in seen):
            return ("model", "merges", index)
        seen.add(name)
    return None


def _find_setting(subject: ExaminedTokenizer, finding: Finding) -> Path | None:
    """Return the place of a special token in the config that is a sample."""
    named = [name for name, token in subject.metadata.variables.items() if token in finding.samples]
    return (named[0],) if named else None


def _find_added(subject: ExaminedTokenizer, finding: Finding) -> Path | None:
    """Return the place of the added token in the config that is a sample."""
    token = finding.samples[0].split(": ")[0]
    return ("added_tokens_decoder", str(subject.metadata.added[token])) if token in subject.metadata.added else None


PLACES: Mapping[str, tuple[bool, Callable[[ExaminedTokenizer, Finding], Path | None]]] = {
    "merge-makes-nothing": (False, _find_merge),
    "merge-repeated": (False, _find_merge),
    "orphans": (False, _find_token),
    "no-text-found": (False, _find_token),
    "repeated-token": (False, _find_token),
    "missing-bytes": (False, _at("model", "vocab")),
    "truncation": (False, _at("truncation")),
    "padding": (False, _at("padding")),
    "dropout": (False, _at("model", "dropout")),
    "catastrophic-pattern": (False, _at("pre_tokenizer")),
    "bos-twice": (False, _at("post_processor")),
    "special-not-in-vocabulary": (True, _find_setting),
    "token-only-beside": (True, _find_setting),
    "class-replaces-file": (True, _at("tokenizer_class")),
    "special-other-id": (True, _find_added),
    "bos-never": (True, _at("add_bos_token")),
    "eos-never": (True, _at("add_eos_token")),
    "bos-against-config": (True, _at("add_bos_token")),
    "eos-against-config": (True, _at("add_eos_token")),
    "clean-up-spaces": (True, _at("clean_up_tokenization_spaces")),
    "legacy": (True, _at("legacy")),
}
"""By code: whether the place is in the config beside the tokenizer, and which it is."""
