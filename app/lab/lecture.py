"""The lecture that comes with the site: pages in an order, each with minutes and notes for the speaker.

A lecture of a visitor's own is kept and edited in the browser alone (`static/js/lecture`).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from ..settings import ROOT
from .learn.course import SCENES

HANDOUT_STEPS = 4
"""Steps of an item in a handout; it may have hundreds."""
FILE = ROOT / "templates/lecture/ready.toml"


@dataclass(frozen=True, slots=True)
class LectureItem:
    """A page of a lecture: its address, its title, how long it takes, and what to say."""

    address: str
    title: str
    minutes: int
    notes: str


@dataclass(frozen=True, slots=True)
class Lecture:
    """Items in the order in which they are presented.

    >>> READY.title, sum(item.minutes for item in READY.items)
    ('Tokens in 45 minutes', 45)
    """

    title: str
    items: tuple[LectureItem, ...]


def read_lecture(text: str) -> Lecture:
    """Return a lecture from TOML; an item without a title has that of its scene."""
    table = tomllib.loads(text)
    titles = {f"/learn/{scene.id}": scene.title for scene in SCENES}
    items = (LectureItem(**{"title": titles.get(item["address"], ""), **item}) for item in table["item"])
    return Lecture(table["title"], tuple(items))


def choose_steps(first: int, total: int, *, alone: bool = False) -> list[int]:
    """Return up to four steps for a handout, evenly apart from the first one to the last, or that step alone.

    >>> choose_steps(0, 18), choose_steps(16, 18), choose_steps(3, 18, alone=True)
    ([0, 6, 11, 17], [16, 17], [3])
    """
    shown = 1 if alone else min(HANDOUT_STEPS, total - first)
    return [first + round(at * (total - 1 - first) / max(1, shown - 1)) for at in range(shown)]


READY = read_lecture(FILE.read_text(encoding="utf-8"))
