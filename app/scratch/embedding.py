"""Embedding: a model never reads a letter. It reads ids, and each id is the number of a row in a matrix.

The matrix has one row for each token of the vocabulary. Training changes the numbers in it, so that tokens that are
used alike get similar rows (Vaswani et al. 2017, section 3.4). From here on the model computes with these rows only.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple


class TokenIds(NamedTuple):
    """The ids of all tokens of the text: what the tokenizer gives to the model."""

    ids: Sequence[int]


class EmbeddingRow(NamedTuple):
    """A token's place in the text, its id, and the row of the matrix that has this number."""

    place: int
    id: int
    numbers: Sequence[float]


def read_embeddings(
    text: str, encode: Callable[[str], Sequence[int]], row: Callable[[int], Sequence[float]]
) -> Iterator[TokenIds | EmbeddingRow]:
    """Yield the ids of a text, and then the row of each: all that a model gets to see of the text.

    >>> matrix = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
    >>> steps = [*read_embeddings("to be", lambda text: [2, 0], matrix.__getitem__)]
    >>> steps[0].ids, [step.numbers for step in steps[1:]]
    ([2, 0], [[0.5, 0.6], [0.1, 0.2]])
    """
    ids = encode(text)
    yield TokenIds(ids)
    for place, id in enumerate(ids):
        yield EmbeddingRow(place, id, row(id))


def make_untrained_row(id: int, width: int = 4) -> list[float]:
    """Return a row as it is before training: small numbers drawn at random, the same ones for the same id.

    >>> make_untrained_row(7) == make_untrained_row(7), make_untrained_row(7) == make_untrained_row(8)
    (True, False)
    """
    random = Random(id)
    return [random.gauss(0, 0.02) for _ in range(width)]  # GPT-2 begins with numbers of this size
