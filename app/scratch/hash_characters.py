"""Vectors of characters without a list of them, as in CANINE (Clark et al. 2022, section 3.1).

A list would need a row for each character there is. Here each character takes one row of each of a few small tables,
and its vector is these rows, one behind the other. A remainder says which row: two characters often share one of them.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

PRIMES = (31, 43, 59, 61, 73, 97, 103, 113)
"""The factor of each table."""
ROWS = 16_384
"""Rows of each table."""
STRIDE = 4
"""Characters that become one position of the model."""


class HashedRow(NamedTuple):
    """The row of one table that a character takes."""

    table: int
    prime: int
    row: int


def iter_rows(character: str, primes: Sequence[int] = PRIMES, rows: int = ROWS) -> Iterator[HashedRow]:
    """Yield the row that a character takes of each table.

    >>> [one.row for one in iter_rows("a")]
    [3038, 4214, 5782, 5978, 7154, 9506, 10094, 11074]
    """
    for table, prime in enumerate(primes, 1):
        row = (ord(character) + 1) * prime % rows
        yield HashedRow(table, prime, row)


def join_positions(text: str, stride: int = STRIDE) -> list[str]:
    """Return the characters of each position; the last may have fewer, and is filled up.

    >>> join_positions("strawberry")
    ['stra', 'wber', 'ry']
    """
    return [text[at : at + stride] for at in range(0, len(text), stride)]
