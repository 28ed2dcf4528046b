"""A text as it grows: does what has been cut stay as it is when more text follows?

A rule that looks only to the left, such as a rise of entropy, never takes a boundary back. BPE does, since a merge
needs what follows: the tokens of a beginning need not be the beginning of the tokens (Pagnoni et al. 2024). A model
that continues a prompt gets the tokens of the beginning, even where its training had others (Lundberg and Ribeiro
2023).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple


class BeginningCut(NamedTuple):
    """A beginning of a text, where its units end, in bytes, and which of these ends the whole text does not have.

    The last end is that of the beginning itself; it is lost if a unit of the whole text goes on across it.
    """

    text: str
    ends: Sequence[int]
    lost: Sequence[int]


def iter_beginnings(text: str, ends_of: Callable[[str], Sequence[int]]) -> Iterator[BeginningCut]:
    """Yield the cut of each beginning of a text, one character longer each time.

    >>> pairs = lambda text: [*range(2, len(text), 2), len(text)]
    >>> for cut in iter_beginnings("abcd", pairs):
    ...     print(*cut)
    a [1] [1]
    ab [2] []
    abc [2, 3] [3]
    abcd [2, 4] []
    """
    whole = {*ends_of(text)}
    for size in range(1, len(text) + 1):
        ends = ends_of(text[:size])
        yield BeginningCut(text[:size], ends, [end for end in ends if end not in whole])
