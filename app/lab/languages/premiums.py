"""The premiums of all languages: their distribution by script and by tokenizer, a map, and published ones beside ours.

Languages that a tokenizer does not support are left out. Positions in a picture are in percent of its width and height,
so that it stretches with the page while its dots stay round.

The published counts are those of Petrov et al. 2023 for the same tokenizers, of 2,000 sentences of FLORES-200. The
texts differ, so the figures do; the order of languages must agree. They are from the table that accompanies the paper
(github.com/AleksandarPetrov/tokenization-fairness, MIT licence).

The coastlines of the map are Natural Earth, public domain, as TopoJSON from the package `world-atlas`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, chain, pairwise
from math import exp, log
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ..charts import Scale
from .atlas import ENGLISH, Atlas, AtlasColumn
from .declarations import Language
from .table import shade

LAND = "static/vendor/world-atlas-2.0.2.land-110m.json"
GRID = 2
"""Points to a degree: on the map, a degree is a few pixels wide."""
SOUTHERNMOST = 60
"""Degrees south beyond which nothing is drawn: the map ends before Antarctica."""
AXIS = Scale(0.2, 25.0, 0, 100, logarithmic=True, digits=2)
"""The axis of premiums, in percent. Logarithmic, so that half and twice the English count are equally far from 1."""
TICKS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
NORTH = 80.0
SOUTH = -58.0
"""The latitudes at the edges of the map."""


@dataclass(frozen=True, slots=True)
class MapDot:
    """A language in a picture; `x` and `y` in percent."""

    x: float
    y: float
    language: Language
    premium: float

    @property
    def shade(self) -> int:
        return shade(self.premium)


@dataclass(frozen=True, slots=True)
class Distribution:
    """The distribution of the premiums of some languages; `dots` are sorted by premium."""

    label: str
    dots: tuple[MapDot, ...]
    minimum: float
    first_quartile: float
    median: float
    third_quartile: float
    percentile_90: float
    maximum: float

    @property
    def best(self) -> Language:
        """The language with the lowest premium."""
        return self.dots[0].language

    @property
    def worst(self) -> Language:
        """The language with the highest premium."""
        return self.dots[-1].language


@cache
def coastlines(root: Path) -> str:
    """Return the coastlines as the data of an SVG path, in degrees east and south."""
    topology = json.loads((root / LAND).read_text(encoding="utf-8"))
    arcs = [list(_points(arc, topology["transform"])) for arc in topology["arcs"]]
    polygons = chain.from_iterable(one["arcs"] for one in topology["objects"]["land"]["geometries"])
    return "".join(_draw_ring(ring, arcs) for polygon in polygons for ring in polygon)


def _points(arc: list[list[int]], transform: dict[str, Any]) -> Iterator[tuple[float, float]]:
    """Yield the points of an arc; each is stored as the difference to the one before, in steps of a grid."""
    (x_scale, y_scale) = transform["scale"]
    (west, south) = transform["translate"]
    x = y = 0
    for east, north in arc:
        x = x + east
        y = y + north
        yield round(GRID * (x * x_scale + west)) / GRID, -round(GRID * (y * y_scale + south)) / GRID


def _draw_ring(ring: list[int], arcs: list[list[tuple[float, float]]]) -> str:
    """Return a closed line through arcs; a negative number is the complement of an arc that runs backwards.

    A ring that crosses the date line goes on beyond it, and is drawn a second time at the other edge of the map.
    """
    points = [point for one in ring for point in (arcs[one] if one >= 0 else arcs[~one][::-1])]
    turns = accumulate((round((left - right) / 360) * 360 for (left, _), (right, _) in pairwise(points)), initial=0)
    unrolled = [(x + turn, y) for (x, y), turn in zip(points, turns, strict=True)]
    if min(y for _, y in unrolled) > SOUTHERNMOST:
        return ""
    beyond = 360 if max(x for x, _ in unrolled) > 180 else -360 if min(x for x, _ in unrolled) < -180 else 0
    return _line(unrolled) + (_line([(x - beyond, y) for x, y in unrolled]) if beyond else "")


def _line(points: list[tuple[float, float]]) -> str:
    """Return a closed line through points, without those that fall on the one before."""
    corners = [point for point, before in zip(points[1:], points, strict=False) if point != before]
    (x, y) = points[0]
    rest = " ".join(f"{x:g} {y:g}" for x, y in corners)
    return f"M{x:g} {y:g}L{rest}Z" if len(corners) > 2 else ""


def by_script(atlas: Atlas, column: AtlasColumn) -> list[Distribution]:
    """Return the distribution of each script, the highest median first."""
    dots = _dots(atlas, column)
    # One list for all scripts: a dot's position does not depend on its group.
    scripts = {dot.language.script for dot in dots}
    groups = [_distribution(script, [dot for dot in dots if dot.language.script == script]) for script in scripts]
    return sorted(groups, key=lambda group: (-group.median, group.label))


@lru_cache(maxsize=1)  # 500 languages times all tokenizers, which a page shows twice and change with a training only
def by_tokenizer(atlas: Atlas) -> tuple[tuple[AtlasColumn, Distribution], ...]:
    """Return the distribution of each tokenizer, the lowest median first."""
    pairs = [(column, overall(atlas, column)) for column in atlas.columns]
    return tuple(sorted(pairs, key=lambda pair: (pair[1].median, pair[0].title)))


def overall(atlas: Atlas, column: AtlasColumn) -> Distribution:
    """Return the distribution over all languages."""
    return _distribution(column.title, _dots(atlas, column))


def map_dots(atlas: Atlas, column: AtlasColumn) -> list[MapDot]:
    """Return a dot for every language with a known place, in equirectangular projection, the highest premium last."""
    dots = []
    for dot in _dots(atlas, column):
        if dot.language.place is not None:
            north, east = dot.language.place
            x = 100 * (east + 180) / 360
            y = 100 * (NORTH - north) / (NORTH - SOUTH)
            dots.append(MapDot(round(x, 1), round(y, 1), dot.language, dot.premium))
    return dots


def unread(atlas: Atlas, column: AtlasColumn) -> int:
    """Return the number of languages that a tokenizer does not support."""
    return sum(atlas.cell(index, column).unread for index in range(len(atlas.languages)))


def _dots(atlas: Atlas, column: AtlasColumn) -> list[MapDot]:
    """Return a dot on the axis for every language that the tokenizer supports, sorted by premium."""
    cells = ((language, atlas.cell(index, column)) for index, language in enumerate(atlas.languages))
    premiums = [(cell.premium, language) for language, cell in cells if cell.premium is not None and not cell.unread]
    premiums.sort(key=lambda pair: pair[0])
    return [MapDot(AXIS.place(premium), 50, language, premium) for premium, language in premiums]


def _distribution(label: str, dots: Sequence[MapDot]) -> Distribution:
    premiums = [dot.premium for dot in dots]
    return Distribution(label, tuple(dots), *np.quantile(premiums, [0, 0.25, 0.5, 0.75, 0.9, 1]).tolist())


CITED = "Petrov et al. 2023, Language Model Tokenizers Introduce Unfairness Between Languages (arXiv 2305.15425)"
PAIRS = """
eng 52835 52567, por_PT 78313 101774, spa 81735 104549, fra 84407 104971, deu_1996 83450 112600, ita 86628 105594,
nld 84254 103566, ind 82006 104006, swe 83368 102557, ron_2006 99201 130433, pol 101102 141182, tur 101176 127797,
fin 105276 119621, hun 113411 139602, vie 129258 238544, swh 103109 112044, yor 156430 204447, hau_NG 105931 112972,
ewe 145385 152353, fon 193724 214346, kbp 250629 256080, jav 91337 101610, tgl 108909 119822, rus 131496 301727,
ukr 158296 302058, bul 139501 289393, kaz 200493 311213, khk 199035 337351, ell_monotonic 271846 343953,
heb 193616 231019, ydd 294166 348452, arb 160485 231316, pes_1 173333 279481, urd 231974 331280,
uig_arab 274341 376366, hin 253270 392092, nep 252889 398853, mar 267905 413498, san 264225 417136,
ben 308325 507509, pan 415623 415296, guj 406224 644828, tam 404265 819110, tel 440831 688151, kan 470190 719397,
mal 475535 801380, sin 466435 675811, kat 520316 727866, hye 527113 526451, amh 405644 409343, tir 412308 414484,
tha 231995 475633, lao 508348 693551, khm 469026 805983, mya 618268 887930, shn 795074 986091, bod 595659 784601,
dzo 651364 860070, jpn 121627 157858, kor 125737 266663, cmn_hans 101138 168850, cmn_hant 114977 165883,
yue 111948 162457
"""
"""Code in the atlas, tokens of cl100k_base, tokens of r50k_base, for languages with the same script in both."""
PUBLISHED: Mapping[str, tuple[int, int]] = {
    code: (int(newer), int(older)) for code, newer, older in (entry.split() for entry in PAIRS.split(","))
}
PUBLISHED_TOKENIZERS = ("cl100k_base", "r50k_base")
TOLERANCE = 0.25
"""Premiums that differ by at most this share count as close."""
TOP = 10
COMPOSED = 2.70
SPACED = 7.96
"""Premiums of cl100k_base for Vietnamese in composed letters (NFC), and for Amharic with spaces between words."""


@dataclass(frozen=True, slots=True)
class PublishedPremium:
    """Our premium of a language and the published one."""

    language: Language
    measured: float
    published: float

    @property
    def factor(self) -> float:
        """The larger of the two divided by the smaller."""
        return exp(abs(log(self.measured / self.published)))


@dataclass(frozen=True, slots=True)
class PublishedComparison:
    """A tokenizer's premiums and the published ones, the highest published first.

    `rank_correlation` is Spearman's, from −1 to 1; 1 if the order is the same.
    """

    column: AtlasColumn
    pairs: tuple[PublishedPremium, ...]
    rank_correlation: float

    @property
    def near(self) -> int:
        """The number of languages whose two premiums differ by at most a quarter."""
        return sum(pair.factor <= 1 + TOLERANCE for pair in self.pairs)

    @property
    def worst(self) -> int:
        """The number of languages among the ten most expensive in both."""
        ours = sorted(self.pairs, key=lambda pair: -pair.measured)[:TOP]
        return len({pair.language.code for pair in ours} & {pair.language.code for pair in self.pairs[:TOP]})

    @property
    def scripts(self) -> list[tuple[str, float, float]]:
        """The median premiums by script, ours and theirs, the highest published first."""
        groups: dict[str, list[PublishedPremium]] = {}
        for pair in self.pairs:
            groups.setdefault(pair.language.script, []).append(pair)
        medians = (
            (script, median(pair.measured for pair in pairs), median(pair.published for pair in pairs))
            for script, pairs in groups.items()
        )
        return sorted(medians, key=lambda row: -row[2])

    @property
    def script_correlation(self) -> float:
        """The rank correlation of the medians by script."""
        return rank_correlation([(ours, theirs) for _, ours, theirs in self.scripts])

    @property
    def furthest(self) -> list[PublishedPremium]:
        """The five languages with the largest factor between the two premiums."""
        return sorted(self.pairs, key=lambda pair: -pair.factor)[:5]


def comparisons(atlas: Atlas) -> list[PublishedComparison]:
    """Compare the atlas with the published table, for each tokenizer that is in both."""
    columns = {column.id: column for column in atlas.columns}
    return [comparison(atlas, columns[id], which) for which, id in enumerate(PUBLISHED_TOKENIZERS) if id in columns]


def comparison(atlas: Atlas, column: AtlasColumn, which: int) -> PublishedComparison:
    """Compare one tokenizer with column `which` of the published table, without English, whose premium is always 1."""
    pairs = []
    for index, language in enumerate(atlas.languages):
        ours = atlas.cell(index, column).premium
        if language.code in PUBLISHED and language.code != ENGLISH and ours is not None:
            pairs.append(PublishedPremium(language, ours, PUBLISHED[language.code][which] / PUBLISHED[ENGLISH][which]))
    pairs.sort(key=lambda pair: -pair.published)
    return PublishedComparison(
        column, tuple(pairs), rank_correlation([(pair.measured, pair.published) for pair in pairs])
    )


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Return Spearman's rank correlation ρ = 1 − 6 Σ d² / (n (n² − 1)) of values without ties (Spearman 1904).

    >>> rank_correlation([(1, 10), (2, 20), (3, 40)]), rank_correlation([(1, 3), (2, 2), (3, 1)])
    (1.0, -1.0)
    """
    ranks = np.argsort(np.argsort(np.array(pairs), axis=0), axis=0)
    n = len(pairs)
    return 1 - 6 * float(((ranks[:, 0] - ranks[:, 1]) ** 2).sum()) / (n * (n * n - 1))
