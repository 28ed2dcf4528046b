"""Learning a unigram vocabulary: begin with far too many pieces, and take away those that are missed least (Kudo 2018).

In turn: estimate how likely each piece is, over all ways to cut each word (expectation and maximization), and remove
the part of the pieces without which the corpus stays most likely; all as sentencepiece does it. `train_unigram` makes a
whole vocabulary of what is learned here, `unigram` applies it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.scratch.lattices import Floats, Ints, summed
from app.scratch.seeds import Seeds
from app.scratch.unigram import PENALTY

LEAST = 0.5
"""A piece that is expected less often goes at once, where rare pieces fade."""
FLOOR = 1e-9
"""Where they do not, this much of every piece is expected."""
SHRINKING = 0.75
"""The part of the pieces that a pruning leaves."""
LOST = 0.0001
"""By how much a lost character that is put back scores more than one that comes more often."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A step, when it is made: how many pieces there are after it, and how many there shall be when pruning ends."""

    learner: "UnigramLearner"
    pieces: int
    aim: int

    def scores(self) -> dict[str, float]:
        """The log-probabilities of the pieces there are, until the next step is made."""
        return self.learner.spelled_scores()


class Seeded(Step):
    """The pieces to begin with: every character, then other substrings by count times length."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimated(Step):
    """One round of estimation, and the log-likelihood of the corpus this was told from."""

    log_likelihood: float


@dataclass(frozen=True, slots=True, eq=False)
class Pruned(Step):
    """Pieces were removed. `losses` says by id how much log-likelihood is lost without a piece: all where no other can
    take over, and less than nothing, without end, where a best cut never holds it."""

    removed: NDArray[np.int64]
    losses: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Finished(Step):
    """Pieces that no best cut can hold are gone, and those of the lowest scores, until there are as many as asked for.
    Characters that had gone are back."""

    removed: NDArray[np.int64]


class UnigramLearner:
    """Pieces with their log-probabilities, which every step makes better or fewer.

    Pieces have ids in the order of `seeds`, characters first. `alive` tells which of them there are, `kept` which never
    go, and `scores` are those of the living. A character that has gone can be cut off as an unknown one, which scores
    far below any piece.

    >>> learner = UnigramLearner({"hug": 10, "pug": 5, "hugs": 5}, size=6, aim=6)
    >>> for step in learner.steps():
    ...     print(type(step).__name__, step.pieces)
    Seeded 11
    Estimated 9
    Estimated 8
    Pruned 6
    Finished 6
    >>> sorted(step.scores())
    ['g', 'h', 'hug', 'p', 's', 'u']
    """

    def __init__(
        self,
        counts: Mapping[str, int],
        *,
        size: int,
        aim: int | None = None,
        seeds: int = 1_000_000,
        longest: int = 16,
        rounds: int = 2,
        fading: bool = True,
        ends: Mapping[str, int] | None = None,
        by_script: bool = False,
        single_digits: bool = False,
    ) -> None:
        """`size` is how many pieces shall be left, characters among them; pruning ends at the `aim`, a tenth more
        unless told. `rounds` is how often each piece is estimated before it may be removed; with `fading`, rare ones
        are then thought to be rarer still. With `ends`, which says what comes behind each word, the pieces to begin
        with are sentencepiece's, and characters may go: what is unknown then counts as the most frequent character."""
        self.seeds = Seeds(
            counts, most=seeds, longest=longest, ends=ends, by_script=by_script, single_digits=single_digits
        )
        self.lumped = ends is not None
        self.fading = fading
        self.size = max(size, self.seeds.characters)
        self.aim = max(self.size, size * 11 // 10 if aim is None else aim)
        self.rounds = rounds
        weights = self.seeds.counts * self.seeds.lengths
        self.scores: Floats = np.log(weights / weights.sum())
        self.alive = np.ones(len(weights), bool)
        self.kept = np.arange(len(weights)) < (0 if self.lumped else self.seeds.characters)
        self.parts = [*self.seeds.parts()]

    def steps(self) -> Iterator[Step]:
        """Yield each step when it is made."""
        yield Seeded(self, len(self.scores), self.aim)
        left = self.aim + 1
        while left > self.aim:
            for _ in range(self.rounds):
                yield self._estimate()
            step = self._prune()
            yield step
            left = step.pieces
        yield self._finish()

    def spelled_scores(self) -> dict[str, float]:
        """The log-probabilities of the pieces there are, by spelling."""
        return {self.seeds.spelled(id): float(self.scores[id]) for id in np.flatnonzero(self.alive).tolist()}

    def weights(self) -> Floats:
        """Scores to cut by: those of characters that have gone are far below the others."""
        return np.where(self.alive, self.scores, self.scores[self.alive].min() - PENALTY)

    def uses(self) -> Floats:
        """How often each piece is used where every word is cut in the best way."""
        weights = self.weights()
        return sum(
            (part.lattices.used(part.lattices.best(weights), part.counts, len(weights)) for part in self.parts),
            np.zeros(len(weights)),
        )

    def _estimate(self) -> Estimated:
        """Weigh each piece by all cuts of all words, and make of these weights its log-probability."""
        weights, likelihood = self.weights(), 0.0
        expected = np.zeros(len(weights))
        for part in self.parts:
            found, told = part.lattices.expected(weights, part.counts)
            expected += found
            likelihood += told
        expected, least = self._known(expected), LEAST if self.fading else FLOOR
        held = self.kept | (not self.fading)
        expected[held] = np.maximum(expected[held], least)
        self._keep(self.alive & (expected >= least))
        some, log = expected[self.alive], digamma if self.fading else np.log
        self.scores[self.alive] = log(some) - log(np.array([some.sum()]))
        return Estimated(self, len(some), self.aim, likelihood)

    def _known(self, counts: Floats) -> Floats:
        """The same without the counts of unknown characters, which sentencepiece adds to those of the first piece."""
        known = np.where(self.alive, counts, 0.0)
        known[0] += self.lumped * counts[~self.alive].sum()
        return known

    def _keep(self, alive: NDArray[np.bool_]) -> None:
        """Go on with these pieces. All characters stay in the lattices, lest a word cannot be cut."""
        self.alive, stay = alive, alive.copy()
        stay[: self.seeds.characters] = True
        for part in self.parts:
            part.lattices.keep(stay)

    def _prune(self) -> Pruned:
        """Remove a quarter of the pieces, or what is left to remove: those with the least loss."""
        losses = self._losses()
        best = np.argsort(-losses, kind="stable")[: max(self.aim, int(SHRINKING * self.alive.sum()))]
        stay = np.zeros(len(losses), bool)
        stay[best] = losses[best] > -np.inf
        removed = np.flatnonzero(self.alive & ~stay)
        self._keep(stay)
        return Pruned(self, int(stay.sum()), self.aim, removed, losses)

    def _losses(self) -> Floats:
        """By piece, the log-likelihood lost without it, as if all it is used for fell to its best cut by others."""
        uses, (cuts, pieces, others) = self._known(self.uses()), self._cuts()
        if self.lumped:
            others = np.where(self.alive[others], others, 0)
        many = np.bincount(pieces, minlength=len(uses))
        total = uses.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            then = summed(pieces, np.log(uses[others] + uses[pieces]), len(uses))
            then -= many * np.log(total + uses * (many - 1))
            losses = np.where(many > 0, uses * (np.log(uses / total) - then), np.inf)
        losses = np.where(self.alive & (uses > 0) & (cuts <= self.scores), losses, -np.inf)
        return np.where(self.kept, np.inf, losses)

    def _cuts(self) -> tuple[Floats, Ints, Ints]:
        """By piece, the score of its best cut into others; and as pairs, each piece with each of these others."""
        weights, seeds = self.weights(), self.seeds
        scores = np.full(len(weights), -np.inf)
        pieces, others = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
        compound = self.alive & (seeds.lengths > 1)
        for part in self.parts:
            ids = np.flatnonzero(compound & (seeds.first >= part.starts[0]) & (seeds.first < part.stop))
            if not len(ids):
                continue
            ids = ids[np.argsort(-seeds.lengths[ids], kind="stable")]
            words = np.searchsorted(part.starts, seeds.first[ids], "right") - 1
            inner = part.lattices.within(words, seeds.first[ids] - part.starts[words], seeds.lengths[ids])
            paths = inner.best(weights)
            scores[ids] = paths.sums[inner.nodes.ends]
            on = inner.through(paths, np.ones(len(ids))) > 0
            pieces.append(ids[inner.nodes.word[inner.nodes.words :][on]])
            others.append(inner.pieces[paths.arrived][on])
        return scores, np.concatenate(pieces), np.concatenate(others)

    def _finish(self) -> Finished:
        """Remove what no best cut can hold, put back lost characters, and keep the pieces with the highest scores."""
        before, characters = self.alive, np.arange(len(self.alive)) < self.seeds.characters
        reached = before & (self._cuts()[0] <= self.scores)
        lost = np.flatnonzero(characters & ~reached)
        self.scores[lost] = self.scores[reached].min() + LOST * np.arange(len(lost))
        rank = np.where(characters, np.inf, np.where(reached, self.scores, -np.inf))
        best = np.argsort(-rank, kind="stable")[: self.size]
        stay = np.zeros(len(before), bool)
        stay[best] = rank[best] > -np.inf
        self._keep(stay)
        return Finished(self, int(stay.sum()), self.aim, np.flatnonzero(before & ~stay))


def digamma(values: Floats) -> Floats:
    """The derivative of the logarithm of the gamma function: for a count, somewhat less than its logarithm, and for a
    small one much less, so that rare pieces fade (Liang and Klein 2007).

    >>> digamma(np.array([0.5, 1.0, 10.0])).round(4).tolist()
    [-1.9635, -0.5772, 2.2518]
    """
    values, result = values.copy(), np.zeros(len(values))
    while (small := values < 7).any():
        result[small] -= 1 / values[small]
        values[small] += 1
    values -= 0.5
    square = values**-2
    return result + np.log(values) + square / 24 - 7 / 960 * square**2 + 31 / 8064 * square**3 - 127 / 30720 * square**4
