"""Learning a unigram vocabulary: sums over all cuts are those of the definition, and no round makes it worse."""

from itertools import pairwise
from math import exp, isclose, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scratch.learn_unigram import (
    Estimated,
    Pruned,
    Seeded,
    UnigramLearner,
    best_cut,
    expect,
    fitting,
    substrings,
)
from app.scratch.unigram import Unigram

COUNTS = st.dictionaries(st.text("abc", min_size=1, max_size=10), st.integers(1, 5), min_size=1, max_size=8)
SCORES = st.dictionaries(st.text("ab", min_size=2, max_size=4), st.floats(-5, -0.1), max_size=6).map(
    lambda scores: {"a": -2.0, "b": -1.5, **scores}
)


def cuts(word, pieces):
    """All cuts of a word, by definition."""
    if not word:
        return [[]]
    return [
        [word[:end], *rest]
        for end in range(1, len(word) + 1)
        if word[:end] in pieces
        for rest in cuts(word[end:], pieces)
    ]


@settings(max_examples=500)
@given(st.text("ab", min_size=1, max_size=8), SCORES)
def test_a_piece_is_expected_as_often_as_the_cuts_that_hold_it_are_likely(word, scores):
    weights = [(cut, exp(sum(map(scores.get, cut)))) for cut in cuts(word, scores)]
    total = sum(weight for _, weight in weights)
    expected = dict.fromkeys(scores, 0.0)
    assert isclose(expect(word, [*fitting(word, scores, 4)], scores, 3, expected), log(total), abs_tol=1e-9)
    for piece, number in expected.items():
        by_definition = 3 * sum(cut.count(piece) * weight for cut, weight in weights) / total
        assert isclose(number, by_definition, abs_tol=1e-9)


@settings(max_examples=500)
@given(st.text("ab", min_size=1, max_size=8), SCORES)
def test_the_best_cut_is_the_one_the_encoder_finds(word, scores):
    ids = {piece: id for id, piece in enumerate(scores, 1)}
    found = Unigram(ids, scores, wide=True).best(word, 0.0).pieces
    best = best_cut(word, fitting(word, scores, 4), scores)
    assert isclose(sum(map(scores.get, best)), max(sum(map(scores.get, cut)) for cut in cuts(word, scores)))
    assert "".join(best) == word
    assert len(found) == len(best) or isclose(
        sum(map(scores.get, best)), sum({id: scores[piece] for piece, id in ids.items()}[id] for id, _ in found)
    )


@given(COUNTS, st.integers(2, 6))
def test_substrings_are_counted_as_by_definition(counts, longest):
    seen = {}
    for word, count in counts.items():
        for start in range(len(word)):
            for end in range(start + 2, min(start + longest, len(word)) + 1):
                seen[word[start:end]] = seen.get(word[start:end], 0) + count
    assert substrings(counts, longest) == {piece: count for piece, count in seen.items() if count > 1}


@settings(max_examples=300)
@given(COUNTS, st.integers(1, 30))
def test_no_round_of_estimation_makes_the_corpus_less_likely(counts, size):
    learner = UnigramLearner(counts, size=size, rounds=4)
    for before, step in pairwise(learner.steps()):
        if isinstance(before, Estimated) and isinstance(step, Estimated):
            assert step.log_likelihood >= before.log_likelihood - 1e-6


@settings(max_examples=300)
@given(COUNTS, st.integers(1, 30))
def test_every_word_can_be_cut_after_every_step_and_the_size_is_kept(counts, size):
    learner = UnigramLearner(counts, size=size)
    for _ in learner.steps():
        assert isclose(sum(map(exp, learner.scores.values())), 1)
        for word in counts:
            assert "".join(best_cut(word, learner.arcs[word], learner.scores)) == word
            assert learner.arcs[word] == [*fitting(word, learner.scores, 16)]
    assert len(learner.scores) <= max(size, len(learner.characters))
    assert set(learner.characters) <= set(learner.scores)


def test_pieces_that_come_seldom_and_are_cut_well_otherwise_are_removed_first():
    learner = UnigramLearner({"hug": 10, "pug": 5, "hugs": 5}, size=6)
    seeded, *steps = learner.steps()
    first, second = [step for step in steps if isinstance(step, Pruned)]
    assert isinstance(seeded, Seeded)
    assert seeded.counts == {
        "g": 20, "h": 15, "p": 5, "s": 5, "u": 20,
        "hug": 15, "ug": 20, "hu": 15, "hugs": 5, "pug": 5, "ugs": 5, "gs": 5, "pu": 5,
    }  # fmt: skip
    losses = [{piece: round(loss, 2) for piece, loss in step.removed} for step in (first, second)]
    assert losses == [{"ugs": 0.02, "gs": 0.03, "pu": 0.07, "ug": 0.21}, {"hu": 0.0, "hugs": 2.76, "pug": 27.87}]
    assert [piece for piece, _ in second.spared] == ["hug"]
    assert sorted(learner.scores) == ["g", "h", "hug", "p", "s", "u"]


def test_the_losses_add_up_to_what_the_corpus_loses():
    steps = [*UnigramLearner({"hug": 10, "pug": 5, "hugs": 5}, size=6, rounds=12).steps()]
    (_, pruned) = [step for step in steps if isinstance(step, Pruned)]
    told = [step.log_likelihood for step in steps if isinstance(step, Estimated)]
    assert isclose(told[-13] - told[-1], sum(loss for _, loss in pruned.removed), rel_tol=0.01)


@pytest.mark.parametrize("word", ["a" * 5_000, "ab" * 2_500])
def test_a_long_word_does_not_leave_the_range_of_a_float(word):
    learner = UnigramLearner({word: 1}, size=8)
    likelihoods = [step.log_likelihood for step in learner.steps() if isinstance(step, Estimated)]
    assert all(-20_000 < likelihood < 0 for likelihood in likelihoods)


def test_more_pieces_than_there_are_leaves_all():
    learner = UnigramLearner({"abab": 1}, size=100)
    assert [type(step) for step in learner.steps()] == [Seeded, Estimated, Estimated]
    assert sorted(learner.scores) == ["a", "ab", "b"]
