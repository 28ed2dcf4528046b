"""The palette of tokens: a token has one colour everywhere, and different neighbours are told apart."""

from collections.abc import Iterable

COLOURS = 9
"""Colours in the palette, `--t0` to `--t8` of static/css/tokens.css."""


def tone(key: int) -> int:
    """Return the palette index of a symbol. Consecutive ids differ; so do mostly a byte and the merges of it.

    >>> tone(32), tone(104), tone(257)
    (8, 7, 6)
    """
    # key % COLOURS alone would give a byte and the symbols 9, 18, … after it the same colour.
    return (key + key // COLOURS) % COLOURS


def tones(ids: Iterable[int]) -> list[int]:
    """Return a colour for each token of a row: its own, or the next one where the token left of it has that.

    >>> tones([32, 104, 40, 32, 32])
    [8, 7, 8, 0, 8]
    """
    row: list[int] = []
    for id in ids:
        colour = tone(id)
        row.append((colour + 1) % COLOURS if row and row[-1] == colour else colour)
    return row
