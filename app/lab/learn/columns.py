"""Columns that the rows of a step share, so that a token stands below its letters, and its id below it."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise


def share_columns(*ends: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return how many tiles of each row stand in each column; a column ends where a tile of every row ends.

    `ends` are where the tiles of each row end in the text, in order. Rows that do not end together share no columns.

    >>> share_columns((1, 2, 3), (2, 3))
    ((2, 1), (1, 1))
    >>> share_columns((1, 2, 3), (2,))
    ()
    """
    if len({row[-1:] for row in map(tuple, ends)}) != 1:
        return ()
    borders = pairwise((0, *sorted(set(ends[0]).intersection(*ends[1:]))))
    spans = [*borders]
    return tuple(tuple(bisect_right(row, end) - bisect_right(row, start) for start, end in spans) for row in ends)
