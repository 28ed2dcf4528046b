"""Parts of the world, told by coordinates alone: the package knows where a language is spoken, and no region's name."""

from collections.abc import Mapping
from typing import Literal

Region = Literal["africa", "americas", "asia", "europe", "oceania"]
REGIONS: Mapping[Region, str] = {
    "africa": "Africa, the Near East",
    "americas": "the Americas",
    "asia": "Asia",
    "europe": "Europe, Asia Minor, the Caucasus",
    "oceania": "Oceania, Indonesia",
}


def region(place: tuple[float, float] | None) -> Region | None:
    """The part of the world that a place, in degrees north and east, is in.

    >>> region((51.5, -0.1)), region((21.0, 98.0)), region((-17.65, -149.45)), region(None)
    ('europe', 'asia', 'oceania', None)

    West of 30° W are the Americas, up to 60° E Africa and, from 36° N, Europe; beyond is Asia. What is south of 8° N
    from 94° E on, or of 25° N from 130° E to 130° W, is Oceania and Indonesia.
    """
    if place is None:
        return None
    north, east = place
    if (north < 8 and east > 94) or (north < 25 and not -130 < east < 130):
        return "oceania"
    if east < -30:
        return "americas"
    if east < 60:
        return "europe" if north > 36 else "africa"
    return "asia"
