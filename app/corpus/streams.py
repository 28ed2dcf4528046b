"""Windows of sources that are read from their beginning to their end: compressed files, tables, archives, whole files.

While one is read, a window is held of each run of some kilobytes of its text, drawn at random. What is held stands for
its run; the number of runs is bounded, so that what is held of any amount of text fits in memory.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Generic, TypeVar

import numpy as np

from .cuts import REACH, CutRule, skip_character, snap_bytes
from .documents import batches, chunks
from .lines import LINE_END, measure_sizes
from .sources import parts
from .types import CorpusSource, ReadContext, SourcePart
from .windows import HELD, WINDOW, Pieces, WindowReader, split_lines

RUN = 1 << 12
"""Bytes of the first runs at least; they double when there are more than `MOST`."""
MOST = 1 << 16
PACKED = 4
"""Bytes of text for each byte of a file, about, and rather too many."""


@dataclass(frozen=True, slots=True)
class HeldWindow:
    """What is tokenized of a window, the share of each piece, its bytes, and the documents that begin in it.

    It stands for `weight` windows.
    """

    pieces: Sequence[bytes]
    shares: Sequence[float]
    size: float
    rows: int
    weight: float


@dataclass(frozen=True, slots=True)
class HeldText:
    """The text of a window, and whether it begins inside a line."""

    text: bytes
    inside: bool
    weight: float


Held = TypeVar("Held", HeldWindow, HeldText)


class Stream(ABC, Generic[Held]):
    """Reads the windows that it holds of a source, which is read when this is made. Raises what `batches` raises.

    `every` are the bytes of all such sources.
    """

    def __init__(
        self,
        source: CorpusSource,
        reading: ReadContext,
        rule: CutRule | None,
        random: np.random.Generator,
        every: int,
    ) -> None:
        self.held = HELD
        self.read_bytes = source.bytes
        self._source = source
        self._reading = reading
        self._bytes = 0
        self._rule = rule
        self._random = random
        self._run = max(RUN, PACKED * every // MOST)
        self._held: list[Held] = []
        for windows in chain.from_iterable(map(self._hold, parts(source))):
            self._held += windows
            while len(self._held) > MOST:
                self._thin()

    @property
    def size(self) -> float:
        return self._bytes

    @property
    def windows(self) -> int:
        return len(self._held)

    @abstractmethod
    def read(self, numbers: Sequence[int]) -> Pieces: ...

    @abstractmethod
    def _hold(self, part: SourcePart) -> Iterator[Iterable[Held]]:
        """Yield windows of the runs of some text, again and again."""

    def _draw(self, size: int) -> tuple[list[int], list[int], list[int]]:
        """Return starts and ends of one random window in each run of `size` bytes, and each run's number of windows."""
        self._bytes += size
        starts = np.arange(0, size, self._run)
        windows = -(-(np.minimum(starts + self._run, size) - starts) // WINDOW)
        begins = starts + self._random.integers(windows) * WINDOW
        ends = np.minimum(np.minimum(begins + WINDOW, starts + self._run), size)
        return begins.tolist(), ends.tolist(), windows.tolist()

    def _thin(self) -> None:
        """Keep one window of each two, which stands for both."""
        chosen = np.arange(0, len(self._held) - 1, 2) + self._random.integers(2, size=len(self._held) // 2)
        odd = self._held[len(self._held) & ~1 :]
        kept = [self._held[number] for number in chosen]
        self._held = [replace(one, weight=2 * one.weight) for one in kept] + odd
        self._run *= 2


class DocumentStream(Stream[HeldWindow]):
    """Holds windows of documents of any format."""

    def read(self, numbers: Sequence[int]) -> Pieces:
        held = [self._held[number] for number in numbers]
        weights = np.array([one.weight for one in held])
        places = np.repeat(np.arange(len(held)), [len(one.pieces) for one in held])
        documents = [piece for one in held for piece in one.pieces]
        shares = np.array([share for one in held for share in one.shares]) * weights[places]
        sizes = np.array([one.size for one in held]) * weights
        rows = np.array([one.rows for one in held]) * weights
        return Pieces(documents, sizes, rows, places, np.arange(len(documents)), shares)

    def _hold(self, part: SourcePart) -> Iterator[Iterable[HeldWindow]]:
        for batch in batches(part, self._reading):
            ends = np.cumsum(measure_sizes(batch.documents))
            begins, stops, windows = self._draw(int(ends[-1]))
            numbers = np.searchsorted(ends, begins, "right")
            before = (ends[numbers] - measure_sizes(batch.documents)[numbers]).tolist()
            yield map(partial(self._window, batch.documents), numbers.tolist(), before, begins, stops, windows)

    def _window(
        self, documents: Sequence[bytes], number: int, before: int, start: int, end: int, weight: float
    ) -> HeldWindow:
        """Return a window that begins in a document, before which there are some bytes."""
        pieces = list[bytes]()
        shares = list[float]()
        size = 0.0
        rows = 0
        while start < end:
            document = documents[number]
            first = start - before
            last = min(end - before, len(document))
            rows += first == 0
            if self._rule is None:
                pieces.append(document)
                shares.append((last - first) / len(document))
                size += last - first
            else:
                begin = snap_bytes(self._rule, document, first)
                stop = snap_bytes(self._rule, document, last)
                pieces.append(document[begin + (self._rule.drop and document[begin : begin + 1] == b" ") : stop])
                shares.append(1.0)
                size += stop - begin
            start = before + last
            before += len(document)
            number += 1
        return HeldWindow(pieces, shares, size, rows, weight)


class TextStream(Stream[HeldText]):
    """Holds windows of a text of which each line is a document; no other line of it is looked at."""

    def read(self, numbers: Sequence[int]) -> Pieces:
        held = [self._held[number] for number in numbers]
        weights = np.array([one.weight for one in held])
        texts = [one.text for one in held]
        inside = [one.inside for one in held]
        lines, places, rows = split_lines(texts, inside, self._rule, self._reading, self._source.path)
        sizes = np.array([len(text) for text in texts]) * weights
        return Pieces(lines, sizes, rows * weights, places, np.arange(len(lines)), weights[places])

    def _hold(self, part: SourcePart) -> Iterator[Iterable[HeldText]]:
        for chunk in chunks(part, self._reading):
            yield map(partial(self._window, chunk), *self._draw(len(chunk)))

    def _window(self, chunk: bytes, start: int, end: int, weight: float) -> HeldText:
        begin = self._find_border(chunk, start)
        text = chunk[begin : self._find_border(chunk, end)]
        return HeldText(text, bool(text) and begin > 0 and chunk[begin - 1] != LINE_END, weight)

    def _find_border(self, chunk: bytes, at: int) -> int:
        if not 0 < at < len(chunk):
            return at
        if self._rule and (found := self._rule.lines.search(chunk, at - 1, at + REACH)):
            return found.end()
        return skip_character(chunk, min(-(-at // REACH) * REACH, len(chunk)))


def make_stream(
    source: CorpusSource, reading: ReadContext, rule: CutRule | None, random: np.random.Generator, every: int
) -> WindowReader:
    """Return a reader that keeps random windows of a source while it is read once. Raises what `batches` raises."""
    kind = TextStream if source.format == "lines" and rule else DocumentStream
    return kind(source, reading, rule, random, every)
