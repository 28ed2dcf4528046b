"""What is kept of a run of the learner of pieces: after each step the best cuts of a few words, and the best pieces."""

from collections.abc import Mapping, Sequence
from heapq import nlargest
from itertools import islice
from typing import NamedTuple

import numpy as np

from app.lab.steps.learn.recording import CANDIDATES, ROWS, WHOLE, WIDTH
from app.scratch.learn_unigram import Estimated, Pruned, Seeded, Step, UnigramLearner
from app.scratch.unigram import Unigram

SHORT = range(3, 17)
"""Characters of a word whose lattice is kept."""
Scored = tuple[str, float]


class Moment(NamedTuple):
    """A step, and what there is after it.

    `kind` is the step's. `pieces` and `tokens` are the numbers of pieces, and of tokens in the corpus with each word in
    its best cut; `cuts` are those of the words shown, each with how many of its tokens are left out. `weighed` are the
    foremost of the pieces the step is about, with what it weighs them by, and `others` is how many more there are;
    `removed` are those it took away, with the loss where it told one. `likelihood` is the corpus's log-likelihood as
    last told, and `arcs` the pieces that fit into one word.
    """

    kind: type[Step]
    pieces: int
    tokens: int
    cuts: list[tuple[list[str], int]]
    weighed: list[Scored]
    others: int
    removed: list[Scored]
    likelihood: float | None
    arcs: list[tuple[int, int, str, float]]


class PieceRecording:
    """A learner of pieces run to its end, from words and how often each comes.

    `seeds` are the pieces there were to begin with, with their counts, and `ids` numbers them; `scores` are those of
    the pieces that are left. `words` are those shown, the most frequent of many, and `example` is one whose lattice is
    kept, if any is short enough.
    """

    def __init__(self, learner: UnigramLearner, counts: Mapping[str, int]) -> None:
        self.counts = counts
        self.words = [*counts] if len(counts) <= ROWS else nlargest(ROWS, counts, key=counts.__getitem__)
        self.width = WHOLE if len(counts) == 1 else WIDTH
        self.example = next((word for word in self.words if len(word) in SHORT), "")
        self.seeds: dict[str, float] = {
            learner.seeds.spelled(id): count for id, count in enumerate(learner.seeds.counts.tolist())
        }
        self.ids = {piece: id for id, piece in enumerate(self.seeds)}
        self.characters = learner.seeds.characters
        self._spelled = [*self.seeds]
        self._alive = learner.alive
        self.moments: list[Moment] = []
        for step in learner.steps():
            self.moments.append(self._moment(learner, step))
        self.scores = learner.spelled_scores()

    def _moment(self, learner: UnigramLearner, step: Step) -> Moment:
        scores = step.scores()
        model = Unigram({piece: self.ids[piece] for piece in scores}, scores, unknown=-1, wide=True)
        cuts = [[self._spelled[id] for id, _ in model.best(word, 0.0).pieces] for word in self.words]
        shown = [(cut[: self.width], max(0, len(cut) - self.width)) for cut in cuts]
        arcs = [
            (start, end, self._spelled[id], score)
            for start in range(len(self.example))
            for end, score, id in model.edges(self.example, start)
        ]
        likelihood = self.moments[-1].likelihood if self.moments else None
        if isinstance(step, Estimated):
            likelihood = step.log_likelihood
        removed = self._removed(learner, step)
        weighed, others = self._weighed(step, removed, scores)
        tokens = round(float(learner.uses().sum()))
        return Moment(type(step), len(scores), tokens, shown, weighed, others, removed, likelihood, arcs)

    def _removed(self, learner: UnigramLearner, step: Step) -> list[Scored]:
        """What went with a step, that of the least loss first."""
        gone = np.flatnonzero(self._alive & ~learner.alive)
        self._alive = learner.alive
        if not isinstance(step, Pruned):
            return [(self._spelled[id], 0.0) for id in gone.tolist()]
        return self._by_loss(step, gone.tolist())

    def _by_loss(self, step: Pruned, ids: list[int]) -> list[Scored]:
        """Pieces with their losses, the least first; without a piece that is in no best cut, nothing is lost."""
        losses = [(self._spelled[id], max(float(step.losses[id]), 0.0)) for id in ids]
        return sorted(losses, key=lambda item: item[1])

    def _weighed(self, step: Step, removed: Sequence[Scored], scores: Mapping[str, float]) -> tuple[list[Scored], int]:
        """What a step weighs: the foremost pieces, those removed apart, and how many more there are."""
        if isinstance(step, Seeded):
            found = [*islice(self.seeds.items(), self.characters, None)]
        elif isinstance(step, Pruned):
            ids = np.flatnonzero(self._alive)
            found = self._by_loss(step, ids[ids >= self.characters].tolist())
        else:
            found = nlargest(CANDIDATES, scores.items(), key=lambda item: item[1])
            return found, max(0, len(scores) - CANDIDATES)
        return found[:CANDIDATES], max(0, len(removed) + len(found) - CANDIDATES)
