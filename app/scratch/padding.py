"""Padding: a batch is a rectangle of ids, so short sequences are filled up, and a mask says what is filling.

Attention gives the positions with mask 0 no weight, so that the answer for a sequence does not depend on how long the
others of its batch are. What is longer than the model reads is cut off before.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Padded(NamedTuple):
    """A row of the batch, its mask (1 for a token, 0 for filling), and how many ids were cut off."""

    ids: list[int]
    mask: list[int]
    cut: int


def pad_rows(sequences: Sequence[Sequence[int]], *, pad: int = 0, longest: int | None = None) -> Iterator[Padded]:
    """Yield the rows of a batch: each as long as the longest sequence, but at most `longest` ids.

    >>> for row in pad_rows([[7, 8, 9], [5]], longest=2):
    ...     print(row.ids, row.mask, row.cut)
    [7, 8] [1, 1] 1
    [5, 0] [1, 0] 0
    """
    length = max(map(len, sequences), default=0)
    if longest is not None:
        length = min(length, longest)
    for ids in sequences:
        kept = list(ids[:length])
        filling = length - len(kept)
        yield Padded(kept + [pad] * filling, [1] * len(kept) + [0] * filling, len(ids) - len(kept))
