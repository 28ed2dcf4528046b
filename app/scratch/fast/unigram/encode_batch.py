"""The best segmentations of many words at once: pieces found in a trie, best paths by `lattice_batch`.

A language has some thousand different words, and a loop over their characters is most of the work of a text that was
not met before. Here one step of numpy goes on by a character from all positions of all words.

A text can also be divided where no piece of a vocabulary crosses.

Pieces with a ▁ after another character (`▁of▁the`) leave no place at which every text can be divided. In a given text,
few positions are crossed by a piece that is there. One step of numpy extends the matches at all positions by a
character, as a walk through the trie of the pieces would.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..hash_index import MULTIPLIER, Hashes, HashIndex, Ints
from .encode import LONGEST, Edges
from .lattice_batch import Floats, Lattices, Nodes, Paths

NO_CHARACTER = 2**21 - 1
"""Stands behind the end of a word."""
ROOM = 2
"""Places of the table for each character of all pieces, as a power of two."""
LEAST_BITS, MOST_BITS = 16, 25
"""The table has at least and at most so many bytes, as powers of two."""
PREFIX, PIECE = 1, 3


class Cuts(NamedTuple):
    """Segmentations of words, one after the other.

    - `ids`, `sizes`: of each piece its id and its number of characters.
    - `counts`: of each word its number of pieces.
    - `margins`: of each word by how much its segmentation beats any other one, wherever the two part and meet again,
      beyond what rounding may take from one and add to the other in between.
    - `lowest`: of each word the lowest of the best sums up to each of its positions.
    - `edges`: of each word without a margin, by its index, all pieces in it.
    """

    ids: Ints
    sizes: Ints
    counts: Ints
    margins: NDArray[np.float64]
    lowest: NDArray[np.float64]
    edges: Mapping[int, Edges] = MappingProxyType({})


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text.

    >>> code_points("aé").tolist()
    [97, 233]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


class PieceTrie:
    """The pieces of a vocabulary as a trie, in which one step of numpy goes from many nodes to those below them.

    A node is found by a key of its parent and its character. The keys are multiplied by an odd number, which keeps
    different ones different, so what is found needs no comparison.

    >>> trie = PieceTrie({"a": 1, "b": 2, "ab": 3})
    >>> a, c = trie.step(np.array([0, 0]), code_points("ac"))
    >>> c.tolist(), trie.ids[trie.step(np.array([a]), code_points("b"))].tolist()
    (0, [3])
    """

    def __init__(self, ids: Mapping[str, int]) -> None:
        """`self.ids` has the id of each node, or -1; node 0 is the root, and stands for what is not there."""
        chars = code_points("".join(ids))
        sizes = np.fromiter(map(len, ids), np.int64, len(ids))
        firsts = np.cumsum(sizes) - sizes
        self.longest = int(sizes.max(initial=0))
        nodes = np.zeros(len(sizes), np.int64)
        left = np.arange(len(sizes))
        keys = list[Hashes]()
        number = 1
        for size in range(self.longest):
            left = left[sizes[left] > size]
            found, which = np.unique(_keys(nodes[left], chars[firsts[left] + size]), return_inverse=True)
            nodes[left] = number + which
            number += len(found)
            keys.append(found)
        self._index = HashIndex(np.concatenate([np.zeros(0, np.uint64), *keys]))
        self._nodes = np.append(self._index.order + 1, 0).astype(np.int32)
        self.ids = np.full(number, -1, np.int32)
        self.ids[nodes] = np.fromiter(ids.values(), np.int32, len(ids))
        self.ids[0] = -1

    def step(self, nodes: Ints, chars: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Return the node below each node by a character, or 0."""
        found: NDArray[np.int32] = self._nodes[self._index.find(_keys(nodes, chars))]
        return found


def _keys(nodes: Ints, chars: NDArray[np.uint32]) -> Hashes:
    """Return a number for each pair of a node and a character, which has 21 bits."""
    return (nodes.astype(np.uint64) << np.uint64(21) | chars) * np.uint64(MULTIPLIER)


