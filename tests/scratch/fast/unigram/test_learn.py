"""Learning a unigram vocabulary: counts and losses are those of the teaching file, and no round makes it worse."""

from itertools import pairwise
from math import exp, inf, isclose, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch.fast.unigram.learn import (
    EstimationStep,
    FinalStep,
    PruningStep,
    SeedStep,
    UnigramLearner,
    digamma,
)
from tokenarium.scratch.learn_unigram import compute_expected_counts, iter_learning_steps, losses

COUNTS = st.dictionaries(st.text("abc", min_size=1, max_size=10), st.integers(1, 5), min_size=1, max_size=8)


@given(COUNTS, st.integers(1, 20), st.booleans())
def test_each_step_is_the_one_of_the_definition(counts, size, fading):
    learner = UnigramLearner(counts, size=size, fading=fading)
    scores = learner.get_spelled_scores()
    for step in learner.steps():
        if isinstance(step, EstimationStep):
            weights, likelihood = compute_expected_counts(counts, scores)
            assert isclose(step.log_likelihood, likelihood, abs_tol=1e-9)
            least = 0.5 if fading else 0.0
            kept = {piece: max(weights[piece], least) for piece in scores if weights[piece] >= least or len(piece) == 1}
            assert kept.keys() == step.scores().keys()
            if not fading:
                total = sum(kept.values())
                assert all(
                    isclose(exp(score), kept[piece] / total, abs_tol=1e-8) for piece, score in step.scores().items()
                )
        if isinstance(step, PruningStep):
            lost = losses(counts, scores)
            told = {learner.seeds.spell(id): loss for id, loss in enumerate(step.losses.tolist())}
            gone = {learner.seeds.spell(id) for id in step.removed.tolist()}
            assert gone == scores.keys() - step.scores().keys()
            if len({round(score, 9) for score in scores.values()}) == len(scores):  # else equal cuts may be told apart
                assert all(isclose(told[piece], lost[piece], abs_tol=1e-7) for piece in scores)
            assert max((told[piece] for piece in gone), default=-inf) <= min(
                (told[piece] for piece in step.scores()), default=inf
            )
        scores = step.scores()


@given(COUNTS, st.integers(1, 30))
def test_no_round_of_estimation_makes_the_corpus_less_likely(counts, size):
    learner = UnigramLearner(counts, size=size, rounds=4, fading=False)
    for before, step in pairwise(learner.steps()):
        if isinstance(before, EstimationStep) and isinstance(step, EstimationStep):
            assert step.log_likelihood >= before.log_likelihood - 1e-6


def test_without_fading_the_kinds_and_sizes_of_the_steps_are_those_of_the_teaching_file():
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    kinds = {"SeedStep": "SeedVocabulary", "EstimationStep": "EstimatedScores", "PruningStep": "PrunedVocabulary"}
    steps = [(kinds[type(step).__name__], step.pieces) for step in UnigramLearner(counts, size=9, fading=False).steps()]
    assert steps == [(type(step).__name__, len(step.scores)) for step in iter_learning_steps(counts, size=9)]


@given(COUNTS, st.integers(1, 30), st.booleans())
def test_characters_stay_and_the_size_is_kept(counts, size, as_sentencepiece):
    ends = dict.fromkeys(counts, 1) if as_sentencepiece else None
    learner = UnigramLearner(counts, size=size, ends=ends)
    *_, last = learner.steps()
    assert isinstance(last, FinalStep)
    characters = set().union(*counts)
    assert characters <= last.scores().keys()
    assert last.pieces == len(last.scores()) <= max(size, len(characters))


def test_pieces_that_come_seldom_and_are_cut_well_otherwise_are_removed_first():
    learner = UnigramLearner({"hug": 10, "pug": 5, "hugs": 5}, size=6)
    seeded, _, _, pruned, finished = learner.steps()
    assert isinstance(seeded, SeedStep)
    assert {learner.seeds.spell(id): count for id, count in enumerate(learner.seeds.counts.tolist())} == {
        "g": 20, "u": 20, "h": 15, "p": 5, "s": 5, "hug": 15, "ug": 20, "hugs": 5, "pug": 5, "ugs": 5, "gs": 5,
    }  # fmt: skip
    assert [learner.seeds.spell(id) for id in pruned.removed.tolist()] == ["hugs", "pug"]
    assert len(finished.removed) == 0
    assert sorted(finished.scores()) == ["g", "h", "hug", "p", "s", "u"]


def test_lost_characters_come_back_with_the_lowest_scores():
    words = {"quite": 40, "quit": 30, "queue": 9}
    *_, before, last = [step.scores() for step in UnigramLearner(words, size=8, ends=dict.fromkeys(words, 3)).steps()]
    assert sorted(before) == ["queue", "quit", "quite"]
    lowest = round(before["queue"], 4)
    assert {piece: round(score - lowest, 4) for piece, score in last.items() if piece not in before} == {
        "u": 0.0, "q": 0.0001, "i": 0.0002, "t": 0.0003, "e": 0.0004,
    }  # fmt: skip


@pytest.mark.parametrize("word", ["a" * 5_000, "ab" * 2_500])
def test_a_long_word_does_not_leave_the_range_of_a_float(word):
    learner = UnigramLearner({word: 1}, size=8)
    likelihoods = [step.log_likelihood for step in learner.steps() if isinstance(step, EstimationStep)]
    assert all(-20_000 < likelihood < 0 for likelihood in likelihoods)


def test_more_pieces_than_there_are_leaves_all_that_are_expected():
    learner = UnigramLearner({"abab": 3}, size=100)
    assert [type(step) for step in learner.steps()] == [
        SeedStep,
        EstimationStep,
        EstimationStep,
        PruningStep,
        FinalStep,
    ]
    assert sorted(learner.get_spelled_scores()) == ["a", "abab", "b"]


def test_digamma_is_the_slope_of_the_logarithm_of_the_gamma_function():
    values = np.array([0.5, 2.0, 7.0, 100.0])
    euler = 0.5772156649015329
    literal = [-euler - 2 * log(2), 1 - euler, 1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5 + 1 / 6 - euler, 4.600161852738087]
    assert np.allclose(digamma(values), literal, atol=1e-7)


def test_a_token_that_is_hardly_expected_at_all_keeps_a_probability():
    counts = {"these": 9, "tree": 9, "there": 9, "her": 8, "rest": 5}
    for step in iter_learning_steps(counts, size=8):
        assert 0.5 < sum(map(exp, step.scores.values())) < 1 + 1e-9
        assert min(step.scores.values()) > -30
