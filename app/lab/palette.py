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
    """Return a colour for each token of a row: its own, unless the token left of it has that.

    Then it takes the next one that its right neighbour does not have, so that a clash spreads no further.

    >>> tones([32, 104, 40, 32, 257])
    [8, 7, 8, 0, 6]
    >>> tones([32, 32, 0])
    [8, 1, 0]
    """
    own = [*map(tone, ids)]
    row: list[int] = []
    for colour, following in zip(own, [*own[1:], -1], strict=False):
        if row and row[-1] == colour:
            colour = next(one % COLOURS for one in (colour + 1, colour + 2) if one % COLOURS != following)
        row.append(colour)
    return row
