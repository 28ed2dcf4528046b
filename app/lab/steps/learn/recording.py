"""What is kept of a learner's run: of each step no more than a frame needs, so that a thousand steps are soon ready."""

from collections import Counter
from collections.abc import Iterator
from heapq import nsmallest
from typing import NamedTuple, Protocol

from app.scratch.corpus import Corpus
from app.scratch.learn_bpe import Choice

ROWS = 24
CANDIDATES = 12
WIDTH, WHOLE = 60, 400
"""Symbols that are kept of a long word, and of a corpus that is one word."""


class Learner(Protocol):
    """A learner of merges that can be looked at while it waits."""

    corpus: Corpus

    def steps(self, most: int | None = None) -> Iterator[Choice]: ...

    def best(self, most: int) -> list[tuple[str, int]]: ...

    def tied(self) -> int: ...


class Kept(NamedTuple):
    """A word before a step, or the part of it about the first merge, and how many tokens are left out around that.

    Those left out `after` it are counted as they are after the step.
    """

    word: int
    symbols: str
    before: int
    after: int


class Step(NamedTuple):
    """A step as it was chosen, and the corpus after it: its size, and how many symbols are in use.

    `best` are the first pairs in order with their counts, `uses` how often the parts of each come, where that is kept;
    `tied` and `pairs` are the numbers of other pairs that are as good, and of all.
    """

    pair: str
    times: int
    tied: int
    best: list[tuple[str, int]]
    uses: list[tuple[int, int]]
    pairs: int
    kept: list[Kept]
    left_out: int
    size: int
    in_use: int


class Recording:
    """A learner run to its end, or to a number of merges.

    `corpus` is what is left of the corpus, `initial` the words there were, `symbols` and `size` how many symbols the
    vocabulary had and how long the corpus was, and `in_use` how many of them stood in it.
    """

    def __init__(self, learner: Learner, most: int, *, parts: bool = False) -> None:
        """With `parts`, how often the parts of the best pairs come is kept too."""
        self.corpus = learner.corpus
        self.initial = [*self.corpus.words]
        self.symbols = len(self.corpus.spellings)
        self.size = self.corpus.size
        self._uses = Counter(self.corpus.occurrences())
        self.in_use = len(self._uses)
        counts = self.corpus.counts
        self.by_count = sorted(range(len(counts)), key=lambda index: -counts[index])
        self._rank = [0] * len(counts)
        for rank, index in enumerate(self.by_count):
            self._rank[index] = rank
        self.width = WHOLE if len(counts) == 1 else WIDTH
        self.few = len(counts) <= ROWS
        self.first = [self._keep(index, "") for index in (range(len(counts)) if self.few else self.by_count[:ROWS])]
        self.steps = [*self._record(learner, most, parts=parts)]

    def _record(self, learner: Learner, most: int, *, parts: bool) -> Iterator[Step]:
        corpus, uses = self.corpus, self._uses
        size = corpus.size
        before: Step | None = None
        for pair, times, _ in learner.steps(most):
            if before:
                yield self._after(before, size)
                size = corpus.size
            best = learner.best(CANDIDATES)
            kept, left_out = self._affected(pair)
            of_parts = [(uses[found[0]], uses[found[1]]) for found, _ in best] if parts else []
            before = Step(pair, times, learner.tied(), best, of_parts, len(corpus.pairs), kept, left_out, 0, 0)
        if before:
            yield self._after(before, size)

    def _after(self, step: Step, size: int) -> Step:
        """The step once it was made, in a corpus that was of this size before it."""
        uses, merged = self._uses, size - self.corpus.size
        for part in step.pair:
            uses[part] -= merged
            if not uses[part]:
                del uses[part]
        uses[chr(len(self.corpus.spellings) - 1)] = merged
        return step._replace(size=self.corpus.size, in_use=len(uses))

    def _affected(self, pair: str) -> tuple[list[Kept], int]:
        """The words to show, and how many more a pair stands in: every word of a few, else the most frequent."""
        if self.few:
            return [self._keep(index, pair) for index in range(len(self.initial))], 0
        words = self.corpus.words
        ranks = [self._rank[index] for index in {*self.corpus.places[pair]} if pair in words[index]]
        shown = nsmallest(ROWS, ranks)
        return [self._keep(self.by_count[rank], pair) for rank in shown], len(ranks) - len(shown)

    def _keep(self, index: int, pair: str) -> Kept:
        word = self.corpus.words[index]
        if len(word) <= self.width:
            return Kept(index, word, 0, 0)
        start = min(max(0, word.find(pair) - WIDTH // 3), len(word) - WIDTH)
        end = start + WIDTH
        if pair and word[start:end].replace(pair, "").endswith(pair[0]) and word.startswith(pair[1], end):
            end += 1  # the edge would cut a merge in two
        rest = word[end:]
        return Kept(index, word[start:end], start, len(rest) - rest.count(pair) if pair else len(rest))
