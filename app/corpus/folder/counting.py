"""Count the tokens of listed files, each as one text: from the cache what has not changed, the rest on all cores."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from ...errors import TokenariumError
from ...settings import Settings
from ...types import SpecialPolicy
from ..addresses import describe_error
from ..documents import BATCH, MAX_DOCUMENT
from ..encoders import EncodingMismatch
from ..plan import MIN_FAST, Plan, get_encoders, prove_fast_engines
from ..results import FileResult, ResultCache
from ..running import Work, run
from ..ship import cache as cache_folder
from ..types import CorpusSource, is_utf8
from .listing import FolderFile
from .usage import UNREADABLE, Counted

PART_BYTES = 1 << 22
PART_FILES = 1000
"""Bytes and files of a part, at most, unless one file has more."""
SAMPLED = 100
SAMPLED_BYTES = 20_000
"""Files, from everywhere, of which none is larger, on which a faster engine must agree before it is used."""
BINARY_HEAD = 8000
"""First bytes of a file, of which git takes a NUL for a sign that it is binary."""
TOO_LARGE = f"larger than {MAX_DOCUMENT >> 20} MB"


def make_plan(
    settings: Settings,
    tokenizers: Sequence[str],
    files: Sequence[FolderFile],
    *,
    fast: bool = True,
    special: SpecialPolicy = "text",
) -> tuple[Plan, list[str]]:
    """Return how files are tokenized, with the faster engines that prove equal on some, and why others have not."""
    plan = Plan(settings, tuple(tokenizers), special=special)
    if not fast or sum(file.bytes for file in files) < MIN_FAST:
        return plan, []
    sample = [file for file in files[:: max(1, len(files) // SAMPLED)] if file.bytes <= SAMPLED_BYTES]
    sources = [CorpusSource(file.path, "text", file.bytes, "") for file in sample]
    return prove_fast_engines(plan, sources, cache_folder() / "engines")


@dataclass(frozen=True, slots=True)
class FilePart:
    """Files that a process counts together."""

    files: tuple[FolderFile, ...]

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


@dataclass(frozen=True, slots=True)
class PartResult:
    """The results of the files of a part, in their order, and where a faster engine was given up."""

    results: tuple[FileResult, ...]
    notes: tuple[str, ...] = ()


def divide(files: Sequence[FolderFile]) -> Iterator[FilePart]:
    """Yield files in parts of about `PART_BYTES`."""
    part = list[FolderFile]()
    size = 0
    for file in files:
        if part and (size + file.bytes > PART_BYTES or len(part) >= PART_FILES):
            yield FilePart(tuple(part))
            part = []
            size = 0
        part.append(file)
        size += file.bytes
    if part:
        yield FilePart(tuple(part))


def count_parts(
    plan: Plan,
    parts: Sequence[FilePart],
    executor: Executor | None,
    *,
    keys: Sequence[bytes] = (),
    cache: ResultCache | None = None,
    progress: Callable[[FilePart], object] = lambda part: None,
    workers: int = 2,
) -> Counted:
    """Yield each file with its result and the notes of its part; contents that are in the cache are not tokenized.

    Without an executor, this process counts.
    """
    do = partial(count_part, plan, keys, cache)
    work = Work(
        do=do, depends="", dump=lambda one: b"", load=lambda data: PartResult(()), complete=bool, make_failure=_fail
    )
    done = run(work, parts, executor, workers=workers) if executor else ((part, do(part)) for part in parts)
    for part, result in done:
        progress(part)
        yield from ((file, one, result.notes) for file, one in zip(part.files, result.results, strict=True))


def _fail(part: FilePart, error: Exception) -> PartResult:
    return PartResult(tuple(FileResult(b"", f"{UNREADABLE}{describe_error(error)}", ()) for _ in part.files))


def count_part(plan: Plan, keys: Sequence[bytes], cache: ResultCache | None, part: FilePart) -> PartResult:
    """Count the files of a part; one that cannot be counted has a reason instead. Runs in any process."""
    results: list[FileResult] = []
    notes: list[str] = []
    texts: dict[int, bytes] = {}
    held = 0
    for number, file in enumerate(part.files):
        data, why = read_text(file)
        hash = b"" if data is None else hashlib.blake2b(data, digest_size=16).digest()
        results.append(FileResult(hash, why, () if why else (0,) * len(plan.tokenizers)))
        if data and not why:
            texts[number] = data
            held += len(data)
        if held >= BATCH:
            _count_texts(plan, keys, cache, texts, results, notes)
            texts = {}
            held = 0
    _count_texts(plan, keys, cache, texts, results, notes)
    return PartResult(tuple(results), tuple(notes))


def read_text(file: FolderFile) -> tuple[bytes | None, str]:
    """Return the bytes of a file, None if it cannot be read, and why it is not counted."""
    if file.bytes > MAX_DOCUMENT:
        return None, TOO_LARGE
    try:
        with open(file.path, "rb") as opened:
            data = opened.read(MAX_DOCUMENT + 1)
    except OSError as error:
        return None, f"{UNREADABLE}{describe_error(error)}"
    if len(data) > MAX_DOCUMENT:
        return None, TOO_LARGE
    if b"\0" in data[:BINARY_HEAD]:
        return data, "binary"
    return data, "" if is_utf8(data) else "not UTF-8"


def _count_texts(
    plan: Plan,
    keys: Sequence[bytes],
    cache: ResultCache | None,
    texts: Mapping[int, bytes],
    results: list[FileResult],
    notes: list[str],
) -> None:
    """Set the results of texts, which are given by their place in the list."""
    known = cache.find_counts([results[number].hash for number in texts], keys) if cache and keys else {}
    unknown = dict[int, bytes]()
    for number, text in texts.items():
        if (tokens := known.get(results[number].hash)) is None:
            unknown[number] = text
        else:
            results[number] = replace(results[number], tokens=tokens)
    if not unknown:
        return
    fast = dict(plan.fast)
    columns = [_count_tokens(plan, id, fast.get(id), [*unknown.values()], notes) for id in plan.tokenizers]
    for number, row in zip(unknown, zip(*columns, strict=True), strict=True):
        why = next((one for one in row if isinstance(one, str)), "")
        tokens = () if why else tuple(int(one) for one in row)
        results[number] = FileResult(b"" if why else results[number].hash, why, tokens)


def _count_tokens(
    plan: Plan, id: str, fast: Path | None, texts: Sequence[bytes], notes: list[str]
) -> Sequence[int | str]:
    """Return the tokens of texts in a tokenizer, or why one of them cannot be tokenized."""
    encoder, reference = get_encoders(plan.settings, id, fast, plan.special)
    try:
        return [int(count) for count in np.diff(encoder.encode(texts)[1])]
    except EncodingMismatch as difference:
        notes.append(difference.note)
    except TokenariumError:
        pass  # of one of them, which is found out below
    counts: list[int | str] = []
    for text in texts:
        try:
            counts.append(len(reference.encode([text])[0]))
        except TokenariumError as error:
            counts.append(f"{UNREADABLE}{error.detail}")
    return counts
