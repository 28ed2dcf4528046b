"""Learning a unigram vocabulary: begin with far too many pieces, and take away those that are missed least (Kudo 2018).

In turn: estimate how likely each piece is, over all ways to cut each word (expectation and maximization), and remove
the part of the pieces without which the corpus stays most likely. `unigram` applies what is learned here.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from heapq import heapify, heappop, heapreplace
from math import exp, inf, log, log1p
from typing import NamedTuple

Arc = tuple[int, int, str]
"""Where a piece begins and ends in a word, and the piece."""
LEAST = 1e-9
"""A piece that is never expected keeps a probability above zero."""


class Seeded(NamedTuple):
    """The pieces to begin with: every character, then other substrings by count times length; how often each comes."""

    counts: dict[str, int]


class Estimated(NamedTuple):
    """One round of estimation: how often each piece is expected, and the log-likelihood this was told from."""

    log_likelihood: float
    expected: dict[str, float]


class Pruned(NamedTuple):
    """The pieces that were removed, in this order, and those that were spared, each with its loss."""

    removed: list[tuple[str, float]]
    spared: list[tuple[str, float]]


class UnigramLearner:
    """Pieces with their log-probabilities, `scores`, which every step makes better or fewer.

    `arcs` has by word where the pieces fit into it.

    >>> learner = UnigramLearner({"hug": 10, "pug": 5, "hugs": 5}, size=6)
    >>> for step in learner.steps():
    ...     print(type(step).__name__, len(learner.scores))
    Seeded 13
    Estimated 13
    Estimated 13
    Pruned 9
    Estimated 9
    Estimated 9
    Pruned 6
    Estimated 6
    Estimated 6
    >>> sorted(learner.scores)
    ['g', 'h', 'hug', 'p', 's', 'u']
    """

    def __init__(
        self, counts: Mapping[str, int], *, size: int, seeds: int | None = None, longest: int = 16, rounds: int = 2
    ) -> None:
        """`size` is how many pieces shall be left, characters among them, which are never removed; `seeds` how many
        there are at first, ten times as many unless told."""
        self.counts = counts
        self.characters = sorted(set().union(*counts))
        self.size = max(size, len(self.characters))
        self.seeds = max(10 * self.size if seeds is None else seeds, self.size)
        self.longest = longest
        self.rounds = rounds
        self.scores: dict[str, float] = {}
        self.arcs: dict[str, list[Arc]] = {}

    def steps(self) -> Iterator[Seeded | Estimated | Pruned]:
        """Yield each step when it is made."""
        yield Seeded(self._seed())
        while True:
            for _ in range(self.rounds):
                told = self._estimate()
                yield told
            if len(self.scores) <= self.size:
                return
            yield self._prune(told.expected)

    def _seed(self) -> dict[str, int]:
        """Find the pieces to begin with."""
        seen = Counter[str]()
        for word, count in self.counts.items():
            for char in word:
                seen[char] += count
        found = {char: seen[char] for char in self.characters}
        others = substrings(self.counts, self.longest)
        best = sorted(others, key=lambda piece: (-others[piece] * len(piece), piece))
        found |= {piece: others[piece] for piece in best[: self.seeds - len(found)]}
        self._share({piece: count * len(piece) for piece, count in found.items()})
        self.arcs = {word: [*fitting(word, self.scores, self.longest)] for word in self.counts}
        return found

    def _share(self, weights: Mapping[str, float]) -> None:
        """Give each piece the share that its weight has."""
        total = log(sum(weights.values()))
        self.scores = {piece: log(weight) - total for piece, weight in weights.items()}

    def _estimate(self) -> Estimated:
        """Weigh each piece by all cuts of all words, and make these weights its probability."""
        expected: dict[str, float] = defaultdict(float)
        likelihood = 0.0
        for word, count in self.counts.items():
            likelihood += count * expect(word, self.arcs[word], self.scores, count, expected)
        self._share({piece: max(expected[piece], LEAST) for piece in self.scores})
        return Estimated(likelihood, dict(expected))

    def _prune(self, expected: Mapping[str, float]) -> Pruned:
        """Remove a quarter of the pieces, or what is left to remove, always the one with the least loss.

        What a removed piece was expected for falls to those that take over. A loss is looked at again before its
        piece goes, since what would have taken over may be gone by then.
        """
        uses, total = dict(expected), sum(expected.values())
        heap = [(self._loss(piece, uses, total)[0], piece) for piece in self.scores if len(piece) > 1]
        heapify(heap)
        removed: list[tuple[str, float]] = []
        for _ in range(len(self.scores) - max(self.size, len(self.scores) * 3 // 4)):
            while (now := self._loss(heap[0][1], uses, total))[0] > heap[0][0]:
                heapreplace(heap, (now[0], heap[0][1]))
            _, piece = heappop(heap)
            removed.append((piece, now[0]))
            del self.scores[piece]
            count = uses.pop(piece)
            total += (now[1].total() - 1) * count
            for other, times in now[1].items():
                uses[other] += times * count
        self._share({piece: max(uses[piece], LEAST) for piece in self.scores})
        self.arcs = {word: [arc for arc in arcs if arc[2] in self.scores] for word, arcs in self.arcs.items()}
        return Pruned(removed, [(piece, loss) for loss, piece in sorted(heap)])

    def _loss(self, piece: str, uses: Mapping[str, float], total: float) -> tuple[float, Counter[str]]:
        """How much log-likelihood is lost with a piece, when its best cut by others takes over; and this cut.

        Where pieces are used u times each, and t times in all, it is the sum of u · log(u), less t · log(t).
        """
        count = uses[piece]
        others = Counter(best_cut(piece, fitting(piece, self.scores, len(piece) - 1), self.scores))
        more = sum(u_log_u(uses[other] + times * count) - u_log_u(uses[other]) for other, times in others.items())
        longer = u_log_u(total + (others.total() - 1) * count) - u_log_u(total)
        return longer + u_log_u(count) - more, others


def u_log_u(uses: float) -> float:
    """u · log(u), which goes to 0 with u.

    >>> u_log_u(0), u_log_u(1)
    (0.0, 0.0)
    """
    return uses * log(uses) if uses > 0 else 0.0


def substrings(counts: Mapping[str, int], longest: int) -> dict[str, int]:
    """Substrings of words of two characters and more that come at least twice, and how often.

    What comes twice begins with what comes twice: so each length looks only where the one before found something.

    >>> substrings({"hug": 2, "hugs": 1}, 3)
    {'hu': 3, 'ug': 3, 'hug': 3}
    """
    found: dict[str, int] = {}
    places = [(word, [*range(len(word))]) for word in counts]
    for size in range(2, longest + 1):
        seen = Counter[str]()
        before, places = places, []
        for word, starts in before:
            left = [i for i in starts if i + size <= len(word) and (size == 2 or word[i : i + size - 1] in found)]
            for i in left:
                seen[word[i : i + size]] += counts[word]
            places.append((word, left))
        found |= {piece: count for piece, count in seen.items() if count > 1}
    return found


def fitting(word: str, pieces: Collection[str], longest: int) -> Iterator[Arc]:
    """The pieces that fit into a word, by where they begin.

    >>> [*fitting("hug", {"h", "u", "g", "ug"}, 2)]
    [(0, 1, 'h'), (1, 2, 'u'), (1, 3, 'ug'), (2, 3, 'g')]
    """
    size = len(word)
    for start in range(size):
        for end in range(start + 1, min(start + longest, size) + 1):
            if (piece := word[start:end]) in pieces:
                yield start, end, piece


def best_cut(word: str, arcs: Iterable[Arc], scores: Mapping[str, float]) -> list[str]:
    """The cut of a word with the highest sum of scores.

    >>> scores = {"h": -2.0, "u": -2.0, "g": -2.0, "ug": -3.0}
    >>> best_cut("hug", fitting("hug", scores, 2), scores)
    ['h', 'ug']
    """
    sums, by = [0.0] + [-inf] * len(word), [""] * (len(word) + 1)
    for start, end, piece in arcs:
        if (value := sums[start] + scores[piece]) > sums[end]:
            sums[end], by[end] = value, piece
    cut, here = [], len(word)
    while here:
        cut.append(by[here])
        here -= len(by[here])
    return cut[::-1]


def expect(word: str, arcs: list[Arc], scores: Mapping[str, float], count: int, expected: dict[str, float]) -> float:
    """Add to `expected` how often each piece is expected in a word that comes `count` times.

    Forward, then backward, the weights of all ways to each place are added up; a piece is expected as often as the
    share of ways that go through it says. Returns the word's log-likelihood.

    >>> expected = {"a": 0.0, "aa": 0.0}
    >>> scores = {"a": log(0.5), "aa": log(0.5)}
    >>> round(exp(expect("aa", [*fitting("aa", scores, 2)], scores, 3, expected)), 6)
    0.75
    >>> {piece: round(number, 6) for piece, number in expected.items()}
    {'a': 2.0, 'aa': 2.0}
    """
    before, behind = [0.0] + [-inf] * len(word), [-inf] * len(word) + [0.0]
    for start, end, piece in arcs:
        before[end] = log_sum(before[end], before[start] + scores[piece])
    whole = before[-1]
    for start, end, piece in reversed(arcs):
        through = behind[end] + scores[piece]
        behind[start] = log_sum(behind[start], through)
        expected[piece] += count * exp(before[start] + through - whole)
    return whole


def log_sum(a: float, b: float) -> float:
    """log(exp(a) + exp(b)), without leaving the range of a float.

    >>> round(log_sum(log(2), log(3)), 6) == round(log(5), 6)
    True
    """
    if a < b:
        a, b = b, a
    return a + log1p(exp(b - a)) if b > -inf else a
