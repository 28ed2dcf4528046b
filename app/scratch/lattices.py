"""The lattices of many words at once: what `lattice` does for one text, as arrays, and a corpus in a moment.

Words are sorted, the longest first, so that those which have a place of some number are the first of them. A node is a
place in a word; nodes are numbered by place, then by word. An arc is a piece that fits between two nodes. Arcs are
sorted by where they end, so that what is said of one place is told for all words in one go.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
STRETCH = 256
"""Places after which sums over all paths are put in relation to themselves, since there are up to 2 to that many."""


class Nodes:
    """The places in words of these lengths, the longest first. `level` is a node's place, `word` the index of its word.

    `first` tells where the nodes of a place begin, and `ends` by word the last one.

    >>> nodes = Nodes(np.array([2, 1]))
    >>> nodes.first.tolist(), nodes.ends.tolist()
    ([0, 2, 4, 5], [4, 3])
    """

    def __init__(self, lengths: NDArray[np.integer]) -> None:
        self.words, levels = len(lengths), np.arange(int(lengths[0]) + 1, dtype=np.int32)
        widths = self.words - np.searchsorted(lengths[::-1], levels)
        self.first = np.concatenate(([0], np.cumsum(widths))).astype(np.int32)
        self.number = int(self.first[-1])
        self.level = np.repeat(levels, widths)
        self.word = np.arange(self.number, dtype=np.int32) - self.first[self.level]
        self.ends = self.first[lengths] + np.arange(self.words, dtype=np.int32)


def summed(ids: Ints, values: Floats, size: int) -> Floats:
    """By id, the sum of its values.

    >>> summed(np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0]), 3).tolist()
    [4.0, 0.0, 2.0]
    """
    return np.bincount(ids, values, size).astype(np.float64, copy=False)


class Paths(NamedTuple):
    """The best path to each node: its sum of scores, and by node but those where words begin, the arc it arrives by."""

    sums: Floats
    arrived: Ints


class Lattices:
    """Arcs between nodes, each with its piece; every node but the first of a word is where one ends.

    Here, for the word ab, of the pieces a, b and ab with these probabilities:

    >>> scores, thrice = np.log([0.5, 0.25, 0.25]), np.array([3.0])
    >>> lattices = Lattices(Nodes(np.array([2])), np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([0, 2, 1]))
    >>> lattices.used(lattices.best(scores), thrice, 3).tolist()
    [0.0, 0.0, 3.0]
    >>> expected, likelihood = lattices.expected(scores, thrice)
    >>> expected.round(3).tolist(), round(likelihood / 3, 3), round(float(np.log(0.375)), 3)
    ([1.0, 1.0, 2.0], -0.981, -0.981)
    """

    def __init__(self, nodes: Nodes, sources: Ints, targets: Ints, pieces: Ints) -> None:
        self.nodes, self.sources, self.targets, self.pieces = nodes, sources, targets, pieces
        self._index()

    def _index(self) -> None:
        """Find by node the first arc to it; and by level the arcs, the nodes, and by node the first arc among these."""
        self.begins = np.flatnonzero(np.diff(self.targets, prepend=-1))
        levels = self.nodes.first[1:]
        arcs = np.searchsorted(self.targets, levels).tolist()
        self.levels = [
            (slice(low, high), slice(begin, end), self.begins[begin - levels[0] : end - levels[0]] - low)
            for low, high, begin, end in zip(arcs, arcs[1:], levels.tolist(), levels[1:].tolist(), strict=False)
        ]

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Go on with the arcs of some pieces."""
        stay = kept[self.pieces]
        self.sources, self.targets, self.pieces = self.sources[stay], self.targets[stay], self.pieces[stay]
        self._index()

    def best(self, scores: Floats) -> Paths:
        """The best path to each node by the scores of pieces; of equal ones, that with the longest last piece."""
        sums = np.zeros(self.nodes.number)
        ways = scores[self.pieces]
        for arcs, nodes, begins in self.levels:
            ways[arcs] += sums[self.sources[arcs]]
            sums[nodes] = np.maximum.reduceat(ways[arcs], begins)
        hits = np.flatnonzero(ways == sums[self.targets])
        return Paths(sums, hits[np.flatnonzero(np.diff(self.targets[hits], prepend=-1))].astype(np.int32))

    def through(self, paths: Paths, counts: Floats) -> Floats:
        """How often the best paths to the ends of words come through each node but those where words begin."""
        through = np.zeros(self.nodes.number)
        through[self.nodes.ends] = counts
        sources, words = self.sources[paths.arrived], self.nodes.words
        for _, nodes, _ in reversed(self.levels):
            through[sources[nodes.start - words : nodes.stop - words]] += through[nodes]
        return through[words:]

    def used(self, paths: Paths, counts: Floats, size: int) -> Floats:
        """How often each piece is used where words, coming so often, are cut in the best way."""
        return summed(self.pieces[paths.arrived], self.through(paths, counts), size)

    def expected(self, scores: Floats, counts: Floats) -> tuple[Floats, float]:
        """How often each piece is expected over all cuts of words, coming so often; and the log-likelihood of them all.

        Forward and backward, as Baum and Welch do, with weights in relation to the best path to each node, and after a
        stretch to all paths, so that no sum leaves the range of a float.
        """
        sums, ends = self.best(scores).sums, self.nodes.ends
        forward, weights = self._forward(scores, sums)
        backward = np.zeros(self.nodes.number)
        backward[ends] = counts / forward[ends]
        for arcs, _, _ in reversed(self.levels):
            sources = self.sources[arcs]
            weights[arcs] *= backward[self.targets[arcs]]
            backward[sources] += weights[arcs]  # of the arcs to one place of all words, no two begin at the same node
            weights[arcs] *= forward[sources]
        return summed(self.pieces, weights, len(scores)), float(counts @ (np.log(forward[ends]) + sums[ends]))

    def _forward(self, scores: Floats, sums: Floats) -> tuple[Floats, Floats]:
        """The sum over all paths to each node, in relation to exp(sums), which are raised on the way; and by arc,
        the weight that goes with it."""
        forward, weights = np.ones(self.nodes.number), scores[self.pieces]
        for begin in range(0, len(self.levels), STRETCH):
            stretch = self.levels[begin : begin + STRETCH]
            these = slice(stretch[0][0].start, stretch[-1][0].stop)
            weights[these] += sums[self.sources[these]] - sums[self.targets[these]]
            np.exp(weights[these], out=weights[these])
            for arcs, nodes, begins in stretch:
                forward[nodes] = np.add.reduceat(forward[self.sources[arcs]] * weights[arcs], begins)
            last = stretch[-1][1]
            sums[last.stop :] += np.log(forward[last])[self.nodes.word[last.stop :]]
        return forward, weights

    def within(self, words: NDArray[np.integer], starts: Ints, lengths: Ints) -> "Lattices":
        """The lattices of stretches of words, the longest first, without the arcs that span the whole stretch."""
        nodes = Nodes(lengths)
        level, stretch = nodes.level[nodes.words :], nodes.word[nodes.words :]
        there = self.nodes.first[starts[stretch] + level] + words[stretch] - self.nodes.words
        begins, ends = self.begins[there], np.append(self.begins[1:], len(self.pieces))[there]
        sizes = ends - begins
        targets = np.repeat(np.arange(nodes.words, nodes.number, dtype=np.int32), sizes)
        arcs = np.arange(len(targets)) + np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)
        spans = self.nodes.level[self.targets[arcs]] - self.nodes.level[self.sources[arcs]]
        fits = (spans <= nodes.level[targets]) & (spans < lengths[nodes.word[targets]])
        arcs, targets, spans = arcs[fits], targets[fits], spans[fits]
        return Lattices(
            nodes, nodes.first[nodes.level[targets] - spans] + nodes.word[targets], targets, self.pieces[arcs]
        )
