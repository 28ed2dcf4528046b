"""What is kept of a run of the learner of pieces: after each step the best cuts of a few words, and the best pieces."""

from collections.abc import Mapping
from heapq import nlargest
from itertools import islice
from typing import NamedTuple

from app.lab.steps.learn.recording import CANDIDATES, ROWS, WHOLE, WIDTH
from app.scratch.learn_unigram import Estimated, Pruned, Seeded, UnigramLearner, best_cut

SHORT = range(3, 17)
"""Characters of a word whose lattice is kept."""
Scored = tuple[str, float]


class Moment(NamedTuple):
    """A step, and what there is after it.

    `pieces` and `tokens` are the numbers of pieces, and of tokens in the corpus with each word in its best cut; `cuts`
    are those of the words shown, each with how many of its tokens are left out. `likeliest` are the pieces of the
    highest log-probability, `others` is how many more there are of what the step weighs, `likelihood` the corpus's
    log-likelihood as last told, and `arcs` the pieces that fit into one word.
    """

    step: Seeded | Estimated | Pruned
    pieces: int
    tokens: int
    cuts: list[tuple[list[str], int]]
    likeliest: list[Scored]
    others: int
    likelihood: float | None
    arcs: list[tuple[int, int, str, float]]


class PieceRecording:
    """A learner of pieces run to its end.

    `ids` numbers the pieces there were to begin with, `words` are those shown, the most frequent of many, and `example`
    is one whose lattice is kept, if any is short enough.
    """

    def __init__(self, learner: UnigramLearner) -> None:
        counts = learner.counts
        self.counts: Mapping[str, int] = counts
        self.words = [*counts] if len(counts) <= ROWS else nlargest(ROWS, counts, key=counts.__getitem__)
        self.width = WHOLE if len(counts) == 1 else WIDTH
        self.example = next((word for word in self.words if len(word) in SHORT), "")
        self.moments: list[Moment] = []
        for step in learner.steps():
            self.moments.append(self._moment(learner, step))
        first = self.moments[0].step
        self.seeds = first.counts if isinstance(first, Seeded) else {}
        self.ids = {piece: id for id, piece in enumerate(self.seeds)}
        self.scores = learner.scores

    def _moment(self, learner: UnigramLearner, step: Seeded | Estimated | Pruned) -> Moment:
        scores = learner.scores
        cuts = {word: best_cut(word, learner.arcs[word], scores) for word in self.counts}
        shown = [(cuts[word][: self.width], max(0, len(cuts[word]) - self.width)) for word in self.words]
        tokens = sum(len(cuts[word]) * count for word, count in self.counts.items())
        arcs = [(*arc, scores[arc[2]]) for arc in learner.arcs.get(self.example, ())]
        likelihood = self.moments[-1].likelihood if self.moments else None
        likeliest: list[Scored] = []
        weighed = len(scores)
        if isinstance(step, Seeded):
            weighed -= len(learner.characters)
        elif isinstance(step, Estimated):
            likelihood = step.log_likelihood
            likeliest = nlargest(CANDIDATES, scores.items(), key=lambda item: item[1])
            step = Estimated(likelihood, {})
        else:
            weighed = len(step.removed) + len(step.spared)
            step = Pruned(step.removed, [*islice(step.spared, CANDIDATES)])
        others = max(0, weighed - CANDIDATES)
        return Moment(step, len(scores), tokens, shown, likeliest, others, likelihood, arcs)
