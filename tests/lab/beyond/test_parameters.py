"""Parameters as tokens: zero keys leave the output as it was if the factor stays, and only then."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.beyond.parameters.layer import RULES, Learner, grow, race, weigh
from tokenarium.scratch import pattention


@given(st.integers(0, 10_000), st.integers(2, 16), st.integers(1, 64))
def test_only_a_kept_factor_leaves_the_output_as_it_was(seed, pairs, more):
    growth = grow(seed, pairs, more)
    assert growth.difference("kept") <= 1e-12
    assert growth.difference("rescaled") > 1e-3
    assert growth.difference("softmax") > 1e-6


@given(st.integers(0, 10_000))
def test_the_layer_is_that_of_the_teaching_file(seed):
    growth = grow(seed, 5, 3)
    taught = {
        "kept": lambda scores: pattention.weigh_by_length(scores, 5),
        "rescaled": lambda scores: pattention.weigh_by_length(scores, len(scores)),
        "softmax": pattention.softmax,
    }
    keys, values = growth.keys.tolist(), growth.values.tolist()
    assert (keys[5:], values) == ([[0] * 6] * 3, pattention.grow(keys[:5], values[:5], values[5:])[1])
    for rule, weigh_one in taught.items():
        outputs = [[*pattention.attend(x, keys, values, weigh_one)][-1].output for x in growth.inputs.tolist()]
        assert growth.output(rule, grown=True) == pytest.approx(np.array(outputs), abs=1e-12)


def test_the_weights_of_a_hand_made_row():
    # |(3, −4)| = 5, so the scaled scores are 0.6·√2 and −0.8·√2.
    below = NormalDist().cdf
    expected = [x * below(x) for x in (0.6 * 2**0.5, -0.8 * 2**0.5)]
    assert weigh(np.array([[3.0, -4.0]]), "kept", 2).tolist()[0] == pytest.approx(expected, abs=1e-12)
    assert weigh(np.array([[1.0, 1.0, 1.0]]), "softmax", 3).tolist()[0] == pytest.approx([1 / 3] * 3)


class Gradients(Learner):
    """A learner that notes its gradients in place of taking a step."""

    def _descend(self, gradients):
        self.gradients = gradients


def test_the_gradients_are_those_of_finite_differences():
    random = np.random.default_rng(0)
    inputs, targets = random.normal(size=(7, 3)), random.normal(size=(7, 1))
    first = Learner.fresh(random, 5)
    learner = Gradients(first.keys, first.values, first.scale)
    learner.learn(inputs, targets)
    for name, gradient in zip(("keys", "values"), learner.gradients, strict=True):
        for place in np.ndindex(gradient.shape):
            losses = []
            for change in (1e-6, -1e-6):
                parts = {"keys": first.keys.copy(), "values": first.values.copy()}
                parts[name][place] += change
                losses.append(((Learner(**parts, scale=first.scale).output(inputs) - targets) ** 2).mean())
            assert gradient[place] == pytest.approx((losses[0] - losses[1]) / 2e-6, abs=1e-7)


def test_a_new_pair_learns_though_its_key_is_zero():
    random = np.random.default_rng(1)
    grown = Learner.fresh(random, 4).grow(random.normal(size=(2, 1)), rescaled=False)
    grown.learn(random.normal(size=(9, 3)), random.normal(size=(9, 1)))
    assert np.abs(grown.keys[4:]).min() > 0


def test_a_race_is_the_same_for_a_seed_and_its_error_does_not_jump_where_the_factor_is_kept():
    first, other = race(1, 8, 24, 50), race(2, 8, 24, 50)
    race.cache_clear()
    assert first == race(1, 8, 24, 50) != other
    assert first.after == pytest.approx(first.before, abs=1e-12)
    assert first.after_rescaled > first.before
    assert [step for step, _ in first.kept.points][-1] == [step for step, _ in first.fresh.points][-1] == 100
    for curve in first.curves:
        assert curve.points[-1][1] < max(error for _, error in curve.points)
    assert first.winner in first.curves


def test_the_rules_are_three():
    assert [*RULES] == ["kept", "rescaled", "softmax"]