class UnigramBatch:
    """The best segmentations of words by a unigram model.

    `scores` are those of each id. An addition of a score may round the sum by `rounding`, see `unambiguous_cut`.

    >>> ids, scores = {"a": 1, "b": 2, "ab": 3}, np.array([-9.0, -1.0, -1.5, -2.0])
    >>> cuts = UnigramBatch(ids, scores, unknown=0).cuts(code_points("babc"), np.array([1, 3]))
    >>> cuts.ids.tolist(), cuts.sizes.tolist(), cuts.counts.tolist(), cuts.margins.tolist(), cuts.lowest.tolist()
    ([2, 3, 0], [1, 2, 1], [1, 2], [inf, 0.5], [-1.5, -11.0])
    """

    def __init__(self, ids: Mapping[str, int], scores: Floats, *, unknown: int, rounding: float = 0) -> None:
        self.trie = PieceTrie(ids)
        self.unknown = unknown
        self.scores = scores
        self.rounding = rounding

    def cuts(self, chars: NDArray[np.uint32], lengths: Ints) -> Cuts:
        """Return the best segmentations of words of these lengths, none of them empty, given the characters of all."""
        order = np.argsort(-lengths, kind="stable")
        nodes = Nodes(lengths[order])
        lattices = self._lattices(nodes, chars, (np.cumsum(lengths) - lengths)[order])
        paths = lattices.find_best(self.scores)
        arcs = _find_path_arcs(lattices, paths)
        margins = self._margins(lattices, arcs)
        number = order[nodes.word[lattices.targets[arcs]]]
        by_word = np.argsort(number, kind="stable")
        arcs = arcs[by_word]
        counts = np.bincount(number, minlength=len(lengths))
        lowest = np.zeros(len(lengths))
        for _, level, _ in lattices.levels:
            these = order[: level.stop - level.start]
            lowest[these] = np.minimum(lowest[these], paths.sums[level])
        sizes = nodes.level[lattices.targets[arcs]] - nodes.level[lattices.sources[arcs]]
        margin = np.minimum.reduceat(margins[by_word], np.cumsum(counts) - counts)
        edges = self._list_edges(lattices, order, np.flatnonzero((margin <= 0) & (lengths <= LONGEST)), lengths)
        return Cuts(lattices.pieces[arcs], sizes, counts, margin, lowest, edges)

    def _list_edges(self, lattices: Lattices, order: Ints, listed: Ints, lengths: Ints) -> dict[int, Edges]:
        """Return all pieces in the words of these indices, given the order in which the lattices have them."""
        edges: dict[int, Edges] = {word: [[] for _ in range(lengths[word])] for word in listed.tolist()}
        nodes = lattices.nodes
        words = order[nodes.word[lattices.targets]]
        arcs = np.flatnonzero(np.isin(words, listed))
        pieces = lattices.pieces[arcs]
        ends = nodes.level[lattices.targets[arcs]]  # which do not fall
        columns = words[arcs], nodes.level[lattices.sources[arcs]], ends, self.scores[pieces], pieces
        for word, start, end, score, id in zip(*(column.tolist() for column in columns), strict=True):
            edges[word][start].append((end, score, id))
        return edges

    def _lattices(self, nodes: Nodes, chars: NDArray[np.uint32], firsts: Ints) -> Lattices:
        """Return the arcs of all pieces that occur in words, given all characters and where each word has its first.

        A walk through the trie begins at each node, and ends where no piece goes on, or with the word.
        """
        trie = self.trie
        inside = np.ones(nodes.number, bool)
        inside[nodes.ends] = False
        sources = np.flatnonzero(inside).astype(np.int32)
        following = np.full(nodes.number, NO_CHARACTER, np.uint32)
        following[sources] = chars[firsts[nodes.word[sources]] + nodes.level[sources]]
        after = np.arange(nodes.number, dtype=np.int32)
        after[sources] += np.diff(nodes.first)[nodes.level[sources]]
        walk = trie.step(np.zeros(len(sources), np.int32), following[sources])
        targets = after[sources]
        ids = trie.ids[walk]
        ids[ids < 0] = self.unknown
        arcs = [(sources, targets, ids)]
        while len(alive := np.flatnonzero(walk)):
            sources, targets = sources[alive], targets[alive]
            walk = trie.step(walk[alive], following[targets])
            targets = after[targets]
            ids = trie.ids[walk]
            found = np.flatnonzero(ids >= 0)
            arcs.append((sources[found], targets[found], ids[found]))
        columns = (np.concatenate(column) for column in zip(*reversed(arcs), strict=True))
        sources, targets, pieces = columns  # the longest first
        by_target = np.argsort(targets, kind="stable")
        return Lattices(nodes, sources[by_target], targets[by_target], pieces[by_target])

    def _margins(self, lattices: Lattices, best: Ints) -> Floats:
        """Return by how much each arc of the best paths beats the other arcs to its target.

        Where another path leaves the best one, both have the same sum, however it was rounded. So it is enough that the
        best one is still the best if all that rounding may take is taken from each of its pieces, and as much is added
        to each piece of the others.
        """
        sums = self.scores[lattices.pieces] + self.rounding
        sums[best] -= 2 * self.rounding
        lattices.find_best_by_arc(sums)
        own = sums[best]
        sums[best] = -np.inf
        targets = lattices.targets[best] - lattices.nodes.words
        margins: Floats = own - np.maximum.reduceat(sums, lattices.begins)[targets]
        return margins


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


