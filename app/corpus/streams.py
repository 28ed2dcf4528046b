"""Windows of sources that are read from their beginning to their end: compressed files, tables, archives, whole files.

While one is read, a window is held of each run of some kilobytes of its text, drawn at random. What is held stands for
its run; the number of runs is bounded, so that what is held of any amount of text fits in memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from .cuts import CutRule, snap_bytes
from .lines import measure_sizes
from .sources import CorpusSource, ReadContext, batches, parts
from .windows import WINDOW, Pieces

RUN = 1 << 12
"""Bytes of the first runs at least; they double when there are more than `MOST`."""
MOST = 1 << 15
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


class StreamReader:
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
        self.read_bytes = source.bytes
        self._bytes = 0
        self._rule = rule
        self._random = random
        self._run = max(RUN, PACKED * every // MOST)
        self._held: list[HeldWindow] = []
        for batch in chain.from_iterable(batches(part, reading) for part in parts(source)):
            self._held += self._hold(batch.documents)
            while len(self._held) > MOST:
                self._thin()

    @property
    def size(self) -> float:
        return self._bytes

    @property
    def windows(self) -> int:
        return len(self._held)

    def read(self, numbers: Sequence[int]) -> Pieces:
        held = [self._held[number] for number in numbers]
        weights = np.array([one.weight for one in held])
        places = np.repeat(np.arange(len(held)), [len(one.pieces) for one in held])
        documents = [piece for one in held for piece in one.pieces]
        shares = np.array([share for one in held for share in one.shares]) * weights[places]
        sizes = np.array([one.size for one in held]) * weights
        rows = np.array([one.rows for one in held]) * weights
        return Pieces(documents, sizes, rows, places, np.arange(len(documents)), shares)

    def _hold(self, documents: Sequence[bytes]) -> Iterator[HeldWindow]:
        """Yield a window of each run of some documents."""
        ends = np.cumsum(measure_sizes(documents))
        size = int(ends[-1])
        self._bytes += size
        for start in range(0, size, self._run):
            windows = -(-(min(start + self._run, size) - start) // WINDOW)
            begin = start + int(self._random.integers(windows)) * WINDOW
            yield self._window(documents, ends, begin, min(begin + WINDOW, start + self._run, size), windows)

    def _window(
        self, documents: Sequence[bytes], ends: NDArray[np.int64], start: int, end: int, weight: float
    ) -> HeldWindow:
        pieces = list[bytes]()
        shares = list[float]()
        size = 0.0
        rows = 0
        number = int(np.searchsorted(ends, start, "right"))
        while start < end:
            document = documents[number]
            before = int(ends[number]) - len(document)
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
            number += 1
        return HeldWindow(pieces, shares, size, rows, weight)

    def _thin(self) -> None:
        """Keep one window of each two, which stands for both."""
        chosen = np.arange(0, len(self._held) - 1, 2) + self._random.integers(2, size=len(self._held) // 2)
        odd = self._held[len(self._held) & ~1 :]
        kept = [self._held[number] for number in chosen]
        self._held = [HeldWindow(one.pieces, one.shares, one.size, one.rows, 2 * one.weight) for one in kept] + odd
        self._run *= 2
