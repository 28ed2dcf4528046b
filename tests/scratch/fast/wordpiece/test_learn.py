"""The fast learner of WordPiece makes the choices of the teaching file, which takes the published score."""

from collections import Counter
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch import learn_bpe, learn_wordpiece
from tokenarium.scratch.fast.bpe.symbol_corpus import build_continued_corpus
from tokenarium.scratch.fast.wordpiece.learn import WordPieceLearner

COUNTS = st.dictionaries(st.text("abc", min_size=1, max_size=10), st.integers(1, 4), max_size=8)
TIES = get_args(learn_bpe.TieRule)


def learned(corpus, most=None, **options):
    steps = WordPieceLearner(corpus, **options).steps(most)
    return [(*(corpus.spellings[ord(symbol)] for symbol in step.pair), step.times) for step in steps]


def learned_by_definition(counts, ties):
    """The merges and the words they leave, by the teaching file."""
    steps = [
        step
        for step in learn_wordpiece.iter_learning_steps(counts, ties=ties)
        if isinstance(step, learn_wordpiece.Merged)
    ]
    merges = [(*step.pair, step.frequency) for step in steps]
    return merges, steps[-1].words if steps else [[*map(ord, word)] for word in build_continued_corpus(counts).words]


@pytest.mark.parametrize("ties", TIES)
@given(counts=COUNTS)
def test_the_heap_chooses_as_the_definition_does(ties, counts):
    corpus = build_continued_corpus(counts)
    merges, left = learned_by_definition(counts, ties)
    assert learned(corpus, ties=ties) == merges
    assert [[*map(ord, word)] for word in corpus.words] == left


@pytest.mark.parametrize("ties", TIES)
@given(counts=COUNTS)
def test_candidates_stand_in_order_and_ties_are_counted(ties, counts):
    learner = WordPieceLearner(corpus := build_continued_corpus(counts), ties=ties)
    for choice in learner.steps():
        found = learner.best(1000)
        scores = [learner.score(pair) for pair, _ in found]
        assert found[0] == choice[:2]
        assert dict(found) == {pair: count for pair, count in corpus.pairs.items() if count > 1}
        assert scores == sorted(scores, reverse=True)
        assert learner.count_ties() == scores.count(scores[0]) - 1
        assert learner.uses == Counter(corpus.occurrences())


def test_rare_parts_weigh_more_than_a_frequent_pair():
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    corpus = build_continued_corpus(counts)
    assert learned(corpus, 3) == [("##g", "##s", 5), ("h", "##u", 15), ("hu", "##gs", 5)]
    assert corpus.spell_word(4) == ["hugs"]


def test_a_continuation_loses_its_mark_inside_a_symbol():
    corpus = build_continued_corpus({"playing": 2, "play": 3})
    assert [a + b for a, b, _ in learned(corpus)] == ["##i##n", "##in##g", "p##l", "pl##a", "pla##y", "play##ing"]
    assert (corpus.spell_word(0), corpus.spell_word(1)) == (["playing"], ["play"])
