"""A budget: all that a prompt holds is tokens of one context, whatever it was before.

A text is cut by a tokenizer, an image by a grid, a sound by the clock; the model sees one row of vectors, and the row
has a largest length.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class ContextShare(NamedTuple):
    """A part of the prompt, its tokens, those of all parts so far, and their share of the context."""

    name: str
    tokens: int
    total: int
    share: float


def iter_shares(parts: Iterable[tuple[str, int]], window: int) -> Iterator[ContextShare]:
    """Yield the parts one after the other, each added to those before it.

    >>> [(step.total, step.share) for step in iter_shares([("text", 10), ("image", 30)], 100)]
    [(10, 0.1), (40, 0.4)]
    """
    total = 0
    for name, tokens in parts:
        total += tokens
        yield ContextShare(name, tokens, total, total / window)


def count_media_tokens(seconds: float, per_second: float) -> int:
    """Return the tokens of a sound or a video, whose number depends on its length alone; a part of a token is one.

    >>> count_media_tokens(60, 32), count_media_tokens(0.1, 32)
    (1920, 4)
    """
    return -int(-seconds * per_second // 1)
