"""BPE-dropout (Provilkov, Emelianenko and Voita 2020): leave out each possible merge with probability p, at each step.

So training meets a word in many cuts, while p = 0 is BPE as ever.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple


class DroppedMerges(NamedTuple):
    """The tokens, the rank and the place of each possible merge, and the places that are left out this time."""

    tokens: list[str]
    possible: list[tuple[float, int]]
    dropped: set[int]


class KeptMerge(NamedTuple):
    """The tokens after a merge, and where the new one is."""

    tokens: list[str]
    place: int


def iter_random_merges(
    symbols: Sequence[str], rank_of: Callable[[str, str], float | None], p: float, random: Random
) -> Iterator[DroppedMerges | KeptMerge]:
    """Yield what is left out and what is merged, in turn, until nothing is possible or all of it is left out.

    >>> ranks = {"er": 5, "lo": 6, "low": 7}
    >>> steps = iter_random_merges("lower", lambda a, b: ranks.get(a + b), 0, Random(1))
    >>> [step.tokens for step in steps if isinstance(step, KeptMerge)]
    [['l', 'o', 'w', 'er'], ['lo', 'w', 'er'], ['low', 'er']]
    >>> [*iter_random_merges("lower", lambda a, b: ranks.get(a + b), 1, Random(1))][-1].tokens
    ['l', 'o', 'w', 'e', 'r']
    """
    tokens = list(symbols)
    while True:
        pairs = enumerate(pairwise(tokens))
        possible = [(rank, place) for place, (a, b) in pairs if (rank := rank_of(a, b)) is not None]
        dropped = {place for _, place in possible if random.random() < p}
        yield DroppedMerges([*tokens], possible, dropped)
        kept = [(rank, place) for rank, place in possible if place not in dropped]
        if not kept:
            return
        _, place = min(kept)
        tokens[place : place + 2] = [tokens[place] + tokens[place + 1]]
        yield KeptMerge([*tokens], place)
