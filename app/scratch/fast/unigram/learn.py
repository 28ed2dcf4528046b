"""Learn a unigram vocabulary, fast: expected counts and losses equal to `scratch.learn_unigram` (Kudo 2018).

The teaching file enumerates segmentations; here the forward-backward algorithm runs over the lattices of all words at
once, in arrays. The steps between follow sentencepiece's trainer: rare pieces fade, a pruning removes a quarter of the
pieces, and removed characters are restored at the end. `train_unigram` builds a whole vocabulary from the result.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .encode import PENALTY
from .lattice_batch import Floats, Ints, sum_by_id
from .seeds import Seeds

MIN_EXPECTED = 0.5
"""With fading, a piece with a lower expected count is removed immediately."""
FLOOR = 1e-9
"""Without fading, the minimum of the expected counts, so that the logarithm exists."""
SHRINKING = 0.75
"""The share of the pieces that remain after a pruning."""
RESTORED_STEP = 0.0001
"""The score of a restored character exceeds that of the next more frequent one by this much."""


@dataclass(frozen=True, slots=True, eq=False)
class UnigramLearningStep:
    """A step of the learner: the number of pieces after it, and the number at which pruning ends."""

    learner: "UnigramLearner"
    pieces: int
    aim: int

    def scores(self) -> dict[str, float]:
        """Return the log-probabilities of the pieces; call it before the next step."""
        return self.learner.get_spelled_scores()


class SeedStep(UnigramLearningStep):
    """The seed vocabulary: all characters, then other substrings by count times length."""


@dataclass(frozen=True, slots=True, eq=False)
class EstimationStep(UnigramLearningStep):
    """One round of EM, with the log-likelihood of the corpus under the probabilities before it."""

    log_likelihood: float


@dataclass(frozen=True, slots=True, eq=False)
class PruningStep(UnigramLearningStep):
    """A pruning. `losses` contains, by id, the log-likelihood lost without a piece: infinite if no other pieces can
    replace it, minus infinity if no best segmentation can contain it. They come from `uses`, the counts of pieces in
    the best segmentations, and `splits`, pairs of a piece and a part of its best segmentation into others."""

    removed: NDArray[np.int64]
    losses: Floats
    uses: Floats
    splits: tuple[Ints, Ints]


@dataclass(frozen=True, slots=True, eq=False)
class FinalStep(UnigramLearningStep):
    """The end: pieces that no best segmentation can contain were removed, then those with the lowest scores down to
    the size. Characters that had been removed are restored."""

    removed: NDArray[np.int64]


class UnigramLearner:
    """Pieces with their log-probabilities: each step estimates these again, or removes pieces.

    Pieces have ids in the order of `seeds`, characters first. `alive` is a mask of the remaining pieces and `kept` of
    those that are never removed; `scores` are log-probabilities, valid for remaining pieces. A removed character can
    still be segmented as an unknown one, which scores far below any piece.

    >>> learner = UnigramLearner({"hug": 10, "pug": 5, "hugs": 5}, size=6, aim=6)
    >>> for step in learner.steps():
    ...     print(type(step).__name__, step.pieces)
    SeedStep 11
    EstimationStep 9
    EstimationStep 8
    PruningStep 6
    FinalStep 6
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
        """`size` is the final number of pieces, characters included; pruning ends at `aim`, by default a tenth more.
        `rounds` is the number of rounds of EM before each pruning. With `fading`, as in sentencepiece, they lower the
        estimates of rare pieces further, and what is above `size` is cut off at the end. Without it, as in the teaching
        file, pruning ends at `size`, and EM has the last word: the probabilities sum to 1. With `ends`, which contains
        what follows each word, the seed vocabulary is sentencepiece's, and characters may be removed: the counts of
        unknown characters are then added to the most frequent one."""
        self.seeds = Seeds(
            counts, most=seeds, longest=longest, ends=ends, by_script=by_script, single_digits=single_digits
        )
        self.as_sentencepiece = ends is not None
        self.fading = fading
        self.size = max(size, self.seeds.characters)
        self.aim = max(self.size, size * 11 // 10 if aim is None else aim) if fading else self.size
        self.rounds = rounds
        weights = self.seeds.counts * self.seeds.lengths
        self.scores: Floats = np.log(weights / weights.sum())
        self.alive = np.ones(len(weights), bool)
        self.kept = np.arange(len(weights)) < (0 if self.as_sentencepiece else self.seeds.characters)
        self.parts = [*self.seeds.parts()]

    def steps(self) -> Iterator[UnigramLearningStep]:
        """Yield each step after it was applied. Without fading, rounds of EM follow the last pruning, too."""
        yield SeedStep(self, len(self.scores), self.aim)
        while True:
            for _ in range(self.rounds):
                yield self._estimate()
            if not self.fading and self.alive.sum() <= self.aim:
                return
            step = self._prune()
            yield step
            if self.fading and step.pieces <= self.aim:  # sentencepiece 0.2.3 runs no round after the last pruning
                break
        yield self._finish()

    def get_spelled_scores(self) -> dict[str, float]:
        """Return the log-probabilities of the remaining pieces, by spelling."""
        return {self.seeds.spell(id): float(self.scores[id]) for id in np.flatnonzero(self.alive).tolist()}

    def weights(self) -> Floats:
        """Return the scores to segment with: those of removed characters are far below all others."""
        return np.where(self.alive, self.scores, self.scores[self.alive].min() - PENALTY)

    def log_likelihood(self) -> float:
        """Return the log-likelihood of the corpus under the probabilities of the remaining pieces."""
        weights = self.weights()
        return sum(part.lattices.count_expected(weights, part.counts)[1] for part in self.parts)

    def uses(self) -> Floats:
        """Return the count of each piece in the best segmentations of all words."""
        weights = self.weights()
        uses = np.zeros(len(weights))
        for part in self.parts:
            lattices = part.lattices
            uses += lattices.count_used(lattices.find_best(weights), part.counts, len(weights))
        return uses

    def _estimate(self) -> EstimationStep:
        """Run a round of EM: expected counts over all segmentations of all words, then log-probabilities from them."""
        weights = self.weights()
        likelihood = 0.0
        expected = np.zeros(len(weights))
        for part in self.parts:
            part_expected, part_likelihood = part.lattices.count_expected(weights, part.counts)
            expected += part_expected
            likelihood += part_likelihood
        expected = self._remove_unknown(expected)
        floor = MIN_EXPECTED if self.fading else FLOOR
        protected = self.kept | (not self.fading)
        expected[protected] = np.maximum(expected[protected], floor)
        self._set_alive(self.alive & (expected >= floor))
        remaining = expected[self.alive]
        log = digamma if self.fading else np.log
        self.scores[self.alive] = log(remaining) - log(np.array([remaining.sum()]))
        return EstimationStep(self, len(remaining), self.aim, likelihood)

    def _remove_unknown(self, counts: Floats) -> Floats:
        """Return counts with 0 for unknown characters, whose counts sentencepiece adds to that of the first piece."""
        result = np.where(self.alive, counts, 0.0)
        result[0] += self.as_sentencepiece * counts[~self.alive].sum()
        return result

    def _set_alive(self, alive: NDArray[np.bool_]) -> None:
        """Keep only these pieces. All characters stay in the lattices, so that each word has a segmentation."""
        self.alive = alive
        in_lattices = alive.copy()
        in_lattices[: self.seeds.characters] = True
        for part in self.parts:
            part.filter_pieces(in_lattices)

    def _prune(self) -> PruningStep:
        """Remove the pieces of the lowest losses: a quarter of all, or fewer if that is enough to reach the aim."""
        losses, uses, splits = self._losses()
        best = np.argsort(-losses, kind="stable")[: max(self.aim, int(SHRINKING * self.alive.sum()))]
        remaining = np.zeros(len(losses), bool)
        remaining[best] = losses[best] > -np.inf
        removed = np.flatnonzero(self.alive & ~remaining)
        self._set_alive(remaining)
        return PruningStep(self, int(remaining.sum()), self.aim, removed, losses, uses, splits)

    def _losses(self) -> tuple[Floats, Floats, tuple[Ints, Ints]]:
        """Return, by piece, the log-likelihood lost if its best segmentation into other pieces replaces it; and the
        uses and the segmentations that it comes from."""
        uses = self._remove_unknown(self.uses())
        (split_scores, pieces, others) = self._splits()
        if self.as_sentencepiece:
            others = np.where(self.alive[others], others, 0)
        many = np.bincount(pieces, minlength=len(uses))
        total = uses.sum()
        # As in sentencepiece: without the piece, its uses are added to each of the others, and to the total.
        with np.errstate(divide="ignore", invalid="ignore"):
            after = sum_by_id(pieces, np.log(uses[others] + uses[pieces]), len(uses))
            after -= many * np.log(total + uses * (many - 1))
            losses = np.where(many > 0, uses * (np.log(uses / total) - after), np.inf)
        losses = np.where(self.alive & (uses > 0) & (split_scores <= self.scores), losses, -np.inf)
        return np.where(self.kept, np.inf, losses), uses, (pieces, others)

    def _splits(self) -> tuple[Floats, Ints, Ints]:
        """Return, by piece, the score of its best split into others; and pairs of a piece and a part of its split."""
        weights = self.weights()
        seeds = self.seeds
        scores = np.full(len(weights), -np.inf)
        pieces = [np.zeros(0, np.int64)]
        others = [np.zeros(0, np.int32)]
        compound = self.alive & (seeds.lengths > 1)
        for part in self.parts:
            ids = np.flatnonzero(compound & (seeds.first >= part.starts[0]) & (seeds.first < part.stop))
            if not len(ids):
                continue
            # The lattice of a piece is a part of that of the word where it first occurs: none is built again.
            ids = ids[np.argsort(-seeds.lengths[ids], kind="stable")]
            words = np.searchsorted(part.starts, seeds.first[ids], "right") - 1
            inner = part.lattices.cut_parts(words, seeds.first[ids] - part.starts[words], seeds.lengths[ids])
            paths = inner.find_best(weights)
            scores[ids] = paths.sums[inner.nodes.ends]
            on_path = inner.count_passes(paths, np.ones(len(ids))) > 0
            pieces.append(ids[inner.nodes.word[inner.nodes.words :][on_path]])
            others.append(inner.pieces[paths.arrived][on_path])
        return scores, np.concatenate(pieces), np.concatenate(others)

    def _finish(self) -> FinalStep:
        """Remove unreachable pieces, restore removed characters, and keep the pieces of the highest scores."""
        before = self.alive
        characters = np.arange(len(self.alive)) < self.seeds.characters
        reached = before & (self._splits()[0] <= self.scores)
        restored = np.flatnonzero(characters & ~reached)
        self.scores[restored] = self.scores[reached].min() + RESTORED_STEP * np.arange(len(restored))
        rank = np.where(characters, np.inf, np.where(reached, self.scores, -np.inf))
        best = np.argsort(-rank, kind="stable")[: self.size]
        remaining = np.zeros(len(before), bool)
        remaining[best] = rank[best] > -np.inf
        self._set_alive(remaining)
        return FinalStep(self, int(remaining.sum()), self.aim, np.flatnonzero(before & ~remaining))


def digamma(values: Floats) -> Floats:
    """Return the derivative of the logarithm of the gamma function: slightly less than the logarithm of a large count,
    much less than that of a small one, so that rare pieces fade (Liang and Klein 2007).

    >>> digamma(np.array([0.5, 1.0, 10.0])).round(4).tolist()
    [-1.9635, -0.5772, 2.2518]
    """
    values, result = values.copy(), np.zeros(len(values))
    while (small := values < 7).any():
        result[small] -= 1 / values[small]
        values[small] += 1  # by the recurrence ψ(x) = ψ(x + 1) - 1/x, until the asymptotic series is exact enough
    values -= 0.5
    square = values**-2
    return result + np.log(values) + square / 24 - 7 / 960 * square**2 + 31 / 8064 * square**3 - 127 / 30720 * square**4
