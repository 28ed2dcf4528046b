"""The exact probability of the next byte, by a model of tokens: a sum over all lists of tokens that spell a text.

A model gives a probability to lists of tokens, and many lists spell the same text. A list covers a text if it spells
at least the text, and less without its last token. The probability of a text is the sum of those of its covers, and
that of the next byte follows from it (Vieira et al. 2024). Lists that spell the same part of the text and leave the
model in the same context are added up once, so that nobody has to list them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

Context = tuple[int, ...]
Predict = Callable[[Context], Mapping[int, float]]
"""The probability of each next token after a context, which has no more tokens than the model looks at."""


class ReachedPosition(NamedTuple):
    """A position of the text, and the probabilities of all lists of tokens that end there, by their last tokens."""

    at: int
    lists: Mapping[Context, float]


class NextByte(NamedTuple):
    """The probability of all texts that begin with this one, and the share of each byte that goes on.

    The byte `b""` stands for the end of the text.
    """

    probability: float
    shares: Mapping[bytes, float]


def sum_covers(
    text: bytes, predict: Predict, spellings: Mapping[int, bytes], *, start: Context = (), order: int = 2
) -> Iterator[ReachedPosition | NextByte]:
    """Yield each position that a token can end at, and at last the shares of the next byte.

    `spellings` has the bytes of each token, none for one that ends a text. The model looks at `order` tokens.

    >>> words = {0: b"a", 1: b"b", 2: b"ab", 3: b""}
    >>> *_, found = sum_covers(b"a", lambda context: {0: 0.25, 1: 0.25, 2: 0.25, 3: 0.25}, words)
    >>> found.probability, {byte: round(share, 3) for byte, share in found.shares.items()}
    (0.5, {b'b': 0.625, b'a': 0.25, b'': 0.125})
    """
    lists = [defaultdict[Context, float](float) for _ in range(len(text) + 1)]
    lists[0][start] = 1.0
    following = defaultdict[bytes, float](float)
    for at, here in enumerate(lists):
        rest = text[at:]
        if here:
            yield ReachedPosition(at, here)
        for context, probability in here.items():
            for token, share in predict(context).items():
                spelled = spellings[token]
                if spelled and rest.startswith(spelled):  # it ends inside the text, or where the text does
                    lists[at + len(spelled)][(*context, token)[-order:]] += probability * share
                elif spelled.startswith(rest):  # it goes past the end, and says the next byte
                    following[spelled[len(rest) :][:1]] += probability * share
    total = sum(following.values())
    yield NextByte(total, {byte: share / total for byte, share in following.items()})


def list_covers(
    text: bytes, predict: Predict, spellings: Mapping[int, bytes], *, start: Context = (), order: int = 2
) -> Iterator[tuple[Context, float]]:
    """Yield each list of tokens that covers a text, and its probability. This is what the sum need not do.

    >>> words = {0: b"a", 1: b"b", 2: b"ab"}
    >>> [*list_covers(b"ab", lambda context: {0: 0.5, 1: 0.25, 2: 0.25}, words)]
    [((0, 1), 0.125), ((2,), 0.25)]
    """
    if not text:
        yield (), 1.0
        return
    for token, share in predict(start).items():
        spelled = spellings[token]
        if spelled and (text.startswith(spelled) or spelled.startswith(text)):
            after = (*start, token)[-order:]
            for tokens, probability in list_covers(text[len(spelled) :], predict, spellings, start=after, order=order):
                yield (token, *tokens), share * probability
