"""The best segmentations of many words at once: pieces found by their hash, best paths by `batched_lattices`.

A language has some thousand different words, and a loop over their characters is most of the work of a text that was
not met before. Here one step of numpy looks up all substrings of one length in all words.
"""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..hash_index import MULTIPLIER, Hashes, HashIndex, Ints
from .lattice_batch import Floats, Lattices, Nodes, Paths


class Cuts(NamedTuple):
    """Segmentations of words, one after the other.

    - `ids`, `sizes`: of each piece its id and its number of characters.
    - `counts`: of each word its number of pieces.
    - `margins`: of each word by how much each of its pieces, up to its end, beats any other segmentation, beyond what
      rounding may take from the pieces up to there.
    - `lowest`: of each word the lowest of the best sums up to each of its positions.
    """

    ids: Ints
    sizes: Ints
    counts: Ints
    margins: NDArray[np.float64]
    lowest: NDArray[np.float64]


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text.

    >>> code_points("aé").tolist()
    [97, 233]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


class PieceIndex:
    """The pieces of a vocabulary by the hash of their characters; `find` compares the characters as well.

    >>> index = PieceIndex({"a": 1, "b": 2, "ab": 3})
    >>> chars = code_points("abc")
    >>> index.find(chars, np.array([0, 1]), index.hashes(chars, np.array([0, 1]), 2), 2).tolist()
    [3, -1]
    """

    def __init__(self, ids: Mapping[str, int]) -> None:
        self.chars = code_points("".join(ids))
        sizes = np.fromiter(map(len, ids), np.int64, len(ids))
        self.longest = int(sizes.max())
        firsts = np.cumsum(sizes) - sizes
        numbers = np.fromiter(ids.values(), np.int32, len(ids))
        for step in count():  # until all hashes differ
            self.multiplier = np.uint64(MULTIPLIER + 2 * step)
            self.index = HashIndex(self._hash_pieces(firsts, sizes))
            if self.index.distinct:
                break
        order = self.index.order
        self.ids = np.append(numbers[order], -1)
        self.firsts = np.append(firsts[order], 0)

    def _hash_pieces(self, firsts: Ints, sizes: Ints) -> Hashes:
        hashes = np.zeros(len(sizes), np.uint64)
        left = np.argsort(-sizes, kind="stable")  # the longest first, so that those of a length are a prefix
        ends = np.searchsorted(-sizes[left], -np.arange(1, self.longest + 1), side="right")
        for size, end in enumerate(ends.tolist()):
            these = left[:end]
            hashes[these] = self.extend_hashes(hashes[these], self.chars[firsts[these] + size])
        return hashes

    def extend_hashes(self, hashes: Hashes, chars: NDArray[np.uint32]) -> Hashes:
        """Return the hashes of texts that are longer by a character."""
        return (hashes + (chars + np.uint32(1))) * self.multiplier

    def hashes(self, chars: NDArray[np.uint32], starts: Ints, size: int) -> Hashes:
        """Return the hashes of substrings of one size."""
        hashes = np.zeros(len(starts), np.uint64)
        for offset in range(size):
            hashes = self.extend_hashes(hashes, chars[starts + offset])
        return hashes

    def find(self, chars: NDArray[np.uint32], starts: Ints, hashes: Hashes, size: int) -> NDArray[np.int32]:
        """Return the ids of the pieces that are these substrings, or -1."""
        at = self.index.find(hashes)
        equal = np.flatnonzero(at < len(self.index.order))
        firsts = self.firsts[at[equal]]
        for offset in range(size):
            same = self.chars[firsts + offset] == chars[starts[equal] + offset]
            equal = equal[same]
            firsts = firsts[same]
        ids = np.full(len(starts), -1, np.int32)
        ids[equal] = self.ids[at[equal]]
        return ids


