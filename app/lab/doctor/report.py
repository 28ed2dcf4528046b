"""Examine untrusted files, in a worker: every tokenizer among them, every engine, every finding."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import BadFile, OverLimit, TokenariumError, Unavailable, join_names
from ...files.conversion import read_metadata
from ...files.detection import KINDS, TITLES, detect, detect_role
from ...files.json_objects import parse_once, read_json
from ...files.records import record_from_files
from ...registry import load
from ...store import Record
from ...types import Engine, Tokenizer
from ..tokenizers.adding import PROBE, unpack_files
from . import folder, gguf, text, vocabulary
from .engines import DoctorRow, columns, disagreements, side_by_side
from .findings import SEVERITIES, Check, ExaminedTokenizer, Finding, Severity, locate
from .samples import NASTY

CHECKS: tuple[Check, ...] = (
    vocabulary.find_gaps,
    folder.find_differences,
    vocabulary.find_other_ids,
    vocabulary.find_missing_bytes,
    vocabulary.find_respelled,
    folder.find_incorrect_regex,
    folder.find_lacking_rows,
    folder.find_broken_templates,
    folder.find_other_turn_end,
    vocabulary.find_merges_without_result,
    vocabulary.find_orphans,
    vocabulary.find_tokens_without_text,
    vocabulary.find_doubled_or_missing_edges,
    vocabulary.find_cleanup,
    vocabulary.find_legacy_spacing,
    vocabulary.find_two_for_one,
    vocabulary.find_switched_off,
    text.find_unknown_text,
    text.find_dropped_text,
    text.find_changed_text,
    text.find_catastrophic_patterns,
    text.find_failures,
    gguf.find_specials_as_text,
)
STATIC: tuple[Check, ...] = (
    vocabulary.find_merges_without_result,
    vocabulary.find_doubled_or_missing_edges,
    text.find_catastrophic_patterns,
)
"""The checks that need no engine."""
UNREADABLE = "Other findings may say why. If none does, export the file again from the library that wrote it."
OWN = "your text"
MAX_GAPS = 1_000_000
"""Ids without a token below the largest id; the checks go through all ids."""
MAX_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class EngineColumn:
    """One engine of one file."""

    file: str
    engine: str


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """What the doctor says: findings, the worst first, how every engine reads every text, and names for GGUF."""

    files: tuple[str, ...]
    findings: tuple[Finding, ...]
    columns: tuple[EngineColumn, ...]
    rows: tuple[DoctorRow, ...]
    fits: tuple[gguf.PreTokenizerFit, ...]

    @property
    def readable(self) -> bool:
        """True if an engine can read one of the files."""
        return bool(self.columns)

    @property
    def worst(self) -> Severity | None:
        return self.findings[0].severity if self.findings else None

    def count(self, severity: Severity) -> int:
        return sum(finding.severity == severity for finding in self.findings)


def examine(files: Mapping[str, bytes], *, text: str = "", pattern: str | None = None) -> DoctorReport:
    """Examine the files of one model. Raises `BadFile` if none of them is a tokenizer, `Invalid`, `OverLimit`.

    Raises `Unavailable` where a library that reads them is missing.

    If no engine can read them, the report has no columns, and the findings are those that the files alone give.
    """
    contents = unpack_files(files)
    subjects: list[ExaminedTokenizer] = []
    findings: list[Finding] = []
    for name, group in groups(contents):
        try:
            subject, warnings = load_subject(name, group, pattern)
        except (OverLimit, Unavailable):
            raise
        except TokenariumError as error:
            findings.append(Finding("unreadable", "error", error.detail, UNREADABLE, name))
            continue
        findings += warnings
        findings += [locate(one, subject) for one in run_checks(subject)]
        if subject.tokenizers:
            subjects.append(subject)
    texts = {**({OWN: text[:MAX_TEXT]} if text else {}), **NASTY}
    rows = side_by_side(subjects, texts)
    findings += disagreements(subjects, rows)
    findings.sort(key=lambda one: SEVERITIES.index(one.severity))
    table = tuple(EngineColumn(subject.file, tokenizer.engine) for subject, tokenizer in columns(subjects))
    fits = tuple(filter(None, map(gguf.fit_pre_tokenizer, subjects)))
    return DoctorReport(tuple(contents), tuple(findings), table, tuple(rows), fits)


FILE_TITLES: Mapping[str, str] = {
    **{str(kind): title for kind, title in TITLES.items()},
    "vocabulary": "a mapping from names to numbers, as in vocab.json and added_tokens.json",
    "merges": "merges.txt",
    "config": "tokenizer_config.json",
    "special_tokens_map": "special_tokens_map.json",
    "added_tokens": "added_tokens.json",
    "chat_template": "a chat template",
    "model_config": "the config.json of a model",
}
"""What a file is, by its kind or its role beside a tokenizer."""


def identify(files: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """Return each file, those of a zip in its place, with what it is, or why it is nothing known.

    >>> identify({"a.txt": b"", "config.json": b'{"model_type": "bert"}'})
    [('a.txt', 'The file is empty.'), ('config.json', 'It is the config.json of a model.')]
    """
    found = []
    for name, data in unpack_files(files).items():
        try:
            what = detect_role(data, name)
        except BadFile as error:
            found.append((name, error.detail))
        else:
            found.append((name, f"It is {FILE_TITLES[what]}."))
    return found


def groups(files: Mapping[str, bytes]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield each tokenizer among the files: the name of its main file, and it with the files beside it.

    Raises `BadFile` if there is none.
    """
    kinds = {name: kind for name, data in files.items() if (kind := _kind(data)) in KINDS}
    beside = {name: data for name, data in files.items() if name not in kinds}
    for name in kinds:
        yield name, {name: files[name], **beside}
    try:
        detected = detect(beside)
    except BadFile:
        if not kinds:
            raise
    else:
        yield detected.main, beside


