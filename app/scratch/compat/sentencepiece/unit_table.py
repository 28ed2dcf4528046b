"""The units of texts that were met, with their tokens as columns: those of a text are gathered in a few steps of numpy.

A unit is a part of a text between white space; `unigram_batch` normalizes and segments each once. An object for each
of them would take longer to make than its tokens.
"""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...fast.hash_index import ranges

Ints = NDArray[np.integer]
MEMORY = 64_000_000
"""Bytes of the units in a table, which is cleared when it is full."""


class ByteColumns(NamedTuple):
    """The tokens of a text: ids, and the bytes of the text where they start and end."""

    ids: NDArray[np.uint32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]


class Units(NamedTuple):
    """Units, one after the other: first columns with a row for each token, then for each piece, then for each unit.

    - `ids`, `starts`, `ends`: the tokens, with spans in bytes relative to the beginning of the unit.
    - `scores`: what each piece of the unit adds to the sum.
    - `tokens`, `pieces`: how many a unit has.
    - `lowest`: the lowest sum within a unit, relative to that before it.
    - `decided`: its segmentation is the same for any sum; if not, its tokens mean nothing.
    - `ended`: the unit that follows does not change how it is normalized and segmented.
    """

    ids: NDArray[np.uint32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    scores: NDArray[np.float32]
    tokens: Ints
    pieces: Ints
    lowest: NDArray[np.float64]
    decided: NDArray[np.bool_]
    ended: NDArray[np.bool_]


TYPES = Units(np.uint32, np.int32, np.int32, np.float32, np.int32, np.int32, np.float64, np.bool_, np.bool_)  # type: ignore[arg-type]
"""The types of the columns."""


class GrowingArray:
    """An array that others are appended to. Its memory doubles when it is full; what was read before stays as it is.

    >>> numbers = GrowingArray(np.int32)
    >>> numbers.append([1, 2])
    >>> before = numbers.values
    >>> numbers.append([3])
    >>> before.tolist(), numbers.values.tolist()
    ([1, 2], [1, 2, 3])
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self._room = np.empty(64, dtype)
        self.size = 0

    def append(self, values: Any) -> None:
        """Append an array or a list of its type."""
        end = self.size + len(values)
        if end > len(self._room):
            larger = np.empty(max(end, 2 * len(self._room)), self._room.dtype)
            larger[: self.size] = self.values
            self._room = larger
        self._room[self.size : end] = values
        self.size = end

    @property
    def values(self) -> NDArray[Any]:
        """What was appended."""
        return self._room[: self.size]


class UnitTable:
    """Units by their key, each with a number.

    >>> table, one = UnitTable(), np.array([1])
    >>> table.add(["ab"], Units(np.array([7]), one - 1, one, one - 2.5, one, one, one - 2.5, one > 0, one > 0))
    >>> columns, counts = table.gather_tokens(np.array([0, 0]))
    >>> table.numbers, [column.tolist() for column in columns], counts.tolist(), table.columns.lowest.tolist()
    ({'ab': 0}, [[7, 7], [0, 0], [1, 1]], [1, 1], [-1.5])
    """

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}
        self._columns = [*map(GrowingArray, TYPES)]
        self._token_ends = GrowingArray(np.int64)
        self._piece_ends = GrowingArray(np.int64)
        self._room = MEMORY

    @property
    def full(self) -> bool:
        """True if the units in it exceed `MEMORY`."""
        return self._room < 0

    @property
    def columns(self) -> Units:
        """All units."""
        return Units(*(column.values for column in self._columns))

    def add(self, keys: Sequence[Hashable], units: Units) -> None:
        """Add units under keys that the table does not have."""
        self.numbers.update(zip(keys, range(len(self.numbers), len(self.numbers) + len(keys)), strict=True))
        self._token_ends.append(np.cumsum(units.tokens) + self._columns[0].size)
        self._piece_ends.append(np.cumsum(units.pieces) + self._columns[3].size)
        for column, values in zip(self._columns, units, strict=True):
            column.append(values)
        self._room -= 400 * len(keys) + 12 * len(units.ids) + 4 * len(units.scores)  # about what they take

    def gather_tokens(self, numbers: Ints) -> tuple[ByteColumns, Ints]:
        """Return the tokens of units, one after the other, and how many each has."""
        units = self.columns
        counts = units.tokens[numbers]
        each = ranges(self._token_ends.values[numbers] - counts, counts)
        return ByteColumns(units.ids[each], units.starts[each], units.ends[each]), counts

    def gather_scores(self, numbers: Ints) -> tuple[NDArray[np.float32], Ints]:
        """Return the scores of the pieces of units, one after the other, and how many each has."""
        units = self.columns
        counts = units.pieces[numbers]
        return units.scores[ranges(self._piece_ends.values[numbers] - counts, counts)], counts
