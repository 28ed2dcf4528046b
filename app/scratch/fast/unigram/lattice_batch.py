"""The lattices of many words as arrays: best paths, and expected counts equal to those of `scratch.learn_unigram`.

The teaching file enumerates the segmentations of each word. Here one step processes one position of all words in a few
numpy calls. Words are sorted, the longest first, so that the words with an n-th position are a prefix of the list. A
node is a position in a word; nodes are numbered by position, then by word. An arc is a piece between two nodes. Arcs
are sorted by their target, so that the arcs to one position of all words are one slice.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
STRIDE = 256
"""Positions after which sums over all paths are rescaled: over n positions there are up to 2**n paths."""


class Nodes:
    """The nodes of words of these lengths, the longest first. `level` is the position of a node, `word` its word.

    `first` contains the first node of each position, and `ends` the last node of each word.

    >>> nodes = Nodes(np.array([2, 1]))
    >>> nodes.first.tolist(), nodes.ends.tolist()
    ([0, 2, 4, 5], [4, 3])
    """

    def __init__(self, lengths: NDArray[np.integer]) -> None:
        self.words = len(lengths)
        levels = np.arange(int(lengths[0]) + 1, dtype=np.int32)
        widths = self.words - np.searchsorted(lengths[::-1], levels)
        self.first = np.concatenate(([0], np.cumsum(widths))).astype(np.int32)
        self.number = int(self.first[-1])
        self.level = np.repeat(levels, widths)
        self.word = np.arange(self.number, dtype=np.int32) - self.first[self.level]
        self.ends = self.first[lengths] + np.arange(self.words, dtype=np.int32)


def sum_by_id(ids: Ints, values: Floats, size: int) -> Floats:
    """Return the sum of the values of each id, as an array of this size.

    >>> sum_by_id(np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0]), 3).tolist()
    [4.0, 0.0, 2.0]
    """
    return np.bincount(ids, values, size).astype(np.float64, copy=False)


class Paths(NamedTuple):
    """The best path to each node: its sum of scores, and its last arc, the latter without the first nodes of words."""

    sums: Floats
    arrived: Ints


class Lattices:
    """Arcs between nodes, each with its piece. Each node but the first of a word is the target of at least one arc.

    The word ab with a count of 3, and the pieces a, b and ab:

    >>> scores, thrice = np.log([0.5, 0.25, 0.25]), np.array([3.0])
    >>> lattices = Lattices(Nodes(np.array([2])), np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([0, 2, 1]))
    >>> lattices.count_used(lattices.find_best(scores), thrice, 3).tolist()
    [0.0, 0.0, 3.0]
    >>> expected, likelihood = lattices.count_expected(scores, thrice)
    >>> expected.round(3).tolist(), round(likelihood / 3, 3), round(float(np.log(0.375)), 3)
    ([1.0, 1.0, 2.0], -0.981, -0.981)
    """

    def __init__(self, nodes: Nodes, sources: Ints, targets: Ints, pieces: Ints) -> None:
        self.nodes = nodes
        self.sources = sources
        self.targets = targets
        self.pieces = pieces
        # The first arc to each node; by level its arcs, its nodes, and their first arcs among these.
        self.begins = np.flatnonzero(np.diff(self.targets, prepend=-1))
        levels = nodes.first[1:]
        arcs = np.searchsorted(self.targets, levels).tolist()
        self.levels = [
            (slice(low, high), slice(begin, end), self.begins[begin - levels[0] : end - levels[0]] - low)
            for low, high, begin, end in zip(arcs, arcs[1:], levels.tolist(), levels[1:].tolist(), strict=False)
        ]

    def find_best(self, scores: Floats) -> Paths:
        """Return the best path to each node; of equally good ones, that with the longest last piece."""
        return self.find_best_by_arc(scores[self.pieces])

    def find_best_by_arc(self, arc_sums: Floats) -> Paths:
        """Return the same, given the score of each arc; the array is overwritten with the sums of paths by each."""
        sums = np.zeros(self.nodes.number)
        for arcs, nodes, begins in self.levels:
            arc_sums[arcs] += sums[self.sources[arcs]]
            sums[nodes] = np.maximum.reduceat(arc_sums[arcs], begins)
        # Arcs to a node are sorted by their source, so the first arc that reaches the maximum has the longest piece.
        hits = np.flatnonzero(arc_sums == sums[self.targets])
        return Paths(sums, hits[np.flatnonzero(np.diff(self.targets[hits], prepend=-1))].astype(np.int32))

    def count_passes(self, paths: Paths, counts: Floats) -> Floats:
        """Return how often the best paths of all words pass each node, without the first nodes of words."""
        through = np.zeros(self.nodes.number)
        through[self.nodes.ends] = counts
        sources = self.sources[paths.arrived]
        words = self.nodes.words
        for _, nodes, _ in reversed(self.levels):
            through[sources[nodes.start - words : nodes.stop - words]] += through[nodes]
        return through[words:]

    def count_used(self, paths: Paths, counts: Floats, size: int) -> Floats:
        """Return the count of each piece in the best segmentations of words with these counts."""
        return sum_by_id(self.pieces[paths.arrived], self.count_passes(paths, counts), size)

    def count_expected(self, scores: Floats, counts: Floats) -> tuple[Floats, float]:
        """Return the expected count of each piece over all segmentations, and the log-likelihood of all words.

        This is the forward-backward algorithm of Baum and Welch. Weights are relative to the best path to each node,
        and after every `STRIDE` positions to the sum over all paths, so that no sum leaves the range of a float.
        """
        sums = self.find_best(scores).sums
        ends = self.nodes.ends
        forward, weights = self._forward(scores, sums)
        backward = np.zeros(self.nodes.number)
        backward[ends] = counts / forward[ends]
        for arcs, _, _ in reversed(self.levels):
            sources = self.sources[arcs]
            weights[arcs] *= backward[self.targets[arcs]]
            # A plain += is correct, since no two arcs to the same position of all words have the same source.
            backward[sources] += weights[arcs]
            weights[arcs] *= forward[sources]
        return sum_by_id(self.pieces, weights, len(scores)), float(counts @ (np.log(forward[ends]) + sums[ends]))

    def _forward(self, scores: Floats, sums: Floats) -> tuple[Floats, Floats]:
        """Return the sum over all paths to each node, relative to exp(sums), and the weight of each arc. Updates `sums`
        after every `STRIDE` positions."""
        forward = np.ones(self.nodes.number)
        weights = scores[self.pieces]
        for begin in range(0, len(self.levels), STRIDE):
            levels = self.levels[begin : begin + STRIDE]
            arcs_of_block = slice(levels[0][0].start, levels[-1][0].stop)
            weights[arcs_of_block] += sums[self.sources[arcs_of_block]] - sums[self.targets[arcs_of_block]]
            np.exp(weights[arcs_of_block], out=weights[arcs_of_block])
            for arcs, nodes, begins in levels:
                forward[nodes] = np.add.reduceat(forward[self.sources[arcs]] * weights[arcs], begins)
            last = levels[-1][1]
            sums[last.stop :] += np.log(forward[last])[self.nodes.word[last.stop :]]
        return forward, weights

    def cut_parts(self, words: NDArray[np.integer], starts: Ints, lengths: Ints) -> "Lattices":
        """Return the lattices of parts of words, the longest first, without the arcs that span a whole part."""
        nodes = Nodes(lengths)
        level = nodes.level[nodes.words :]
        number = nodes.word[nodes.words :]
        originals = self.nodes.first[starts[number] + level] + words[number] - self.nodes.words
        begins = self.begins[originals]
        ends = np.append(self.begins[1:], len(self.pieces))[originals]
        sizes = ends - begins
        targets = np.repeat(np.arange(nodes.words, nodes.number, dtype=np.int32), sizes)
        arcs = np.arange(len(targets)) + np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)
        spans = self.nodes.level[self.targets[arcs]] - self.nodes.level[self.sources[arcs]]
        fits = (spans <= nodes.level[targets]) & (spans < lengths[nodes.word[targets]])
        arcs = arcs[fits]
        targets = targets[fits]
        spans = spans[fits]
        return Lattices(
            nodes, nodes.first[nodes.level[targets] - spans] + nodes.word[targets], targets, self.pieces[arcs]
        )
