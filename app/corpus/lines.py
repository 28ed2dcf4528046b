"""The lines of a text as documents, found with numpy: a corpus of lines is counted without an object for each."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

LINE_END = ord("\n")
SPACES = np.isin(np.arange(256), [*b" \t\n\v\f\r"])
"""By byte, whether it is white space."""


class LineDocuments(Sequence[bytes]):
    r"""The lines of UTF-8 without their ends; empty ones are left out. `\n` and `\r\n` end a line.

    >>> [*LineDocuments(b"a\n\nbc\r\n")]
    [b'a', b'bc']
    >>> LineDocuments("é\n".encode()).characters
    1
    """

    def __init__(self, data: bytes) -> None:
        self.text = data.replace(b"\r\n", b"\n").removesuffix(b"\r") if b"\r" in data else data
        ends = np.flatnonzero(np.frombuffer(self.text, np.uint8) == LINE_END)
        if self.text and not self.text.endswith(b"\n"):
            ends = np.append(ends, len(self.text))
        starts = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1])[: len(ends)]
        kept = ends > starts
        self.lines = len(ends)
        self._kept = kept
        self.starts: NDArray[np.int64] = starts[kept]
        self.ends: NDArray[np.int64] = ends[kept]

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        return self.text[self.starts[index] : self.ends[index]]

    def __iter__(self) -> Iterator[bytes]:
        return filter(None, self.text.split(b"\n"))

    def numbers(self) -> NDArray[np.int64]:
        """Return the numbers of the lines, from 0, that are documents."""
        return np.flatnonzero(self._kept)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The bytes of each line."""
        return self.ends - self.starts

    @property
    def bytes(self) -> int:
        """The bytes of all lines, without their ends."""
        return int((self.ends - self.starts).sum())

    @cached_property
    def characters(self) -> int:
        """The number of code points of all lines."""
        return characters(self.text) - self.text.count(b"\n")


def characters(data: bytes) -> int:
    """Return the number of code points of UTF-8: of its bytes, those that do not continue one.

    >>> characters("naïve".encode())
    5
    """
    return int(np.count_nonzero((np.frombuffer(data, np.uint8) & 0xC0) != 0x80))


def measure_size(documents: Sequence[bytes]) -> tuple[int, int]:
    """Return the bytes and the code points of documents.

    >>> measure_size([b"ab", "é".encode()])
    (4, 3)
    """
    if isinstance(documents, LineDocuments):
        return documents.bytes, documents.characters
    return sum(map(len, documents)), characters(b"".join(documents))


def measure_sizes(documents: Sequence[bytes]) -> NDArray[np.int64]:
    """Return the bytes of each document."""
    return documents.sizes if isinstance(documents, LineDocuments) else np.array([*map(len, documents)], np.int64)


def count_white_space_words(documents: Sequence[bytes]) -> int:
    r"""Return the number of words of documents: what ASCII white space separates.

    >>> count_white_space_words([b"one two", b" three\tfour"]), count_white_space_words(LineDocuments(b"a b\nc\n"))
    (4, 3)
    """
    text = documents.text if isinstance(documents, LineDocuments) else b"\n".join(documents)
    inside = ~SPACES[np.frombuffer(text, np.uint8)]
    return int(np.count_nonzero(inside[1:] & ~inside[:-1])) + int(inside[:1].sum())