class PieceReach:
    """The prefixes of all pieces by their hash, without the characters.

    Two with one hash only make a match seem longer than it is, and a text is then divided at fewer positions.

    >>> PieceReach(["a", "b", "ab", "b▁a", "▁"]).divide("ab▁aa▁▁b")
    ['ab▁a', 'a', '▁', '▁', 'b']
    """

    def __init__(self, pieces: Collection[str]) -> None:
        chars = code_points("".join(pieces))
        sizes = np.fromiter(map(len, pieces), np.int64, len(pieces))
        firsts = np.cumsum(sizes) - sizes
        bits = max(LEAST_BITS, min(MOST_BITS, len(chars).bit_length() + ROOM))
        self._shift = np.uint64(64 - bits)
        self._kinds = np.zeros(2**bits, np.uint8)
        hashes = np.zeros(len(sizes), np.uint64)
        size = 0
        while len(firsts):
            hashes = _extend(hashes, chars[firsts + size])
            size += 1
            self._kinds[hashes >> self._shift] |= PREFIX
            self._kinds[hashes[sizes == size] >> self._shift] = PIECE
            longer = sizes > size
            firsts = firsts[longer]
            sizes = sizes[longer]
            hashes = hashes[longer]

    def divide(self, text: str) -> list[str]:
        """Return the parts of a text between all positions that no piece crosses."""
        starts = np.arange(len(text))
        farthest = np.maximum.accumulate(starts + self.sizes(code_points(text)))
        cuts = (1 + np.flatnonzero(farthest[:-1] <= starts[1:])).tolist()
        return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    def sizes(self, chars: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Return the length of the longest piece that may begin at each character; 1 if none does."""
        longest = np.ones(len(chars), np.int32)
        starts = np.arange(len(chars), dtype=np.int32)
        hashes = np.zeros(len(chars), np.uint64)
        size = 0
        while len(starts := starts[: np.searchsorted(starts, len(chars) - size)]):
            hashes = _extend(hashes[: len(starts)], chars[starts + size])
            size += 1
            kinds = self._kinds[hashes >> self._shift]
            longest[starts[kinds == PIECE]] = size
            matching = np.flatnonzero(kinds)
            starts = starts[matching]
            hashes = hashes[matching]
        return longest


def _extend(hashes: Hashes, chars: NDArray[np.uint32]) -> Hashes:
    """Return the hashes of texts that are longer by a character."""
    return (hashes + (chars + np.uint32(1))) * np.uint64(MULTIPLIER)
