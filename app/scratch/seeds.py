"""The pieces that a unigram vocabulary is chosen from, and the lattices of the words they come from."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.scratch.lattices import Floats, Ints, Lattices, Nodes
from app.scratch.scripts import SPACE, borders
from app.scratch.substrings import Followers, Found, Text, substrings

TOGETHER = 100_000
"""Characters of words whose lattices are one set of arrays."""
BEFORE_SPACE, BEFORE_NOTHING = 1, 2
"""What comes behind a word: another word · the end of a line. Both, where it comes several times."""


class Part(NamedTuple):
    """Some words: their lattices, how often each comes, and where in the text they begin, and the last one stops."""

    lattices: Lattices
    counts: Floats
    starts: Ints
    stop: int


class Seeds:
    """Every character, the most frequent first, and as many other substrings as are asked for, by count times length.

    By id, `counts` says how often a piece stands in the words, and `lengths` how many characters it has. `first` is a
    place where it stands.

    >>> seeds = Seeds({"hug": 10, "pug": 5, "hugs": 5}, most=8, longest=16)
    >>> [(seeds.spelled(id), int(count)) for id, count in enumerate(seeds.counts)]
    [('g', 20), ('u', 20), ('h', 15), ('p', 5), ('s', 5), ('hug', 15), ('ug', 20), ('hugs', 5)]
    """

    def __init__(
        self,
        words: Mapping[str, int],
        *,
        most: int,
        longest: int,
        ends: Mapping[str, int] | None = None,
        by_script: bool = False,
        single_digits: bool = False,
    ) -> None:
        """`ends` says what comes behind each word, as sentencepiece sees it; else, every time it is something else."""
        order = sorted(words, key=len, reverse=True)
        self._text = "\0".join([*order, ""])
        self._sizes = np.fromiter(map(len, order), np.int32, len(order))
        self._weights = np.fromiter(map(words.__getitem__, order), np.int64, len(order))
        self._stops = np.cumsum(self._sizes + 1, dtype=np.int32) - 1
        codes, alphabet = _numbered(self._text, self._stops)
        reach = _reach(codes, borders(alphabet, codes, by_script=by_script, single_digits=single_digits), longest)
        low, high = _followers(codes, alphabet, self._stops, None if ends is None else [*map(ends.__getitem__, order)])
        text = Text(codes, np.repeat(self._weights, self._sizes + 1), reach, low, high)
        self._choose([*substrings(text, longest)], most, longest)

    def _choose(self, found: list[Found], most: int, longest: int) -> None:
        """Give ids to the best of what was found, and keep for each length where they stand."""
        lengths = np.repeat([each.length for each in found], [len(each.counts) for each in found])
        counts = np.concatenate([each.counts for each in found])
        self.characters = int((lengths == 1).sum())
        order = np.lexsort((-lengths, -counts * lengths, lengths > 1))[: max(most, self.characters)]
        ids = np.full(len(counts), -1, np.int32)
        ids[order] = np.arange(len(order))
        self.counts, self.lengths = counts[order], lengths[order]
        self.first = np.concatenate([each.first for each in found])[order]
        standing: dict[int, list[tuple[Ints, Ints]]] = {length: [] for length in range(1, longest + 1)}
        while found:
            each = found.pop()
            begin = len(ids) - len(each.counts)
            ids, these = ids[:begin], ids[begin:][each.numbers]
            standing[each.length].append((each.places[these >= 0], these[these >= 0]))
        self._standing = [_in_order(standing.pop(length), len(self._text)) for length in sorted(standing)]

    def spelled(self, id: int) -> str:
        """The piece itself."""
        return self._text[self.first[id] : self.first[id] + self.lengths[id]]

    def parts(self) -> Iterator[Part]:
        """The lattices of all words, some words at a time, the longest first. This can be asked for once."""
        starts, words = self._stops - self._sizes, len(self._stops)
        bounds = [0]
        while bounds[-1] < words:
            bounds.append(min(int(np.searchsorted(self._stops, self._stops[bounds[-1]] + TOGETHER)) + 1, words))
        shelves = _shelves(self._standing, self._stops[np.array(bounds[1:]) - 1])
        for (begin, end), standing in zip(pairwise(bounds), shelves, strict=True):
            lattices = _lattices(starts[begin:end], self._sizes[begin:end], standing)
            standing.clear()
            counts = self._weights[begin:end].astype(np.float64)
            yield Part(lattices, counts, starts[begin:end], int(self._stops[end - 1]))


def _shelves(standing: list[tuple[Ints, Ints]], stops: Ints) -> list[list[tuple[Ints, Ints]]]:
    """By part of the text, which ends at such a place, the pairs that are in it; they are taken out of `standing`."""
    shelves: list[list[tuple[Ints, Ints]]] = [[] for _ in stops]
    while standing:
        places, ids = standing.pop(0)
        cuts = [0, *np.searchsorted(places, stops).tolist()]
        for shelf, (low, high) in zip(shelves, pairwise(cuts), strict=True):
            shelf.append((places[low:high].copy(), ids[low:high].copy()))
    return shelves


def _numbered(text: str, stops: Ints) -> tuple[Ints, list[str]]:
    """Numbers for the characters of words in their order, from 1, and 0 where words stop; and the characters."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    inside = np.ones(len(points), bool)
    inside[stops] = False
    there = np.zeros(int(points.max()) + 1, bool)
    there[points[inside]] = True
    codes = np.cumsum(there, dtype=np.int32)[points]
    codes[stops] = 0
    return codes, [*map(chr, np.flatnonzero(there))]


