"""Patches: an image is a grid of pixels, and a vision transformer reads it as a row of small squares.

Each square, all its pixels one after the other, is a token: a vector, not a number from a vocabulary (Dosovitskiy et
al. 2020, An Image is Worth 16x16 Words). A matrix turns it into the width of the model, which adds its place.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

Pixel = tuple[int, ...]


class Patch(NamedTuple):
    """A square of the image: its place in the row of tokens, its row and column, and all its numbers in one vector."""

    place: int
    row: int
    column: int
    numbers: list[int]


def patches(image: Sequence[Sequence[Pixel]], size: int) -> Iterator[Patch]:
    """Yield the patches of `size` by `size` pixels, from the top left, row by row.

    >>> image = [[(10 * row + column,) for column in range(4)] for row in range(4)]
    >>> for patch in patches(image, 2):
    ...     print(patch.place, patch.row, patch.column, patch.numbers)
    0 0 0 [0, 1, 10, 11]
    1 0 1 [2, 3, 12, 13]
    2 1 0 [20, 21, 30, 31]
    3 1 1 [22, 23, 32, 33]
    """
    rows, columns = len(image) // size, len(image[0]) // size  # pixels beyond the last whole patch are left out
    for place in range(rows * columns):
        row, column = divmod(place, columns)
        lines = image[row * size : (row + 1) * size]
        pixels = [pixel for line in lines for pixel in line[column * size : (column + 1) * size]]
        yield Patch(place, row, column, [number for pixel in pixels for number in pixel])
