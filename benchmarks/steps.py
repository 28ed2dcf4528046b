"""Traces against the work they are traces of."""

from collections.abc import Iterator

from app.lab.steps.learn.corpora import counted
from app.lab.steps.learn.learning import learn
from app.scratch.corpus import bytes_of
from app.scratch.learn_bpe import BPELearner
from benchmarks.measure import Figure, ratio
from benchmarks.text import english

MERGES = 1_000


def figures() -> Iterator[Figure]:
    yield learning(english(100_000))


def learning(text: str) -> Figure:
    """A learning trace, ready to be looked at, against the bare learner run to the same number of merges."""

    def trace() -> None:
        run = learn(text, algorithm="bpe", unit="bytes", pattern="gpt2", ties="first-seen", merges=MERGES, table=False)
        assert run.total == MERGES + 1

    def bare() -> None:
        learner = BPELearner(bytes_of(counted(text, pattern="gpt2", table=False)))
        assert sum(1 for _ in learner.steps(MERGES)) == MERGES

    return ratio("learning trace, 100 KB, 1,000 merges / learning", trace, bare, most=3)
