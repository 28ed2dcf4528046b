"""The atlas beside what was published: the token counts of Petrov et al. 2023 for the same tokenizers and languages.

Theirs are of 2,000 sentences of FLORES-200, so that figures differ with the text; what must agree is the order. The
counts are from the table that accompanies the paper (github.com/AleksandarPetrov/tokenization-fairness, MIT licence).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import median

import numpy as np

from app.lab.languages.atlas import ENGLISH, Atlas, Column, Language

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
"""By code of the atlas: tokens of cl100k_base and of r50k_base. Languages whose script is the same in both."""
TABLE: Mapping[str, tuple[int, int]] = {
    code: (int(newer), int(older)) for code, newer, older in (one.split() for one in PAIRS.split(","))
}
COMPARED = ("cl100k_base", "r50k_base")
NEAR = 0.25
MOST = 10
COMPOSED, SPACED = 2.70, 7.96
"""With cl100k_base: the premium of Vietnamese with composed letters, and of Amharic with spaces between its words."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A premium here and the one published."""

    language: Language
    ours: float
    theirs: float

    @property
    def apart(self) -> float:
        """How many times the one is the other, 1 where they are equal."""
        return exp(abs(log(self.ours / self.theirs)))


@dataclass(frozen=True, slots=True)
class Comparison:
    """A tokenizer's premiums beside those published, the dearest there first.

    `rank_correlation` is Spearman's, 1 where the order is the same.
    """

    column: Column
    pairs: tuple[Pair, ...]
    rank_correlation: float

    @property
    def near(self) -> int:
        """Languages whose two premiums differ by a quarter at most."""
        return sum(pair.apart <= 1 + NEAR for pair in self.pairs)

    @property
    def worst(self) -> int:
        """How many of the ten dearest there are among the ten dearest here."""
        ours = sorted(self.pairs, key=lambda pair: -pair.ours)[:MOST]
        return len({pair.language.code for pair in ours} & {pair.language.code for pair in self.pairs[:MOST]})

    @property
    def scripts(self) -> list[tuple[str, float, float]]:
        """The medians by script, ours and theirs, the dearest there first."""
        found: dict[str, list[Pair]] = {}
        for pair in self.pairs:
            found.setdefault(pair.language.script, []).append(pair)
        medians = ((script, *_medians(pairs)) for script, pairs in found.items())
        return sorted(medians, key=lambda one: -one[2])

    @property
    def script_correlation(self) -> float:
        """The rank correlation of the scripts' medians."""
        return rank_correlation([(ours, theirs) for _, ours, theirs in self.scripts])

    @property
    def furthest(self) -> list[Pair]:
        """The five languages on which the two agree least."""
        return sorted(self.pairs, key=lambda pair: -pair.apart)[:5]


def comparisons(atlas: Atlas) -> list[Comparison]:
    """The atlas beside the published table, for each of its tokenizers that the atlas has."""
    columns = {column.id: column for column in atlas.columns}
    return [comparison(atlas, columns[id], which) for which, id in enumerate(COMPARED) if id in columns]


def comparison(atlas: Atlas, column: Column, which: int) -> Comparison:
    """One tokenizer, which has this place in the published table; English is left out, as its premium is 1 in both."""
    pairs = []
    for place, language in enumerate(atlas.languages):
        ours = atlas.cell(place, column).premium
        if language.code in TABLE and language.code != ENGLISH and ours is not None:
            pairs.append(Pair(language, ours, TABLE[language.code][which] / TABLE[ENGLISH][which]))
    pairs.sort(key=lambda pair: -pair.theirs)
    return Comparison(column, tuple(pairs), rank_correlation([(pair.ours, pair.theirs) for pair in pairs]))


def _medians(pairs: Sequence[Pair]) -> tuple[float, float]:
    return median(pair.ours for pair in pairs), median(pair.theirs for pair in pairs)


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Spearman's rank correlation, for values of which no two are equal.

    >>> rank_correlation([(1, 10), (2, 20), (3, 40)]), rank_correlation([(1, 3), (2, 2), (3, 1)])
    (1.0, -1.0)
    """
    ranks = np.argsort(np.argsort(np.array(pairs), axis=0), axis=0)
    n = len(pairs)
    return 1 - 6 * float(((ranks[:, 0] - ranks[:, 1]) ** 2).sum()) / (n * (n * n - 1))
