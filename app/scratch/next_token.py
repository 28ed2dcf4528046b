"""Predicting the next token by counting: what has followed the last tokens, or fewer of them where nothing has.

It is the smallest language model: a table of counts. It backs off to a shorter context as Brants et al. 2007 do, but
only where nothing has followed the longer one, and without their weight of 0.4: the answer is then a probability.
What it knows, it knows of tokens: letters do not occur in it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

Followers = Mapping[tuple[int, ...], Mapping[int, int]]


class SeenContext(NamedTuple):
    """The last tokens of a text, and how often each token has followed them."""

    context: tuple[int, ...]
    followed: Mapping[int, int]


def count_followers(ids: Sequence[int], *, order: int = 2) -> Followers:
    """Return how often each token has followed each context of up to `order` tokens.

    >>> count_followers([7, 8, 7, 9], order=1)
    {(): Counter({7: 2, 8: 1, 9: 1}), (7,): Counter({8: 1, 9: 1}), (8,): Counter({7: 1})}
    """
    counts: dict[tuple[int, ...], Counter[int]] = {}
    for at, id in enumerate(ids):
        for length in range(min(order, at) + 1):
            counts.setdefault(tuple(ids[at - length : at]), Counter())[id] += 1
    return counts


def back_off(ids: Sequence[int], counts: Followers, *, order: int = 2) -> Iterator[SeenContext]:
    """Yield the last tokens of a text as a context, one token fewer each time, until something has followed it.

    >>> counts = count_followers([7, 8, 7, 9], order=2)
    >>> [step.context for step in back_off([8, 8], counts)]
    [(8, 8), (8,)]
    """
    for length in range(min(order, len(ids)), -1, -1):
        context = tuple(ids[len(ids) - length :])
        followed = counts.get(context, {})
        yield SeenContext(context, followed)
        if followed:
            return
