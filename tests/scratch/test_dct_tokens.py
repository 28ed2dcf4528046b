"""FAST: the teaching file equals the fast one, and tokens give back exactly what was rounded."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.fft import dct
from tokenarium.lab.beyond.actions.analysis import ranks
from tokenarium.scratch import dct_tokens
from tokenarium.scratch.fast import dct_tokens as fast

VALUES = st.floats(-100, 100, allow_subnormal=False).map(lambda x: round(x, 3))
SERIES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(VALUES, min_size=width, max_size=width), min_size=2, max_size=20)
)


def test_the_transform_of_a_hand_made_series_is_that_of_the_definition():
    # DCT-II of 0, 1, 2, 3, orthonormal: the mean times √4, then the published value for a ramp of four.
    assert dct_tokens.cosine_transform([0, 1, 2, 3]) == pytest.approx([3, -2.2304425, 0, -0.1585127], abs=1e-6)


@given(st.lists(VALUES, min_size=1, max_size=40))
def test_the_transform_is_that_of_scipy_and_its_inverse_undoes_it(values):
    coefficients = dct_tokens.cosine_transform(values)
    assert coefficients == pytest.approx(dct(values, norm="ortho").tolist(), abs=1e-8)
    assert dct_tokens.inverse_transform(coefficients) == pytest.approx(values, abs=1e-8)


@given(SERIES, st.integers(1, 100))
def test_the_fast_stages_are_those_of_the_teaching_file(series, scale):
    taught = [*dct_tokens.iter_stages(series, scale, ranks())]
    scaled = np.array(taught[1].coefficients) * scale
    assume(np.abs(scaled % 1 - 0.5).min() > 1e-6)  # where both sums round the same way
    encoded = fast.encode(np.array(series), scale, ranks())
    assert np.abs(encoded.coefficients - taught[1].coefficients).max() < 1e-8
    assert encoded.levels.tolist() == taught[2].levels
    assert (encoded.symbols, encoded.tokens) == (taught[3].symbols, taught[4].tokens)
    decoded = dct_tokens.decode(encoded.tokens, taught[0].ranges, scale)
    assert np.abs(fast.decode(encoded.tokens, encoded.ranges, scale) - decoded).max() < 1e-7


@given(st.lists(st.integers(-2000, 2000), max_size=60))
def test_whole_numbers_survive_the_symbols_and_the_merges(levels):
    symbols = fast.flatten(np.array(levels, np.int64))
    assert dct_tokens.read_levels(b"".join(fast.merge(symbols, ranks()))) == levels


@given(SERIES)
def test_the_error_is_below_half_a_step_of_every_frequency(series):
    encoded = fast.encode(np.array(series), 10, ranks())
    decoded = fast.decode(encoded.tokens, encoded.ranges, 10)
    difference = (decoded - encoded.ranges[0]) / encoded.ranges[1] - encoded.normalized
    # The transform keeps lengths, so the error of all values is that of all coefficients: at most 1/20 each.
    assert np.sqrt((difference**2).mean()) <= 0.05 + 1e-9