class UnigramBatch:
    """The best segmentations of words by a unigram model.

    `scores` are those of each id. An addition of a score may round the sum by `rounding`, see `unambiguous_cut`.

    >>> ids, scores = {"a": 1, "b": 2, "ab": 3}, np.array([-9.0, -1.0, -1.5, -2.0])
    >>> cuts = UnigramBatch(ids, scores, unknown=0).cuts(["b", "abc"])
    >>> cuts.ids.tolist(), cuts.sizes.tolist(), cuts.counts.tolist(), cuts.margins.tolist(), cuts.lowest.tolist()
    ([2, 3, 0], [1, 2, 1], [1, 2], [inf, 0.5], [-1.5, -11.0])
    """

    def __init__(self, ids: Mapping[str, int], scores: Floats, *, unknown: int, rounding: float = 0) -> None:
        self.index = PieceIndex(ids)
        self.unknown = unknown
        self.scores = scores + rounding
        self.rounding = rounding

    def cuts(self, words: Sequence[str]) -> Cuts:
        """Return the best segmentations of words, none of them empty."""
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        order = np.argsort(-lengths, kind="stable")
        nodes = Nodes(lengths[order])
        lattices = self._lattices(nodes, code_points("".join([words[index] for index in order])), lengths[order])
        paths = lattices.find_best(self.scores)
        arcs = _find_path_arcs(lattices, paths)
        number = order[nodes.word[lattices.targets[arcs]]]
        arcs = arcs[np.argsort(number, kind="stable")]
        targets = lattices.targets[arcs]
        counts = np.bincount(number, minlength=len(words))
        firsts = np.cumsum(counts) - counts
        additions = np.arange(1, len(arcs) + 1) - np.repeat(firsts, counts)
        margins = self._margins(lattices, paths)[targets - nodes.words] - 2 * self.rounding * additions
        lowest = np.zeros(len(words))
        for _, level, _ in lattices.levels:
            these = order[: level.stop - level.start]
            lowest[these] = np.minimum(lowest[these], paths.sums[level])
        sizes = nodes.level[targets] - nodes.level[lattices.sources[arcs]]
        return Cuts(lattices.pieces[arcs], sizes, counts, np.minimum.reduceat(margins, firsts), lowest)

    def _lattices(self, nodes: Nodes, chars: NDArray[np.uint32], lengths: Ints) -> Lattices:
        """Return the arcs of all pieces that occur in words, the longest first, given the characters of all."""
        index = self.index
        starts = np.arange(len(chars))
        word = np.repeat(np.arange(len(lengths)), lengths)
        level = starts - np.repeat(np.cumsum(lengths) - lengths, lengths)
        left = np.repeat(lengths, lengths) - level
        hashes = np.zeros(len(chars), np.uint64)
        arcs: list[tuple[Ints, Ints, Ints]] = []
        for size in range(1, min(index.longest, int(lengths[0])) + 1):
            fits = left[starts] >= size
            starts = starts[fits]
            hashes = hashes[fits]
            hashes = index.extend_hashes(hashes, chars[starts + size - 1])
            ids = index.find(chars, starts, hashes, size)
            if size == 1:
                ids[ids < 0] = self.unknown
            found = np.flatnonzero(ids >= 0)
            at = starts[found]
            sources, targets = (nodes.first[level[at] + end] + word[at] for end in (0, size))
            arcs.append((sources, targets, ids[found]))
        sources, targets, pieces = (np.concatenate(column) for column in zip(*reversed(arcs), strict=True))
        by_target = np.argsort(targets, kind="stable")
        return Lattices(nodes, sources[by_target], targets[by_target], pieces[by_target])

    def _margins(self, lattices: Lattices, paths: Paths) -> NDArray[np.float64]:
        """Return by how much the best path to each node beats the second, without the first nodes of words."""
        behind = paths.sums[lattices.targets] - (paths.sums[lattices.sources] + self.scores[lattices.pieces])
        behind[paths.arrived] = np.inf
        return np.minimum.reduceat(behind, lattices.begins)


def _find_path_arcs(lattices: Lattices, paths: Paths) -> Ints:
    """Return the arcs of the best paths through all words, sorted by their targets."""
    words = lattices.nodes.words
    nodes = lattices.nodes.ends
    on_path = np.zeros(len(lattices.pieces), bool)
    while len(nodes):
        arcs = paths.arrived[nodes - words]
        on_path[arcs] = True
        nodes = lattices.sources[arcs]
        nodes = nodes[nodes >= words]
    return np.flatnonzero(on_path)
