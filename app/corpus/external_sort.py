"""Add up counts of words in bounded memory: what is too much is written to disk in sorted runs, which are merged."""

import heapq
import json
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, cast

import orjson

from ..errors import BadFile, from_disk
from .sinks import open_replacing

KIND = "tokenarium word counts"
ENTRY = 110
"""Bytes of a word in a `Counter` beside the string: its place in the table, and its count."""
SMALL = 1 << 26
"""Bytes of a sum that stays in memory while its words are learned from; a learner reads a larger one from its file."""
RUNS = 64
"""Runs that are merged at once: so many files are open."""


class WordCounts:
    """The sum of many counts of words.

    At most about `max_memory` bytes of it are in memory, the rest is in files of a `folder`, which belongs to it. Its
    methods raise what `from_disk` returns where these cannot be written.
    """

    def __init__(self, folder: Path, max_memory: int) -> None:
        self._folder = folder
        self._limit = max_memory // 2  # sorting needs as much again
        self._counts: Counter[str] = Counter()
        self._held = 0
        self._runs: list[Path] = []
        self._written = 0

    def add(self, counts: Mapping[str, int]) -> None:
        """Add counts."""
        if not counts:
            return
        before = len(self._counts)
        self._counts.update(counts)
        mean = sum(map(sys.getsizeof, counts)) / len(counts)
        self._held += int((len(self._counts) - before) * (mean + ENTRY))
        if self._held > self._limit:
            self._spill()

    def total(self) -> "Mapping[str, int]":
        """Return the sum: a `Counter`, or if it is large, one that reads a file whenever it is iterated."""
        if not self._runs and self._held <= SMALL:
            return self._counts
        if self._counts:
            self._spill()
        if len(self._runs) > 1:
            self._merge()
        return FileCounts(self._runs[0])

    def _spill(self) -> None:
        self._write(sorted(self._counts.items()))
        self._counts = Counter()
        self._held = 0
        if len(self._runs) >= RUNS:
            self._merge()

    def _merge(self) -> None:
        runs = self._runs
        self._runs = []
        with ExitStack() as stack:
            files = [stack.enter_context(run.open("rb")) for run in runs]
            self._write(_sum_rows(heapq.merge(*map(_rows, files))))
        for run in runs:
            run.unlink()

    def _write(self, rows: Iterable[tuple[str, int]]) -> None:
        path = self._folder / f"{self._written}.jsonl"
        self._written += 1
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                _write_rows(file, rows)
        except OSError as error:
            raise from_disk(error, f"Counted words cannot be written to {path}") from error
        self._runs.append(path)


def _sum_rows(rows: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Yield each word of sorted rows once.

    >>> [*_sum_rows([("a", 1), ("b", 2), ("b", 3)])]
    [('a', 1), ('b', 5)]
    """
    for word, alike in groupby(rows, key=itemgetter(0)):
        yield word, sum(map(itemgetter(1), alike))


def _rows(file: Iterable[bytes]) -> Iterator[tuple[str, int]]:
    """Yield words with their counts, one a line."""
    for line in file:
        word, count = orjson.loads(line)
        yield word, count


def _write_rows(file: IO[bytes], rows: Iterable[tuple[str, int]]) -> None:
    file.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


class FileCounts(Mapping[str, int]):
    """Counts of words in a file, which is read from its beginning whenever they are iterated.

    To look up a single word reads the file, too.
    """

    def __init__(self, path: Path, *, head: bool = False) -> None:
        self._path = path
        self._head = head
        with path.open("rb") as file:
            self._size = sum(1 for _ in file) - head

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[str]:
        return map(itemgetter(0), self._each())

    def __getitem__(self, word: str) -> int:
        for each, count in self._each():
            if each == word:
                return count
        raise KeyError(word)

    def items(self) -> Any:
        return _Sized(self, itemgetter(slice(None)))

    def values(self) -> Any:
        return _Sized(self, itemgetter(1))

    def _each(self) -> Iterator[tuple[str, int]]:
        with self._path.open("rb") as file:
            if self._head:
                file.readline()
            yield from _rows(file)


class _Sized(Collection[Any]):
    """The items or the counts of a file, each time read again."""

    def __init__(self, counts: FileCounts, part: "itemgetter[Any]") -> None:
        self._counts = counts
        self._part = part

    def __len__(self) -> int:
        return len(self._counts)

    def __iter__(self) -> Iterator[Any]:
        return map(self._part, self._counts._each())

    def __contains__(self, one: object) -> bool:
        return any(one == each for each in self)


def save_counts(path: str, counts: Mapping[str, int], about: Mapping[str, Any]) -> None:
    """Write counts to a file, sorted by word, below a line that says how the words were split.

    Raises `NoSpace`, `Unavailable`.
    """
    rows = counts.items() if isinstance(counts, FileCounts) else sorted(counts.items())
    with open_replacing(path) as file:
        file.write(json.dumps({"kind": KIND, "words": len(counts), **about}).encode() + b"\n")
        _write_rows(file, cast("Iterable[tuple[str, int]]", rows))


def read_counts(path: str) -> tuple[FileCounts, dict[str, Any]]:
    """Return the counts of a file that `save_counts` wrote, and what it says about them. Raises `BadFile`."""
    try:
        with Path(path).open("rb") as file:
            about = json.loads(file.readline(1 << 24))
        counts = FileCounts(Path(path), head=True)
        if about["kind"] == KIND and about["words"] == len(counts):
            return counts, about
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError):
        pass
    raise BadFile(f"{path} is no whole file of word counts that --keep-counts wrote.")
