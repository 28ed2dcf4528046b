"""What a folder is made of: the tokens of its files, from the cache or counted, added up by folder or extension."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Literal, get_args

from ...registry import Registry
from ...types import SpecialPolicy
from ..results import FileResult, ResultCache
from .listing import FileKind, FolderFile, FolderListing, SkippedFile, find_kind

UsageGroup = Literal["folder", "file", "extension"]
USAGE_GROUPS: tuple[UsageGroup, ...] = get_args(UsageGroup)
UsageOrder = Literal["tokens", "files", "bytes", "path"]
USAGE_ORDERS: tuple[UsageOrder, ...] = get_args(UsageOrder)
Counted = Iterable[tuple[FolderFile, FileResult, tuple[str, ...]]]
"""Files with their results, and the notes of the parts that they were counted in."""
UNREADABLE = "unreadable: "
"""The beginning of a reason that is an error, unlike "binary"."""


@dataclass(slots=True)
class TokenUsage:
    """Files that are shown on one row: their number, bytes, and tokens in each tokenizer; of one file, its path and
    the path that was named.

    Since a revision, bytes and tokens are those added, and may be negative.
    """

    name: str
    tokens: list[int]
    files: int = 0
    bytes: int = 0
    path: str = ""
    top: str = ""

    def add(self, other: "TokenUsage") -> None:
        self.files += other.files
        self.bytes += other.bytes
        self.tokens = [a + b for a, b in zip(self.tokens, other.tokens, strict=True)]


@dataclass(slots=True)
class FolderUsage:
    """The tokens of each file in some tokenizers, and the files that were not counted."""

    tokenizers: tuple[str, ...]
    files: list[TokenUsage] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def sum(self, files: Iterable[TokenUsage], name: str) -> TokenUsage:
        """Return files added up under a name."""
        total = TokenUsage(name, [0] * len(self.tokenizers))
        for file in files:
            total.add(file)
        return total

    @property
    def total(self) -> TokenUsage:
        return self.sum(self.files, "total")

    def of_kind(self, kind: FileKind) -> TokenUsage:
        """Return the files of a kind, which their names tell, added up."""
        return self.sum((file for file in self.files if find_kind(file.name) == kind), kind)

    def skipped_by_reason(self) -> Counter[str]:
        """Return the numbers of files that were skipped, by reason."""
        return Counter(one.why for one in self.skipped)

    def group(self, by: UsageGroup = "folder", *, depth: int = 1, order: UsageOrder = "tokens") -> list[TokenUsage]:
        """Return a row for each file, extension, or folder down to a depth and file that lies no deeper.

        >>> usage = FolderUsage(("gpt2",), [TokenUsage("a/b/c.py", [3], 1), TokenUsage("d.md", [4], 1)])
        >>> [(row.name, *row.tokens) for row in usage.group(depth=1)]
        [('d.md', 4), ('a/', 3)]
        >>> [row.name for row in usage.group("extension", order="path")]
        ['.md', '.py']
        """
        rows = dict[str, TokenUsage]()
        several = len({file.top for file in self.files}) > 1
        for file in self.files:
            for name in _names(file, by, depth, several):
                if name not in rows:
                    rows[name] = TokenUsage(name, [0] * len(self.tokenizers))
                rows[name].add(file)
        named = sorted(rows.values(), key=attrgetter("name"))
        if order == "path":
            return named
        return sorted(named, key=attrgetter(order), reverse=True)

    def subtract(self, before: "FolderUsage") -> "FolderUsage":
        """Return what was added since: of each file the tokens that it has more than before.

        >>> after = FolderUsage(("gpt2",), [TokenUsage("a", [3], 1, 9)])
        >>> before = FolderUsage(("gpt2",), [TokenUsage("a", [5], 1, 8), TokenUsage("b", [1], 1, 2)])
        >>> [(row.name, *row.tokens, row.bytes) for row in after.subtract(before).files]
        [('a', -2, 1), ('b', -1, -2)]
        """
        changes = {file.name: replace(file) for file in self.files}
        for file in before.files:
            lost = [-count for count in file.tokens]
            if file.name in changes:
                changes[file.name].add(TokenUsage(file.name, lost, 0, -file.bytes))
            else:
                changes[file.name] = replace(file, tokens=lost, bytes=-file.bytes)
        return replace(self, files=[*changes.values()], notes=[*dict.fromkeys([*self.notes, *before.notes])])


def find_extension(name: str) -> str:
    """Return the extension of a file, or its name if it has none.

    >>> find_extension("a/b.PY"), find_extension("a/Makefile"), find_extension(".gitignore")
    ('.py', 'Makefile', '.gitignore')
    """
    last = name.rpartition("/")[2]
    stem, dot, ending = last.rpartition(".")
    return f".{ending.lower()}" if dot and stem else last


def _names(file: TokenUsage, by: UsageGroup, depth: int, several: bool) -> Iterator[str]:
    """Yield the rows that a file belongs to; where several paths were named, each of them is one."""
    if by == "file":
        yield file.name
    elif by == "extension":
        yield find_extension(file.name)
    else:
        *folders, _ = file.name[len(file.top) :].split("/")
        if several and file.top != file.name and file.top:
            yield file.top
        at = file.top
        for folder in folders[:depth]:
            at += f"{folder}/"
            yield at
        if len(folders) < depth:
            yield file.name


def count_keys(registry: Registry, tokenizers: Iterable[str], special: SpecialPolicy) -> list[bytes]:
    """Return by tokenizer under which key its tokens are kept; empty for one whose files are not known."""
    return [_key(id, registry.record(id).spec, special) for id in tokenizers]


def _key(id: str, spec: Mapping[str, object], special: SpecialPolicy) -> bytes:
    described = json.dumps([id, spec, special], default=str, sort_keys=True).encode()
    return hashlib.sha256(described).digest()[:16] if spec else b""


def measure(
    listing: FolderListing,
    registry: Registry,
    tokenizers: Sequence[str],
    count: Callable[[Sequence[FolderFile], Sequence[bytes]], Counted],
    *,
    cache: ResultCache | None = None,
    tops: Iterable[str] = (),
    special: SpecialPolicy = "text",
) -> FolderUsage:
    """Return the tokens of listed files: of those below the folders `tops` that have not changed, from the cache.

    The others are given to `count`, with the keys of the tokenizers. Without `tops`, their paths are not kept.
    """
    keys = count_keys(registry, tokenizers, special)
    cache = cache if all(keys) else None
    known = cache.find_unchanged(listing.files, tops, keys) if cache and tops else {}
    usage = FolderUsage(tuple(tokenizers), skipped=[*listing.skipped], unreadable=[*listing.unreadable])
    fresh = [file for file in listing.files if file.path not in known]
    counted = list[tuple[FolderFile, FileResult]]()
    for file, result, notes in count(fresh, keys if cache else ()) if fresh else ():
        known[file.path] = result
        counted.append((file, result))
        usage.notes += [note for note in notes if note not in usage.notes]
    if cache and counted:
        cache.keep_files(counted, keys, paths=bool(tops))
    for file in listing.files:
        _add(usage, file, known[file.path])
    return usage


def _add(usage: FolderUsage, file: FolderFile, result: FileResult) -> None:
    if not result.why:
        usage.files.append(TokenUsage(file.name, [*result.tokens], 1, file.bytes, file.path, file.top))
    elif result.why.startswith(UNREADABLE):
        usage.unreadable.append(f"{file.name}: {result.why.removeprefix(UNREADABLE)}")
    else:
        usage.skipped.append(SkippedFile(file.name, result.why, file.bytes))
