"""Split a stream of bytes into lines, so that a corpus of any size needs the memory of one line."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line without its line feed. `number` counts from 1; `data` is None if the line exceeds the limit."""

    number: int
    data: bytes | None


class LineSplitter:
    """Splits chunks of bytes at line feeds. `limit` is the maximum length of a line in bytes.

    >>> lines = LineSplitter(limit=3)
    >>> [*lines.feed(b"on"), *lines.feed(b"e\\nfour\\nt"), *lines.end()]
    [NumberedLine(number=1, data=b'one'), NumberedLine(number=2, data=None), NumberedLine(number=3, data=b't')]
    """

    def __init__(self, *, limit: int) -> None:
        self.limit = limit
        self.count = 0
        self._buffer = bytearray()
        self._too_long = False

    def feed(self, chunk: bytes) -> Iterator[NumberedLine]:
        """Yield the lines that end in this chunk; the rest of it is buffered."""
        *ends, rest = chunk.split(b"\n")
        for data in ends:
            self._append(data)
            yield self._line()
        self._append(rest)

    def end(self) -> Iterator[NumberedLine]:
        """Yield the last line if no line feed ends it."""
        if self._buffer or self._too_long:
            yield self._line()

    def _append(self, data: bytes) -> None:
        self._too_long = self._too_long or len(self._buffer) + len(data) > self.limit
        if self._too_long:
            self._buffer.clear()  # a line that is too long is counted, never total
        else:
            self._buffer += data

    def _line(self) -> NumberedLine:
        data = None if self._too_long else bytes(self._buffer)
        self._buffer.clear()
        self._too_long = False
        self.count += 1
        return NumberedLine(self.count, data)


def batches(lines: Iterable[NumberedLine], *, size: int) -> Iterator[list[NumberedLine]]:
    """Yield lines in lists of about `size` bytes.

    >>> [len(batch) for batch in batches([NumberedLine(i, b"abc") for i in range(5)], size=6)]
    [2, 2, 1]
    """
    batch: list[NumberedLine] = []
    total = 0
    for line in lines:
        batch.append(line)
        total += len(line.data or b"")
        if total >= size:
            yield batch
            batch = []
            total = 0
    if batch:
        yield batch