def _kind(data: bytes) -> str:
    try:
        return detect_role(data)
    except BadFile:
        return ""


@parse_once()
def load_subject(name: str, files: Mapping[str, bytes], pattern: str | None) -> tuple[ExaminedTokenizer, list[Finding]]:
    """Return a tokenizer with every engine that can load it. Raises `BadFile`, `OverLimit`."""
    detected = detect({**files})
    if detected.main != name:  # its own parts would be another tokenizer, such as a vocab.json with merges.txt
        files = {key: data for key, data in files.items() if key not in (*detected.companions.values(), detected.main)}
        files = {**files, name: files[name]}
        detected = detect(files)
    record = record_from_files("examined", files, title=name, pattern=pattern or None)
    if record.info.gaps > MAX_GAPS:
        detail = f"The ids have {record.info.gaps:,} gaps; the doctor examines a file of at most {MAX_GAPS:,}."
        raise BadFile(detail, limit=MAX_GAPS)
    metadata = read_metadata(detected, files)
    document: Mapping[str, Any] = read_json(files[name]) if detected.kind == "tokenizer.json" else {}
    loaded, unable = load_engines(record)
    subject = ExaminedTokenizer(name, record, metadata, document, loaded, files, detected.companions)
    if not loaded:
        return subject, [Finding("unreadable", "error", next(iter(unable.values())), UNREADABLE, name)]
    details = [f"The engine {engine} cannot read the file. {detail}" for engine, detail in unable.items()]
    advice = "Use the other engine. Nothing checks its tokens against a second one."
    return subject, [Finding("engine-cannot-read", "warning", detail, advice, name) for detail in details]


def load_engines(record: Record) -> tuple[list[Tokenizer], dict[Engine, str]]:
    """Return the engines that can load a tokenizer, and why the others cannot.

    Those that fail on a sample text come last, so that checks ask one that does not. Raises `OverLimit`.
    """
    loaded: list[Tokenizer] = []
    unable: dict[Engine, str] = {}
    for engine in record.info.engines:
        try:
            loaded.append(load(record, engine))
        except OverLimit:
            raise
        except TokenariumError as error:
            unable[engine] = error.detail
    return sorted(loaded, key=_fails), unable


def _fails(tokenizer: Tokenizer) -> bool:
    try:
        tokenizer.encode(PROBE)
    except OverLimit:
        raise
    except TokenariumError:
        return True
    return False


def run_checks(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Yield the findings of every check."""
    ended: dict[str, list[str]] = {}
    for check in CHECKS if subject.tokenizers else STATIC:
        try:
            yield from check(subject)
        except OverLimit:
            raise
        except TokenariumError as error:  # a check could not be made, which is a finding by itself
            ended.setdefault(error.detail, []).append(check.__name__.removeprefix("find_").replace("_", " "))
    for detail, titles in ended.items():
        checks = f"The {'check' if len(titles) == 1 else 'checks'} for {join_names(titles)}"
        yield Finding("not-checked", "warning", f"{checks} ended early at a sample. {detail}")
