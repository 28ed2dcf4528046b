"""Records of training: of each step no more than its step shows, so that thousands of steps stay small.

A learner changes its corpus in place, so the record of a step is taken while the learner pauses on it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest, nsmallest
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np

from ...scratch.fast.bpe.learn import MergeChoice
from ...scratch.fast.bpe.symbol_corpus import SymbolCorpus
from ...scratch.fast.unigram.encode import Unigram
from ...scratch.fast.unigram.learn import PruningStep, SeedStep, UnigramLearner, UnigramLearningStep

MAX_ROWS = 24
"""Words that a step shows."""
MAX_CANDIDATES = 12
MAX_WORD = 60
MAX_TEXT = 400
"""Symbols shown of a long word, and of a corpus that is a single word."""


class MergeLearner(Protocol):
    """A learner of merges that can be inspected while it pauses."""

    corpus: SymbolCorpus

    def steps(self, most: int | None = None) -> Iterator[MergeChoice]: ...

    def best(self, most: int) -> list[tuple[str, int]]: ...

    def count_ties(self) -> int: ...


class RecordedWord(NamedTuple):
    """A word before a step, or the part of it around the first merge; one character per symbol id.

    `before` and `after` are the numbers of symbols omitted on either side; `after` counts them after the step.
    """

    word: int
    symbols: str
    before: int
    after: int


class MergeStep(NamedTuple):
    """A merge as it was chosen, and the corpus after it: its length `size`, and the distinct symbols `in_use`.

    `best` are the first pairs in order with their counts; `uses` are the counts of their parts, if recorded. `ties`
    is the number of other pairs that are as good, `pairs` that of all pairs, `left_out` that of further words changed.
    """

    pair: str
    times: int
    tied: int
    best: list[tuple[str, int]]
    uses: list[tuple[int, int]]
    pairs: int
    words: list[RecordedWord]
    left_out: int
    size: int
    in_use: int


class MergeRecording:
    """A learner run to a number of merges, or to its end.

    `corpus` is the corpus after training. `initial` are its words before training, `symbols` the size of the initial
    vocabulary, `size` the initial length of the corpus, and `in_use` its number of distinct symbols.
    """

    def __init__(self, learner: MergeLearner, merges: int, *, with_uses: bool = False) -> None:
        """Run the learner. With `with_uses`, the counts of the best pairs' parts are recorded too."""
        self.corpus = learner.corpus
        self.initial = [*self.corpus.words]
        self.symbols = len(self.corpus.spellings)
        self.size = self.corpus.size
        self._uses = Counter(self.corpus.occurrences())
        self.in_use = len(self._uses)
        counts = self.corpus.counts
        self._by_count = sorted(range(len(counts)), key=lambda index: -counts[index])
        self._rank = [0] * len(counts)
        for rank, index in enumerate(self._by_count):
            self._rank[index] = rank
        self._width = MAX_TEXT if len(counts) == 1 else MAX_WORD
        self._shows_all = len(counts) <= MAX_ROWS
        shown = range(len(counts)) if self._shows_all else self._by_count[:MAX_ROWS]
        self.first = [self._record_word(index, "") for index in shown]
        self.steps = [*self._record(learner, merges, with_uses=with_uses)]

    def _record(self, learner: MergeLearner, merges: int, *, with_uses: bool) -> Iterator[MergeStep]:
        corpus = self.corpus
        uses = self._uses
        size = corpus.size
        pending: MergeStep | None = None
        # The learner pauses before it applies a merge, so what a merge changed is known at the next pause.
        for pair, times, _ in learner.steps(merges):
            if pending:
                yield self._complete_step(pending, size)
                size = corpus.size
            best = learner.best(MAX_CANDIDATES)
            words, left_out = self._list_changed_words(pair)
            part_uses = [(uses[parts[0]], uses[parts[1]]) for parts, _ in best] if with_uses else []
            pending = MergeStep(
                pair=pair,
                times=times,
                tied=learner.count_ties(),
                best=best,
                uses=part_uses,
                pairs=len(corpus.pairs),
                words=words,
                left_out=left_out,
                size=0,
                in_use=0,
            )
        if pending:
            yield self._complete_step(pending, size)

    def _complete_step(self, step: MergeStep, size: int) -> MergeStep:
        """Return a step with the figures after its merge; `size` is the length of the corpus before it."""
        uses = self._uses
        merged = size - self.corpus.size
        # Each merge shortens the corpus by one symbol: it takes one occurrence of either part.
        for part in step.pair:
            uses[part] -= merged
            if not uses[part]:
                del uses[part]
        uses[chr(len(self.corpus.spellings) - 1)] = merged
        return step._replace(size=self.corpus.size, in_use=len(uses))

    def _list_changed_words(self, pair: str) -> tuple[list[RecordedWord], int]:
        """Return the words to show and the number of further words with the pair.

        A small corpus is shown as a whole; otherwise the most frequent of the words that change.
        """
        if self._shows_all:
            return [self._record_word(index, pair) for index in range(len(self.initial))], 0
        words = self.corpus.words
        # places may list words that lost the pair to an earlier merge, so each word is checked.
        ranks = [self._rank[index] for index in {*self.corpus.places[pair]} if pair in words[index]]
        shown = nsmallest(MAX_ROWS, ranks)
        return [self._record_word(self._by_count[rank], pair) for rank in shown], len(ranks) - len(shown)

    def _record_word(self, index: int, pair: str) -> RecordedWord:
        word = self.corpus.words[index]
        if len(word) <= self._width:
            return RecordedWord(index, word, 0, 0)
        start = min(max(0, word.find(pair) - MAX_WORD // 3), len(word) - MAX_WORD)
        end = start + MAX_WORD
        if pair and word[start:end].replace(pair, "").endswith(pair[0]) and word.startswith(pair[1], end):
            end += 1  # otherwise the window would end between the two halves of a merge
        rest = word[end:]
        return RecordedWord(index, word[start:end], start, len(rest) - rest.count(pair) if pair else len(rest))


LATTICE_LENGTHS = range(3, 17)
"""Lengths of a word whose lattice is recorded: long enough to have several paths, short enough to draw."""
ScoredToken = tuple[str, float]


class EstimatedLoss(NamedTuple):
    """The loss of a token with what it comes from: its uses, those of all tokens, and those of the parts of its best
    segmentation into others."""

    token: str
    loss: float
    uses: int
    total: int
    parts: list[int]


class UnigramStep(NamedTuple):
    """A step of unigram training and the state after it.

    `kind` is the type of the learner's step. `vocabulary` is the number of tokens in the vocabulary, `tokens` the
    length of the corpus with each word in its best segmentation. `segmentations` are those of the words shown, each
    with the number of tokens omitted. `candidates` are the first tokens that the step compares, with their values, and
    `others` the number of further ones. `removed` are the tokens it removed, with the loss if it computed one.
    `likelihood` is the log-likelihood of the corpus after it, after a pruning still that before; `arcs` is the lattice
    of the example word. `estimate` is the smallest loss that a pruning computed; None if all its tokens lose nothing.
    """

    kind: type[UnigramLearningStep]
    vocabulary: int
    tokens: int
    segmentations: list[tuple[list[str], int]]
    candidates: list[ScoredToken]
    others: int
    removed: list[ScoredToken]
    likelihood: float
    arcs: list[tuple[int, int, str, float]]
    estimate: EstimatedLoss | None


class UnigramRecording:
    """A unigram learner run to its end, on words and their counts.

    `seeds` is the seed vocabulary with counts, and `ids` numbers it; `scores` are the log-probabilities of the final
    vocabulary. `words` are the words shown, the most frequent of many, and `example` is the one whose lattice is
    recorded, or empty if none has a suitable length.
    """

    def __init__(self, learner: UnigramLearner, counts: Mapping[str, int]) -> None:
        """Run the learner."""
        self.counts = counts
        self.words = [*counts] if len(counts) <= MAX_ROWS else nlargest(MAX_ROWS, counts, key=counts.__getitem__)
        self._width = MAX_TEXT if len(counts) == 1 else MAX_WORD
        self.example = next((word for word in self.words if len(word) in LATTICE_LENGTHS), "")
        self.seeds: dict[str, float] = {
            learner.seeds.spell(id): count for id, count in enumerate(learner.seeds.counts.tolist())
        }
        self.ids = {token: id for id, token in enumerate(self.seeds)}
        self._spellings = [*self.seeds]
        self._alphabet = learner.seeds.characters
        self._alive = learner.alive
        self.steps: list[UnigramStep] = []
        for step in learner.steps():
            self.steps.append(self._record(learner, step))
        self.scores = learner.get_spelled_scores()

    def _record(self, learner: UnigramLearner, step: UnigramLearningStep) -> UnigramStep:
        scores = step.scores()
        model = Unigram({token: self.ids[token] for token in scores}, scores, unknown=-1, wide=True)
        paths = [[self._spellings[id] for id, _ in model.best(word, 0.0).pieces] for word in self.words]
        removed = self._list_removed(learner, step)
        candidates, others = self._candidates(step, removed, scores)
        return UnigramStep(
            kind=type(step),
            vocabulary=len(scores),
            tokens=round(float(learner.uses().sum())),
            segmentations=[(path[: self._width], max(0, len(path) - self._width)) for path in paths],
            candidates=candidates,
            others=others,
            removed=removed,
            likelihood=self.steps[-1].likelihood if isinstance(step, PruningStep) else learner.log_likelihood(),
            arcs=self._arcs(model),
            estimate=self._estimate(step) if isinstance(step, PruningStep) else None,
        )

    def _estimate(self, step: PruningStep) -> EstimatedLoss | None:
        """Return the smallest loss that a pruning computed; None if it computed none."""
        finite = np.where(np.isfinite(step.losses), step.losses, np.inf)
        id = int(finite.argmin())
        if finite[id] == np.inf:
            return None
        pieces, others = step.splits
        parts = step.uses[others[pieces == id]].tolist()
        uses = round(float(step.uses[id]))
        return EstimatedLoss(
            self._spellings[id], float(finite[id]), uses, round(float(step.uses.sum())), [*map(round, parts)]
        )

    def _arcs(self, model: Unigram) -> list[tuple[int, int, str, float]]:
        return [
            (start, end, self._spellings[id], score)
            for start in range(len(self.example))
            for end, score, id in model.edges(self.example, start)
        ]

    def _list_removed(self, learner: UnigramLearner, step: UnigramLearningStep) -> list[ScoredToken]:
        """Return the tokens that a step removed, those of the smallest loss first."""
        ids = np.flatnonzero(self._alive & ~learner.alive).tolist()
        # The learner replaces its mask at each step instead of changing it, so keeping it needs no copy.
        self._alive = learner.alive
        if not isinstance(step, PruningStep):
            return [(self._spellings[id], 0.0) for id in ids]
        return self._by_loss(step, ids)

    def _by_loss(self, step: PruningStep, ids: list[int]) -> list[ScoredToken]:
        """Return tokens with their losses, smallest first. A token in no best segmentation loses nothing."""
        losses = [(self._spellings[id], max(float(step.losses[id]), 0.0)) for id in ids]
        return sorted(losses, key=lambda item: item[1])

    def _candidates(
        self, step: UnigramLearningStep, removed: Sequence[ScoredToken], scores: Mapping[str, float]
    ) -> tuple[list[ScoredToken], int]:
        """Return the first tokens that a step compares, without those removed, and the number of further ones."""
        if isinstance(step, SeedStep):
            tokens = [*islice(self.seeds.items(), self._alphabet, None)]
        elif isinstance(step, PruningStep):
            ids = np.flatnonzero(self._alive)
            # Single characters are never pruned, so they are not candidates.
            tokens = self._by_loss(step, ids[ids >= self._alphabet].tolist())
        else:
            likeliest = nlargest(MAX_CANDIDATES, scores.items(), key=lambda item: item[1])
            return likeliest, max(0, len(scores) - MAX_CANDIDATES)
        return tokens[:MAX_CANDIDATES], max(0, len(removed) + len(tokens) - MAX_CANDIDATES)
