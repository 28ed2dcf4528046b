"""Lines of a text that comes in parts, so that a corpus of any size takes the memory of one line."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its line feed, by its number from 1; `data` is None for one over the limit, which is not kept."""

    number: int
    data: bytes | None


class Lines:
    """Cuts parts of a text, as they come, at line feeds. `limit` is in bytes.

    >>> lines = Lines(limit=3)
    >>> [*lines.feed(b"on"), *lines.feed(b"e\\nfour\\nt"), *lines.end()]
    [Line(number=1, data=b'one'), Line(number=2, data=None), Line(number=3, data=b't')]
    """

    def __init__(self, *, limit: int) -> None:
        self.limit = limit
        self.done = 0
        self._kept = bytearray()
        self._over = False

    def feed(self, part: bytes) -> Iterator[Line]:
        """The lines that end in this part; what follows them is kept, or skipped once it is over the limit."""
        *ended, rest = part.split(b"\n")
        for data in ended:
            self._keep(data)
            yield self._line()
        self._keep(rest)

    def end(self) -> Iterator[Line]:
        """The last line, where no line feed ends it."""
        if self._kept or self._over:
            yield self._line()

    def _keep(self, data: bytes) -> None:
        self._over = self._over or len(self._kept) + len(data) > self.limit
        if self._over:
            self._kept.clear()
        else:
            self._kept += data

    def _line(self) -> Line:
        data = None if self._over else bytes(self._kept)
        self._kept.clear()
        self._over = False
        self.done += 1
        return Line(self.done, data)


def batches(lines: Iterable[Line], *, size: int) -> Iterator[list[Line]]:
    """Lines in lists of about that many bytes.

    >>> [len(batch) for batch in batches([Line(i, b"abc") for i in range(5)], size=6)]
    [2, 2, 1]
    """
    batch: list[Line] = []
    held = 0
    for line in lines:
        batch.append(line)
        held += len(line.data or b"")
        if held >= size:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
