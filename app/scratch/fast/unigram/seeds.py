"""The seed vocabulary of a unigram model, fast: equal to `seeds` of `scratch.learn_unigram`, and the words' lattices.

The teaching file counts the substrings of each word one by one. Here all suffixes of all words are sorted, as in a
suffix array (Manber and Myers 1990), by as many characters as a piece may have. Suffixes with a common prefix are then
adjacent, so that at each length the runs of equal prefixes are the distinct substrings, each with all its positions.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...compat.sentencepiece.scripts import SPACE, borders
from .lattice_batch import Floats, Ints, Lattices, Nodes

Flags = NDArray[np.bool_]
Followers = tuple[NDArray[np.integer], NDArray[np.integer]]
PART_SIZE = 100_000
"""Characters of words, approximately, whose lattices are one set of arrays."""
SORTED_SIZE = 200_000
"""Suffixes, approximately, that are sorted at once."""
BEFORE_SPACE = 1
BEFORE_NOTHING = 2
"""What follows a word: another word · the end of a line. Both bits are set if it occurs with both."""


class LatticePart(NamedTuple):
    """Some words: their lattices, their counts, where they begin in the text, and where the last one ends."""

    lattices: Lattices
    counts: Floats
    starts: Ints
    stop: int


class ConcatenatedWords(NamedTuple):
    """Concatenated words, as numbers of characters from 1, with a 0 after each word.

    By position, `weights` is the count of its word and `reach` the maximum length of a piece that begins there. Seen
    from before, the character at a position is one from `low` to `high`: the two differ at the end of a word.
    """

    codes: Ints
    weights: NDArray[np.int64]
    reach: Ints
    low: NDArray[np.integer]
    high: NDArray[np.integer]


class Substrings(NamedTuple):
    """The useful substrings of one length, by number: the count of each, and the first of its positions.

    `places` are all positions of any of them, and `numbers` says, in parallel, of which.
    """

    length: int
    counts: NDArray[np.int64]
    first: Ints
    places: Ints
    numbers: Ints


class Seeds:
    """All characters, the most frequent first, and other substrings by count times length; `most` in total.

    By id, `counts` are the counts of pieces in the words, `lengths` their lengths in characters, and `first` a position
    of each in the text.

    >>> seeds = Seeds({"hug": 10, "pug": 5, "hugs": 5}, most=8, longest=16)
    >>> [(seeds.spell(id), int(count)) for id, count in enumerate(seeds.counts)]
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
        """`ends` contains what follows each word, as in sentencepiece; by default, each word has another follower."""
        order = sorted(words, key=len, reverse=True)
        self._text = "\0".join([*order, ""])
        self._sizes = np.fromiter(map(len, order), np.int32, len(order))
        self._weights = np.fromiter(map(words.__getitem__, order), np.int64, len(order))
        self._stops = np.cumsum(self._sizes + 1, dtype=np.int32) - 1
        codes, alphabet = _number_characters(self._text, self._stops)
        reach = _reach(codes, borders(alphabet, codes, by_script=by_script, single_digits=single_digits), longest)
        low, high = _followers(codes, alphabet, self._stops, None if ends is None else [*map(ends.__getitem__, order)])
        text = ConcatenatedWords(codes, np.repeat(self._weights, self._sizes + 1), reach, low, high)
        self._choose([*substrings(text, longest)], most, longest)

    def _choose(self, candidates: list[Substrings], most: int, longest: int) -> None:
        """Assign ids to the best substrings, and collect the positions of these for each length."""
        lengths = np.repeat([each.length for each in candidates], [len(each.counts) for each in candidates])
        counts = np.concatenate([each.counts for each in candidates])
        self.characters = int((lengths == 1).sum())
        order = np.lexsort((-lengths, -counts * lengths, lengths > 1))[: max(most, self.characters)]
        ids = np.full(len(counts), -1, np.int32)
        ids[order] = np.arange(len(order))
        self.counts = counts[order]
        self.lengths = lengths[order]
        self.first = np.concatenate([each.first for each in candidates])[order]
        occurrences: dict[int, list[tuple[Ints, Ints]]] = {length: [] for length in range(1, longest + 1)}
        while candidates:  # pop() frees each array once it is used: they are the largest of the training
            each = candidates.pop()
            begin = len(ids) - len(each.counts)
            ids, place_ids = ids[:begin], ids[begin:][each.numbers]
            occurrences[each.length].append((each.places[place_ids >= 0], place_ids[place_ids >= 0]))
        self._occurrences = [_sort_by_place(occurrences.pop(length), len(self._text)) for length in sorted(occurrences)]

    def spell(self, id: int) -> str:
        """Return the characters of a piece."""
        return self._text[self.first[id] : self.first[id] + self.lengths[id]]

    def parts(self) -> Iterator[LatticePart]:
        """Yield the lattices of all words in parts, the longest words first. Can be called only once."""
        starts = self._stops - self._sizes
        words = len(self._stops)
        bounds = [0]
        while bounds[-1] < words:
            bounds.append(min(int(np.searchsorted(self._stops, self._stops[bounds[-1]] + PART_SIZE)) + 1, words))
        by_part = _divide(self._occurrences, self._stops[np.array(bounds[1:]) - 1])
        for (begin, end), occurrences in zip(pairwise(bounds), by_part, strict=True):
            lattices = _lattices(starts[begin:end], self._sizes[begin:end], occurrences)
            occurrences.clear()
            counts = self._weights[begin:end].astype(np.float64)
            yield LatticePart(lattices, counts, starts[begin:end], int(self._stops[end - 1]))


