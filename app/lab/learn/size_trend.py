"""The sizes of the vocabularies of this site by the year of their first model, as a picture and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from statistics import median

from ...registry import Registry
from ..charts import Scale
from ..models import models
from ..steps.drawing import SMALL_LETTER, Drawing, Label, Stroke
from ..steps.step import Step, Table, tabulate
from .plots import Axes
from .prose import say

ENOUGH = 3
"""Tokenizers of a year whose median is compared with that of another year."""
LEFT, TOP, WIDE, HIGH = 74, 22, 440, 250
"""Left upper corner of the plane, and its size: as narrow as gives it large letters on a slide."""
LOWEST = 28_000
RUNGS = (32_768, 65_536, 131_072, 262_144)
"""The size at the bottom of the plane, and those that have a line across it."""
LETTER, LINE, DOT = 8, 16, 4
"""Width of a letter of a name and height of a line, both on a slide, and half the width of a dot."""
EDGE = 24
"""Space for names at the right of the plane."""
LONGEST = 12
"""Letters of a name that is shown."""


@dataclass(frozen=True, slots=True)
class ReleasedVocabulary:
    """A vocabulary: the first model that had it, when this could be used, and its tokens."""

    model: str
    released: date
    size: int

    @property
    def name(self) -> str:
        """The name of the model, without what stands in parentheses and without a second one.

        >>> ReleasedVocabulary("GPT-3.5 (text-davinci-003)", date(2022, 11, 28), 50281).name
        'GPT-3.5'
        """
        return self.model.partition(" (")[0].partition(",")[0]


def list_vocabularies(registry: Registry) -> list[ReleasedVocabulary]:
    """Return the vocabularies of the picker that are here, the oldest first."""
    sizes = {info.id: info.tokens for info in registry.infos() if info.tokens}
    first: dict[str, ReleasedVocabulary] = {}
    for model in sorted(models(), key=lambda model: model.released):
        if size := sizes.get(model.tokenizer):
            first.setdefault(model.tokenizer, ReleasedVocabulary(model.name, model.released, size))
    return [*first.values()]


def trace_trend(registry: Registry) -> list[Step]:
    """Return the steps that show all sizes by year, as a picture and as a table; none if here are too few."""
    vocabularies = list_vocabularies(registry)
    years = {year: [*members] for year, members in groupby(vocabularies, key=lambda one: one.released.year)}
    middle = {year: round(median(one.size for one in members)) for year, members in years.items()}
    compared = [year for year, members in years.items() if len(members) >= ENOUGH]
    if len(compared) < 2:
        return []
    first, last = compared[0], compared[-1]
    before, now = (f"{middle[year]:,}" for year in (first, last))
    count = len(vocabularies)
    trend = say("vocabulary-size.steps.trend", count=count, first=first, before=before, last=last, now=now)
    small = [one for one in vocabularies if one.size <= middle[first]][-1]
    by_year = say("vocabulary-size.steps.by-year", name=small.name, year=small.released.year, size=f"{small.size:,}")
    figure, table = _draw(vocabularies), _tabulate(years, middle)
    return [Step(sentence, table=table, figure=figure) for sentence in (trend, by_year)]


def _tabulate(years: Mapping[int, Sequence[ReleasedVocabulary]], middle: Mapping[int, int]) -> Table:
    rows = []
    for year, members in years.items():
        sizes = [one.size for one in members]
        figures = (f"{size:,}" for size in (min(sizes), middle[year], max(sizes)))
        rows.append((f"{year}", f"{len(members)}", *figures))
    return tabulate("Sizes by year", ("year", "number", "smallest", "median", "largest"), rows)


def _draw(vocabularies: Sequence[ReleasedVocabulary]) -> Drawing:
    """Draw a dot for each vocabulary, higher by the same step for each doubling, and the names that have room."""
    first, last = vocabularies[0].released.year, vocabularies[-1].released.year
    start, end = date(first, 1, 1).toordinal(), date(last + 1, 1, 1).toordinal()
    axes = Axes(Scale(start, end, LEFT, LEFT + WIDE), Scale(LOWEST, RUNGS[-1], TOP + HIGH, TOP, logarithmic=True))
    dots = axes.place((one.released.toordinal(), one.size) for one in vocabularies)
    rungs = [(size, axes.up.place(size)) for size in RUNGS]
    strokes = [Stroke("".join(f"M{LEFT} {y:g}h{WIDE}" for _, y in rungs))]
    strokes += [Stroke(f"M{x - 2:g} {y:g}a2 2 0 1 0 4 0a2 2 0 1 0 -4 0", "best") for x, y in dots]
    labels = [
        Label(LEFT - 8, y + 5, f"{size:,}", middle=False, end=True, face="sans", size=SMALL_LETTER) for size, y in rungs
    ]
    labels += _place_names([one.name for one in vocabularies], dots)
    marks = {date(year, 7, 1).toordinal(): f"{year}" for year in range(first, last + 1)}
    listed = ", ".join(f"{one.name} {one.size:,}" for one in vocabularies)
    return axes.draw(strokes, marks, f"Sizes of vocabularies from {first} to {last}: {listed}", labels)


def _place_names(names: Sequence[str], dots: Sequence[tuple[float, float]]) -> list[Label]:
    """Return the short names that find room beside, above or below their dots without touching dots or other names.

    Those of few letters are placed first, then the largest and the newest.

    >>> [label.text for label in _place_names(["one", "two", "six"], [(120, 100), (124, 100), (300, 50)])]
    ['six', 'two', 'one']
    """
    taken = [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in dots]
    labels = []
    short = [at for at, name in enumerate(names) if len(name) <= LONGEST]
    for at in sorted(short, key=lambda at: (len(names[at]) > LONGEST // 2, dots[at][1], -dots[at][0])):
        wide = LETTER * len(names[at])
        x, y = dots[at]
        for across, down in ((1, 0), (-1, 0), (0, -1), (0, 1)):
            middle, centre = x + across * (wide / 2 + DOT + 2), y + down * (LINE / 2 + DOT)
            room = (middle - wide / 2, centre - LINE / 2, middle + wide / 2, centre + LINE / 2)
            inside = room[0] > LEFT and room[2] < LEFT + WIDE + EDGE and room[1] > 0 and room[3] < TOP + HIGH + 8
            if inside and not any(_overlap(room, other) for other in taken):
                taken.append(room)
                labels.append(Label(round(middle, 1), round(centre + 5, 1), names[at]))
                break
    return labels


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    """True if two rectangles, given by left, top, right and bottom, have a place in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
