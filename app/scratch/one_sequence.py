"""One sequence: text, pictures and sound as positions that a model reads in the same way.

A model reads a vector at each position. That of a token is a row of a table, picked by its id. A patch of a picture or
a frame of sound becomes one in one of two ways. A matrix projects it to the width of a row (Liu et al. 2023). Or it is
described by codes, which are moved behind all other ids and pick rows themselves (Chameleon Team 2024).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Part = tuple[str, NDArray[Any]]
"""A kind and an array: the ids of a text, or the numbers or codes of each patch of an image or frame of sound."""
Row = Callable[[int], Sequence[float]]


class Position(NamedTuple):
    """What a model reads at a position: its kind, the id that picked it, if any, and its numbers."""

    kind: Literal["token", "vector", "code"]
    id: int | None
    numbers: Sequence[float]


def project_parts(
    parts: Iterable[Part],
    row: Row,
    matrices: Mapping[str, Array],
    separators: Mapping[str, tuple[int, int]],
) -> Iterator[list[Position]]:
    """Yield the positions of each part: tokens of a text, or patches and frames, which a matrix turns into vectors.

    >>> parts = [("text", np.array([7])), ("image", np.array([[1.0, 2], [3, 4]]))]
    >>> for part in project_parts(parts, lambda id: [id, 0], {"image": np.array([[0, 1], [1, 0]])}, {"image": (8, 9)}):
    ...     print(*((one.kind, one.id, [float(number) for number in one.numbers]) for one in part))
    ('token', 7, [7.0, 0.0])
    ('token', 8, [8.0, 0.0]) ('vector', None, [2.0, 1.0]) ('vector', None, [4.0, 3.0]) ('token', 9, [9.0, 0.0])
    """
    for kind, items in parts:
        if kind == "text":
            yield [Position("token", id, row(id)) for id in items.tolist()]
        else:
            vectors = [Position("vector", None, numbers) for numbers in items @ matrices[kind]]
            yield separate(vectors, separators[kind], row)


def code_parts(
    parts: Iterable[Part],
    row: Row,
    offsets: Mapping[str, Sequence[int]],
    separators: Mapping[str, tuple[int, int]],
) -> Iterator[list[Position]]:
    """Yield the positions of each part: tokens of a text, or codes, a column for each codebook, moved by its offset.

    >>> parts = [("text", np.array([7])), ("sound", np.array([[0, 1], [3, 0]]))]
    >>> for part in code_parts(parts, lambda id: [], {"sound": [10, 14]}, {"sound": (8, 9)}):
    ...     print(*((one.kind, one.id) for one in part))
    ('token', 7)
    ('token', 8) ('code', 10) ('code', 15) ('code', 13) ('code', 14) ('token', 9)
    """
    for kind, items in parts:
        if kind == "text":
            yield [Position("token", id, row(id)) for id in items.tolist()]
        else:
            ids = (items + np.array(offsets[kind])).ravel().tolist()  # all codes of a frame, then those of the next
            yield separate([Position("code", id, row(id)) for id in ids], separators[kind], row)


def separate(positions: Sequence[Position], marks: tuple[int, int], row: Row) -> list[Position]:
    """Return positions between the two tokens that say where they begin and end."""
    begin, end = (Position("token", id, row(id)) for id in marks)
    return [begin, *positions, end]


def stack(vocabulary: int, sizes: Iterable[int]) -> list[int]:
    """Return the first id of each codebook, and of what would come next, if all are appended to a vocabulary.

    >>> stack(100, [8, 16, 16])
    [100, 108, 124, 140]
    """
    return [*accumulate(sizes, initial=vocabulary)]