def _divide(occurrences: list[tuple[Ints, Ints]], stops: Ints) -> list[list[tuple[Ints, Ints]]]:
    """Divide occurrences at these positions of the text. Empties the list, to free memory."""
    parts: list[list[tuple[Ints, Ints]]] = [[] for _ in stops]
    while occurrences:
        places, ids = occurrences.pop(0)
        bounds = [0, *np.searchsorted(places, stops).tolist()]
        for part, (low, high) in zip(parts, pairwise(bounds), strict=True):
            part.append((places[low:high].copy(), ids[low:high].copy()))  # a view would keep the whole array
    return parts


def _number_characters(text: str, stops: Ints) -> tuple[Ints, list[str]]:
    """Return the text as numbers of characters from 1, by code point, with 0 after words; and the characters."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    inside = np.ones(len(points), bool)
    inside[stops] = False
    present = np.zeros(int(points.max()) + 1, bool)
    present[points[inside]] = True
    codes = np.cumsum(present, dtype=np.int32)[points]
    codes[stops] = 0
    return codes, [*map(chr, np.flatnonzero(present))]


def _reach(codes: Ints, borders: NDArray[np.bool_], longest: int) -> Ints:
    """Return, by position, the maximum length of a piece that begins there: up to a border or the end of the word."""
    places = np.arange(len(codes), dtype=np.int32)
    stops = np.where(borders | (codes == 0), places, np.int32(len(codes)))
    after = np.minimum.accumulate(stops[::-1])[::-1]
    return np.minimum(np.append(after[1:], np.int32(len(codes))) - places, np.int32(longest))


def _followers(codes: Ints, alphabet: Sequence[str], stops: Ints, ends: Sequence[int] | None) -> Followers:
    """Return `Text.low` and `Text.high`. With `ends`, by the first byte of characters in UTF-8, as in sentencepiece."""
    if ends is None:
        low = codes.copy()
        high = codes.copy()
        low[stops], high[stops] = -1, len(alphabet) + 1  # never equal: the end of a word counts as several followers
        return low, high
    kinds = np.array(ends)
    space = SPACE.encode()[0]
    least = np.array([0, *(char.encode(errors="surrogatepass")[0] for char in alphabet)], np.uint8)[codes]
    greatest = least.copy()
    least[stops] = np.where(kinds & BEFORE_NOTHING, 0, space)
    greatest[stops] = np.where(kinds & BEFORE_SPACE, space, 0)
    return least, greatest


def _sort_by_place(pairs: list[tuple[Ints, Ints]], size: int) -> tuple[Ints, Ints]:
    """Return pairs of a position and an id by position. No position occurs twice. Empties the list."""
    table = np.full(size, -1, np.int32)  # a table by position sorts in linear time
    for places, ids in pairs:
        table[places] = ids
    pairs.clear()
    places = np.flatnonzero(table >= 0).astype(np.int32)
    return places, table[places]


def _lattices(starts: Ints, sizes: Ints, occurrences: Sequence[tuple[Ints, Ints]]) -> Lattices:
    """Return the lattices of the words with these starts, from the occurrences of the pieces of each length."""
    nodes = Nodes(sizes)
    longest = len(occurrences)
    begin = int(starts[0])
    stop = int(starts[-1] + sizes[-1])
    words = np.repeat(np.arange(nodes.words), sizes + 1)
    levels = np.arange(begin, stop + 1) - starts[words]
    table = np.full((nodes.number, longest), -1, np.int32)
    for length, (places, ids) in enumerate(occurrences, 1):
        offsets = places - begin
        # The columns are from the longest piece to the shortest, so that arcs to a node are sorted by their source.
        table[nodes.first[levels[offsets] + length] + words[offsets], -length] = ids
    pieces = table.ravel()
    arcs = np.flatnonzero(pieces >= 0)
    targets = (arcs // longest).astype(np.int32)
    sources = nodes.first[nodes.level[targets] - (longest - arcs % longest)] + nodes.word[targets]
    return Lattices(nodes, sources, targets, pieces[arcs])


def substrings(text: ConcatenatedWords, longest: int) -> Iterator[Substrings]:
    """Yield all characters, and substrings that occur twice or more with different followers, some prefixes at a time.

    A substring that is always followed by the same character is not useful as a piece, since a longer one occurs at all
    its positions. The words abc and abd leave only ab:

    >>> codes = np.array([1, 2, 3, 0, 1, 2, 4, 0], np.int32)
    >>> reach = np.array([3, 2, 1, 0, 3, 2, 1, 0], np.int32)
    >>> result = substrings(ConcatenatedWords(codes, np.ones(8, np.int64), reach, codes, codes), 3)
    >>> [(each.length, each.counts.tolist(), each.first.tolist()) for each in result]
    [(1, [2, 2, 1, 1], [0, 1, 2, 6]), (2, [2], [0]), (3, [], [])]
    """
    padded = np.append(text.codes, np.zeros(longest + 64, np.int32))
    for places in _buckets(text.codes):
        yield from _group_by_length(text, _sort_suffixes(padded, places, longest + 1), longest)


def _buckets(codes: Ints) -> Iterator[Ints]:
    """Yield the positions of all characters, some characters at a time, which bounds the memory for sorting."""
    sizes = np.bincount(codes)[1:]
    last = np.cumsum(sizes) // SORTED_SIZE
    for number in np.unique(last[sizes > 0]):
        mask = np.append(False, (last == number) & (sizes > 0))
        yield np.flatnonzero(mask[codes]).astype(np.int32)


def _group_by_length(text: ConcatenatedWords, places: Ints, longest: int) -> Iterator[Substrings]:
    """Yield, for each length, the useful prefixes of sorted suffixes."""
    group = np.zeros(len(places), np.int32)
    for length in range(1, longest + 1):  # each length divides the groups of the one before
        if not len(places):
            return
        begins = _changes(group) | _changes(text.codes[places + (length - 1)])
        group = np.cumsum(begins, dtype=np.int32) - 1
        starts = np.flatnonzero(begins)
        counts = np.add.reduceat(text.weights[places], starts)
        several = counts > 1
        low = np.minimum.reduceat(text.low[places + length], starts)
        high = np.maximum.reduceat(text.high[places + length], starts)
        worth = several & (low < high) if length > 1 else np.ones(len(starts), bool)
        among = worth[group]
        numbers = (np.cumsum(worth, dtype=np.int32) - 1)[group[among]]
        yield Substrings(length, counts[worth], places[starts[worth]], places[among], numbers)
        longer = several[group] & (text.reach[places] > length)
        places = places[longer]
        group = group[longer]


def _changes(values: NDArray[np.integer]) -> Flags:
    """Return a mask of the values that differ from the one before, the first included."""
    return np.concatenate(([True], values[1:] != values[:-1]))


def _sort_suffixes(codes: Ints, places: Ints, depth: int) -> Ints:
    """Return positions sorted by their suffixes, which are compared up to this depth and the end of the word."""
    bits = int(codes.max()).bit_length()
    many = 63 // bits  # characters that fit in one integer, so that numpy can sort them
    key, inside = _pack_characters(codes, places, np.ones(len(places), bool), bits, many)
    order = np.argsort(key)
    places = places[order]
    inside = inside[order]
    begins = _changes(key[order])
    for first in range(many, depth, many):
        # Only the positions that are still equal to an adjacent one are sorted by their next characters.
        tied = np.flatnonzero(~(begins & np.append(begins[1:], True)) & inside)
        some = places[tied]
        group = np.cumsum(begins)[tied]
        key, within = _pack_characters(codes, some + first, inside[tied], bits, many)
        order = np.lexsort((key, group))
        places[tied], inside[tied] = some[order], within[order]
        begins[tied] |= _changes(key[order])[: len(tied)]
    return places


def _pack_characters(codes: Ints, places: Ints, inside: Flags, bits: int, many: int) -> tuple[NDArray[np.int64], Flags]:
    """Return the next characters at each position as one number, with 0 after the end of the word, and a mask of the
    positions whose word did not end."""
    packed = np.zeros(len(places), np.int64)
    for offset in range(many):
        following = codes[places + offset]
        inside = inside & (following > 0)
        packed = packed << bits | np.where(inside, following, 0)
    return packed, inside
