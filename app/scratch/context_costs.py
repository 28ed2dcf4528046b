"""What a text costs in several models: its tokens, the price, and how much of such text a context window holds.

A price and a window are given in tokens, and each model counts tokens of its own. So the same text costs a different
amount, and a window of the same size holds a different amount of it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple


class ModelOffer(NamedTuple):
    """A model: its name, its tokenizer, dollars for a million tokens of input if known, and its window in tokens."""

    name: str
    encode: Callable[[str], Sequence[int]]
    price: float | None
    window: int


class ContextCost(NamedTuple):
    """What a text costs in a model: `dollars` for a thousand requests, None without a price, and its share
    of the window.

    `pages` is how many pages of such text fit in the window.
    """

    name: str
    tokens: int
    dollars: float | None
    share: float
    pages: int


def compare_costs(text: str, offers: Iterable[ModelOffer], *, page: int = 1800) -> Iterator[ContextCost]:
    """Yield the cost of a text in each model. A page has this many characters.

    >>> offers = [ModelOffer("letters", list, 2.0, 36_000), ModelOffer("words", str.split, 2.0, 36_000)]
    >>> for cost in compare_costs("to be or not to be", offers):
    ...     print(*cost)
    letters 18 0.036 0.0005 20
    words 6 0.012 0.00016666666666666666 60
    """
    for name, encode, price, window in offers:
        tokens = len(encode(text))
        yield ContextCost(
            name=name,
            tokens=tokens,
            dollars=None if price is None else 1000 * tokens * price / 1e6,
            share=tokens / window,
            pages=window * len(text) // (tokens * page),
        )
