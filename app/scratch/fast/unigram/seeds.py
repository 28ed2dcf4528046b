"""The seed vocabulary of a unigram model, fast: equal to `seeds` of `scratch.learn_unigram`, and the words' lattices.

The teaching file counts the substrings of each word one by one. Here all suffixes of all words are sorted, as in a
suffix array (Manber and Myers 1990), by as many characters as a piece may have. Suffixes with a common prefix are then
adjacent, so that at each length the runs of equal prefixes are the distinct substrings, each with all its positions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...compat.sentencepiece.scripts import SPACE, borders
from .lattice_batch import Floats, Ints, Lattices, Nodes

Flags = NDArray[np.bool_]
Followers = tuple[NDArray[np.integer], NDArray[np.integer]]
PART_SIZE = 50_000
"""Characters of words, approximately, whose lattices are one set of arrays."""
SORTED_SIZE = 200_000
"""Suffixes, approximately, that are sorted at once."""
BEFORE_SPACE = 1
BEFORE_NOTHING = 2
"""What follows a word: another word · the end of a line. Both bits are set if it occurs with both."""


@dataclass(eq=False)
class LatticePart:
    """Some words: their counts, sizes, where they begin in the text, where the last one ends, and their lattices.

    Of the lattices, only the number of the arcs to each node and their `pieces` are kept, which take a third of the
    memory: all else follows from the sizes of words and the `lengths` of all pieces.
    """

    counts: Floats
    sizes: Ints
    starts: Ints
    stop: int
    arcs: NDArray[np.unsignedinteger]
    pieces: Ints
    lengths: Ints

    @property
    def lattices(self) -> Lattices:
        """The lattices of the words, made anew each time."""
        nodes = Nodes(self.sizes)
        targets = np.repeat(np.arange(nodes.words, nodes.number, dtype=np.int32), self.arcs)
        levels = nodes.level[targets]
        levels -= self.lengths[self.pieces]
        sources = nodes.first[levels]
        sources += nodes.word[targets]
        return Lattices(nodes, sources, targets, self.pieces)

    def filter_pieces(self, selected: NDArray[np.bool_]) -> None:
        """Remove the arcs of all pieces that are not kept. Each node must keep one."""
        mask = selected[self.pieces]
        begins = np.cumsum(self.arcs, dtype=np.int64) - self.arcs
        self.arcs = np.add.reduceat(mask, begins, dtype=self.arcs.dtype)
        self.pieces = self.pieces[mask]


class ConcatenatedWords(NamedTuple):
    """Concatenated words, as numbers of characters from 1, with a 0 after each word.

    By position, `weights` is the count of its word and `reach` the maximum length of a piece that begins there. Seen
    from before, the character at a position is one from `low` to `high`: the two differ at the end of a word.
    """

    codes: Ints
    weights: NDArray[np.integer]
    reach: Ints
    low: NDArray[np.integer]
    high: NDArray[np.integer]


class Substrings(NamedTuple):
    """The useful substrings of one length, by number: the count of each, and the first of its positions.

    `places` are all positions of the first, then of the second and so on; `sizes` says how many each has.
    """

    length: int
    counts: NDArray[np.int64]
    first: Ints
    places: Ints
    sizes: Ints


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
        weights = np.repeat(_narrow(self._weights), self._sizes + 1)
        text = ConcatenatedWords(codes, weights, reach, low, high)
        candidates = [*substrings(text, longest)]
        del text, codes, weights, reach, low, high  # which are large
        self._choose(candidates, most, longest)

    def _choose(self, candidates: list[Substrings], most: int, longest: int) -> None:
        """Assign ids to the best substrings, and collect the positions of these for each length."""
        sizes = [len(each.counts) for each in candidates]
        lengths = np.repeat(np.array([each.length for each in candidates], np.int32), sizes)
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
            ids, place_ids = ids[:begin], np.repeat(ids[begin:], each.sizes)
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
            sizes = self._sizes[begin:end]
            arcs, pieces = _arcs(starts[begin:end], sizes, occurrences)
            occurrences.clear()
            counts = self._weights[begin:end].astype(np.float64)
            stop = int(self._stops[end - 1])
            yield LatticePart(counts, sizes, starts[begin:end], stop, arcs, pieces, self.lengths)


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
    codes = _narrow(np.cumsum(present, dtype=np.int32))[points]
    codes[stops] = 0
    return codes, [*map(chr, np.flatnonzero(present))]


def _narrow(numbers: NDArray[np.integer]) -> Ints:
    """Return numbers, none of them negative, as the smallest type that fits."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _reach(codes: Ints, borders: NDArray[np.bool_], longest: int) -> Ints:
    """Return, by position, the maximum length of a piece that begins there: up to a border or the end of the word."""
    places = np.arange(len(codes), dtype=np.int32)
    stops = np.where(borders | (codes == 0), places, np.int32(len(codes)))
    after = np.minimum.accumulate(stops[::-1])[::-1]
    sizes = np.minimum(np.append(after[1:], np.int32(len(codes))) - places, np.int32(longest))
    return sizes.astype(np.min_scalar_type(longest))


def _followers(codes: Ints, alphabet: Sequence[str], stops: Ints, ends: Sequence[int] | None) -> Followers:
    """Return `Text.low` and `Text.high`. With `ends`, by the first byte of characters in UTF-8, as in sentencepiece."""
    if ends is None:
        low, high = codes.astype(np.int32), codes.astype(np.int32)
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


def _arcs(
    starts: Ints, sizes: Ints, occurrences: Sequence[tuple[Ints, Ints]]
) -> tuple[NDArray[np.unsignedinteger], Ints]:
    """Return the number of the arcs to each node of words with these starts, and their pieces, from the occurrences of
    the pieces of each length."""
    nodes = Nodes(sizes)
    longest = len(occurrences)
    begin = int(starts[0])
    stop = int(starts[-1] + sizes[-1])
    words = np.repeat(np.arange(nodes.words, dtype=np.int32), sizes + 1)
    levels = np.arange(begin, stop + 1, dtype=np.int32) - starts[words]
    table = np.full((nodes.number, longest), -1, np.int32)
    for length, (places, ids) in enumerate(occurrences, 1):
        offsets = places - begin
        # The columns are from the longest piece to the shortest, so that arcs to a node are sorted by their source.
        table[nodes.first[levels[offsets] + length] + words[offsets], -length] = ids
    present = table >= 0
    counts = np.count_nonzero(present[nodes.words :], axis=1).astype(np.min_scalar_type(longest))
    return counts, table[present]


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
    padded = np.append(text.codes, np.zeros(longest + 64, text.codes.dtype))
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
        counts = np.add.reduceat(text.weights[places], starts, dtype=np.int64)
        several = counts > 1
        low = np.minimum.reduceat(text.low[places + length], starts)
        high = np.maximum.reduceat(text.high[places + length], starts)
        worth = several & (low < high) if length > 1 else np.ones(len(starts), bool)
        sizes = np.diff(starts, append=len(places)).astype(np.int32)
        yield Substrings(length, counts[worth], places[starts[worth]], places[worth[group]], sizes[worth])
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
