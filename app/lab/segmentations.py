"""The ways in which a vocabulary can spell a text: how many there are, the shortest, and one drawn at random.

A segmentation is a list of ids whose spellings join to the text. They are the paths of a graph whose nodes are the
positions of the text and whose edges are tokens, so dynamic programming from the end of the text counts them exactly,
each once, without listing any.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, log, prod
from random import Random

from ..types import Tokenizer, VocabEntry
from .vocabulary.columns import KINDS, VocabularyColumns

MAX_SPELLED = 4096
"""Bytes of the longest text whose segmentations are counted: the number has up to a digit for every two of them."""
EDGE = b"\0"
"""Stands for the beginning of a word where `##` continues one, or for its end where `</w>` marks it."""
SPELLING_KINDS = (KINDS.index("normal"), KINDS.index("byte"))
"""Kinds of tokens that spell text; special tokens and the unknown one do not."""
Edge = tuple[int, Sequence[int]]
"""Where tokens of the same spelling end, and their ids."""


@dataclass(frozen=True, slots=True)
class Segmentations:
    """The segmentations of a text: their number, one with the fewest tokens, and one drawn evenly from all.

    `log_probability` is that of all together by the scores of a unigram model; None without scores for the text.
    """

    count: int
    fewest: tuple[int, ...]
    sampled: tuple[int, ...]
    log_probability: float | None = None


@dataclass(frozen=True, slots=True)
class WordMarks:
    """The marks of a token that continues a word (`##`), and of one that ends it (`</w>`); "" for none."""

    prefix: str = ""
    suffix: str = ""

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> "WordMarks":
        """Return the marks of a vocabulary."""
        spelling = getattr(tokenizer, "spelling", None)
        return cls(spelling.prefix, spelling.suffix) if spelling else cls()

    def spell(self, entry: VocabEntry) -> bytes:
        r"""Return the bytes of a token, with `EDGE` where the vocabulary marks an edge of a word.

        >>> [WordMarks("##").spell(VocabEntry(0, piece, b"ing")) for piece in ("##ing", "ing")]
        [b'ing', b'\x00ing']
        """
        begins = self.prefix and not entry.piece.startswith(self.prefix)
        ends = self.suffix and entry.piece.endswith(self.suffix)
        return (EDGE if begins else b"") + entry.raw + (EDGE if ends else b"")


@dataclass(frozen=True)
class Spellings:
    """Tokens by the bytes that they spell; several may spell the same, as `a` and `<0x61>` do.

    `inner` are ids that spell a space which decoding does not take off at the beginning, as it does with ▁.

    >>> Spellings({b"a": [0], b"b": [1], b"ab": [2]}).segment([b"ab"], seed=0).count
    2
    """

    ids: Mapping[bytes, Sequence[int]]
    inner: frozenset[int] = frozenset()

    @classmethod
    def of(cls, tokenizer: Tokenizer, columns: VocabularyColumns, parts: Iterable[bytes | int]) -> "Spellings":
        """Return those tokens of a vocabulary that occur in the parts of a text."""
        marks = WordMarks.of(tokenizer)
        data = EDGE.join(part for part in parts if isinstance(part, bytes))
        rows = [row for row, raw in enumerate(columns.raws) if raw in data and columns.kinds[row] in SPELLING_KINDS]
        ids = dict[bytes, list[int]]()
        for entry in map(columns.entry, rows):
            if entry.raw:
                ids.setdefault(marks.spell(entry), []).append(entry.id)
        spaces = ids.get(b" ", [])
        inner = frozenset(id for id in spaces if tokenizer.decode([id]))
        return cls(ids, inner if len(inner) < len(spaces) else frozenset())

    @cached_property
    def _lengths(self) -> Mapping[int, Collection[int]]:
        """The lengths of the tokens that begin with a byte."""
        lengths = dict[int, set[int]]()
        for raw in self.ids:
            lengths.setdefault(raw[0], set()).add(len(raw))
        return lengths

    def _list_edges(self, part: bytes | int) -> list[list[Edge]]:
        """Return, by position of a part, the end and the ids of the tokens that spell it from there on."""
        if isinstance(part, int):
            return [[(1, [part])]]
        edges = [[*self._find_edges(part, start)] for start in range(len(part))]
        if edges and self.inner:
            edges[0] = [(end, begin) for end, ids in edges[0] if (begin := [id for id in ids if id not in self.inner])]
        return edges

    def _find_edges(self, data: bytes, start: int) -> Iterator[Edge]:
        for length in sorted(self._lengths.get(data[start], ())):
            if start + length <= len(data) and (ids := self.ids.get(data[start : start + length])):
                yield start + length, ids

    def segment(
        self, parts: Sequence[bytes | int], *, seed: int, scores: Mapping[int, float] | None = None
    ) -> Segmentations:
        """Return the segmentations of a text in parts: bytes that tokens spell, or the id of a special token.

        Their number is the product of those of the parts. Equal seeds draw the same one. `scores` are the
        log-probabilities of tokens by id; tokens without one are in no segmentation that has a probability.

        >>> spellings = Spellings({b"a": [0], b"b": [1], b"ab": [2]})
        >>> found = spellings.segment([b"ab"], seed=0, scores={0: log(0.5), 1: log(0.25), 2: log(0.25)})
        >>> found.count, round(exp(found.log_probability), 3)
        (2, 0.375)
        """
        lattices = [_Lattice.of(self._list_edges(part)) for part in parts]
        probability = None
        if scores is not None:
            spelled = (one for one, part in zip(lattices, parts, strict=True) if isinstance(part, bytes))
            probability = sum(one.log_probability(scores) for one in spelled)
        random = Random(seed)
        return Segmentations(
            prod(one.ways[0] for one in lattices),
            tuple(id for one in lattices for id in one.fewest()),
            tuple(id for one in lattices for id in one.draw(random)),
            None if probability == -inf else probability,
        )


@dataclass(frozen=True, slots=True)
class _Lattice:
    """The tokens that spell a text: edges by their start, and by position the number of paths and the least tokens."""

    edges: Sequence[Sequence[Edge]]
    ways: Sequence[int]
    least: Sequence[float]

    @classmethod
    def of(cls, edges: Sequence[Sequence[Edge]]) -> "_Lattice":
        size = len(edges)
        ways = [0] * size + [1]
        least = [inf] * size + [0.0]
        for start in reversed(range(size)):
            ways[start] = sum(len(ids) * ways[end] for end, ids in edges[start])
            least[start] = 1 + min((least[end] for end, _ in edges[start]), default=inf)
        return cls(edges, ways, least)

    def log_probability(self, scores: Mapping[int, float]) -> float:
        """Return the log-probability of all paths together: at each position, of what follows."""
        sums = [-inf] * len(self.edges) + [0.0]
        for start in reversed(range(len(self.edges))):
            ways = [scores.get(id, -inf) + sums[end] for end, ids in self.edges[start] for id in ids]
            if (highest := max(ways, default=-inf)) > -inf:
                sums[start] = highest + log(sum(exp(way - highest) for way in ways))
        return sums[0]

    def fewest(self) -> Iterator[int]:
        """Yield the ids of a shortest path; of several, the one with the longest first tokens. None without a path."""
        start = 0
        while self.ways[0] and start < len(self.edges):
            start, ids = min(self.edges[start], key=lambda edge: (self.least[edge[0]], -edge[0]))
            yield min(ids)

    def draw(self, random: Random) -> Iterator[int]:
        """Yield the ids of a path, each of which is as likely as another. None without a path."""
        start = 0
        rest = random.randrange(self.ways[0]) if self.ways[0] else 0
        while self.ways[0] and start < len(self.edges):
            for end, ids in self.edges[start]:
                if rest < (paths := len(ids) * self.ways[end]):
                    break
                rest -= paths
            at, rest = divmod(rest, self.ways[end])
            yield ids[at]
            start = end