def _reach(codes: Ints, borders: NDArray[np.bool_], longest: int) -> Ints:
    """How long a piece that begins at a place may be: to the next border, or the end of its word."""
    places = np.arange(len(codes), dtype=np.int32)
    stops = np.where(borders | (codes == 0), places, np.int32(len(codes)))
    after = np.minimum.accumulate(stops[::-1])[::-1]
    return np.minimum(np.append(after[1:], np.int32(len(codes))) - places, np.int32(longest))


def _followers(codes: Ints, alphabet: Sequence[str], stops: Ints, ends: Sequence[int] | None) -> Followers:
    """What comes at each place, from and to. sentencepiece goes by the first byte of a character's UTF-8 form."""
    if ends is None:
        low, high = codes.copy(), codes.copy()
        low[stops], high[stops] = -1, len(alphabet) + 1
        return low, high
    kinds, space = np.array(ends), SPACE.encode()[0]
    least = np.array([0, *(char.encode(errors="surrogatepass")[0] for char in alphabet)], np.uint8)[codes]
    greatest = least.copy()
    least[stops] = np.where(kinds & BEFORE_NOTHING, 0, space)
    greatest[stops] = np.where(kinds & BEFORE_SPACE, space, 0)
    return least, greatest


def _in_order(pairs: list[tuple[Ints, Ints]], size: int) -> tuple[Ints, Ints]:
    """Pairs of a place and an id, by place, of which each has one at most."""
    table = np.full(size, -1, np.int32)
    for places, ids in pairs:
        table[places] = ids
    pairs.clear()
    places = np.flatnonzero(table >= 0).astype(np.int32)
    return places, table[places]


def _lattices(starts: Ints, sizes: Ints, standing: Sequence[tuple[Ints, Ints]]) -> Lattices:
    """The lattices of words that begin there, of the pieces that stand in them, which are given for each length."""
    nodes, longest = Nodes(sizes), len(standing)
    begin, stop = int(starts[0]), int(starts[-1] + sizes[-1])
    words = np.repeat(np.arange(nodes.words), sizes + 1)
    levels = np.arange(begin, stop + 1) - starts[words]
    table = np.full((nodes.number, longest), -1, np.int32)
    for length, (places, ids) in enumerate(standing, 1):
        here = places - begin
        table[nodes.first[levels[here] + length] + words[here], -length] = ids
    pieces = table.ravel()
    arcs = np.flatnonzero(pieces >= 0)
    targets = (arcs // longest).astype(np.int32)
    sources = nodes.first[nodes.level[targets] - (longest - arcs % longest)] + nodes.word[targets]
    return Lattices(nodes, sources, targets, pieces[arcs])
