"""Row groups of Parquet as windows: what a file says of their sizes lets a few of very many stand for all."""

from collections.abc import Sequence

import numpy as np

from ..errors import TokenariumError
from .arrow import parquet_sizes
from .documents import UNREADABLE, batches
from .sources import parts
from .types import CorpusSource, ReadContext
from .windows import Pieces, WindowReader

LARGEST = 1 << 28
"""Bytes of text of a row group that is read at once, at most."""


class GroupReader:
    """Reads row groups of a Parquet file, which has some bytes of text in each before compression."""

    held = 1

    def __init__(self, source: CorpusSource, reading: ReadContext, sizes: Sequence[int]) -> None:
        self.read_bytes = 0
        self.windows = len(sizes)
        self.size = float(sum(sizes))
        self._parts = [*parts(source)]
        self._reading = reading
        self._sizes = sizes

    def read(self, numbers: Sequence[int]) -> Pieces:
        documents = list[bytes]()
        rows = list[int]()
        for number in numbers:
            before = len(documents)
            for batch in batches(self._parts[number], self._reading):
                documents += batch.documents
            rows.append(len(documents) - before)
            self.read_bytes += self._parts[number].bytes
        sizes = np.array([self._sizes[number] for number in numbers], float)
        places = np.repeat(np.arange(len(numbers)), rows)
        return Pieces(
            documents, sizes, np.array(rows, float), places, np.arange(len(documents)), np.ones(len(documents))
        )


def group_readers(
    sources: Sequence[CorpusSource], reading: ReadContext, fewest: int
) -> list[tuple[CorpusSource, WindowReader]]:
    """Return what reads the row groups of sources; nothing where they are few or large, or not all can be read so."""
    if not all(one.format == "parquet" and one.ranges and not one.compression for one in sources):
        return []
    try:
        sizes = [parquet_sizes(source, reading.column) for source in sources]
        if sum(map(len, sizes)) < fewest or max(map(max, filter(None, sizes))) > LARGEST:
            return []
        return [(source, GroupReader(source, reading, some)) for source, some in zip(sources, sizes, strict=True)]
    except (TokenariumError, *UNREADABLE):  # reported when the file is read whole
        return []
