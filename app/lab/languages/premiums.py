"""Premiums summed up: by script, by tokenizer, over the world; languages that a tokenizer does not read are left out.

Places in a picture are shares of its width and height, in percent, so that it stretches and its dots stay round.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from app.lab.languages.atlas import Atlas, Column, Language
from app.lab.languages.rows import shade

LEAST, MOST = 0.2, 25.0
"""The ends of every axis of premiums, which is logarithmic."""
TICKS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
NORTH, SOUTH = 80.0, -58.0
"""The latitudes that the map ends at."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A language in a picture."""

    x: float
    y: float
    language: Language
    premium: float

    @property
    def shade(self) -> int:
        return shade(self.premium)


@dataclass(frozen=True, slots=True)
class Spread:
    """The premiums of some languages: the least, the quartiles, what one in ten exceeds, the most.

    `dots` are in their order.
    """

    label: str
    dots: tuple[Dot, ...]
    least: float
    first: float
    median: float
    third: float
    tenth: float
    most: float

    @property
    def best(self) -> Language:
        return self.dots[0].language

    @property
    def worst(self) -> Language:
        return self.dots[-1].language


def along(premium: float) -> float:
    """Where a premium stands on the axis, in percent.

    >>> along(0.2), along(25.0), round(along(1.0), 1)
    (0.0, 100.0, 33.3)
    """
    return round(100 * log(min(max(premium, LEAST), MOST) / LEAST) / log(MOST / LEAST), 2)


def by_script(atlas: Atlas, column: Column) -> list[Spread]:
    """One spread a script, the dearest first."""
    dots = _dots(atlas, column)
    scripts = {dot.language.script for dot in dots}
    found = [_spread(script, [dot for dot in dots if dot.language.script == script]) for script in scripts]
    return sorted(found, key=lambda spread: (-spread.median, spread.label))


def by_tokenizer(atlas: Atlas) -> list[tuple[Column, Spread]]:
    """One spread a tokenizer, that with the lowest median first."""
    found = [(column, of_all(atlas, column)) for column in atlas.columns]
    return sorted(found, key=lambda pair: (pair[1].median, pair[0].title))


def of_all(atlas: Atlas, column: Column) -> Spread:
    """The spread of all languages."""
    return _spread(column.title, _dots(atlas, column))


def over_the_world(atlas: Atlas, column: Column) -> list[Dot]:
    """Every language at its place on a map with straight meridians and parallels, the dearest last."""
    found = []
    for dot in _dots(atlas, column):
        if dot.language.place is not None:
            north, east = dot.language.place
            x, y = 100 * (east + 180) / 360, 100 * (NORTH - north) / (NORTH - SOUTH)
            found.append(Dot(round(x, 1), round(y, 1), dot.language, dot.premium))
    return found


def unread(atlas: Atlas, column: Column) -> int:
    """How many languages a tokenizer does not read."""
    return sum(atlas.cell(place, column).unread for place in range(len(atlas.languages)))


def _dots(atlas: Atlas, column: Column) -> list[Dot]:
    cells = ((language, atlas.cell(place, column)) for place, language in enumerate(atlas.languages))
    read = [(cell.premium, language) for language, cell in cells if cell.premium is not None and not cell.unread]
    return [Dot(along(premium), 50, language, premium) for premium, language in sorted(read, key=lambda one: one[0])]


def _spread(label: str, dots: Sequence[Dot]) -> Spread:
    premiums = [dot.premium for dot in dots]
    return Spread(label, tuple(dots), *np.quantile(premiums, [0, 0.25, 0.5, 0.75, 0.9, 1]).tolist())
