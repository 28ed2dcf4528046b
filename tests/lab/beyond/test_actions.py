"""Movements as tokens: the vocabulary is what its command trains, and naive binning pays for every number."""

import numpy as np
import pytest
from tokenarium.errors import Invalid, TooLarge
from tokenarium.lab.beyond.actions.analysis import (
    analyse,
    analyse_example,
    bin_values,
    format_csv,
    parse_csv,
    ranks,
    train_vocabulary,
)
from tokenarium.lab.beyond.actions.movements import EXAMPLES, example


def test_the_store_holds_what_the_command_trains():
    assert train_vocabulary() == ranks()
    assert sorted(ranks().values()) == [*range(1024)]
    assert [symbol for symbol in range(256) if ranks()[bytes([symbol])] != symbol] == []


@pytest.mark.parametrize("one", EXAMPLES, ids=lambda one: one.id)
def test_an_example_costs_fewer_tokens_than_binning_and_decodes_to_what_was_encoded(one):
    shown = analyse_example(one)
    assert shown.exact
    assert shown.measured.tokens < shown.naive.tokens == shown.series.size
    errors = [point.error for point in shown.curve]
    assert errors[0] > errors[5] > errors[-1]


def test_two_arms_are_700_numbers_and_a_fraction_of_the_tokens():
    shown = analyse_example(example("arms"))
    assert shown.series.shape == (50, 14)
    assert shown.measured.tokens < 700 / 10
    assert shown.measured.error < 0.01


def test_a_movement_at_rest_is_zeros_and_comes_back():
    shown = analyse(np.full((50, 2), 7.0))
    assert (shown.zeros, shown.decoded.tolist()) == (100, [[7.0, 7.0]] * 50)


def test_bins_are_256_and_their_middles_come_back():
    assert len({*bin_values(np.linspace(-1, 1, 10_000)[:, None]).ravel().tolist()}) == 256
    assert np.abs(bin_values(np.linspace(-1, 1, 1000)) - np.linspace(-1, 1, 1000)).max() <= 1 / 256 + 1e-12


def test_a_csv_is_written_as_it_is_read():
    text = format_csv(example("pick").make(), ("x", "y", "z", "grip"))
    series, names = parse_csv(text)
    assert (series.shape, names, format_csv(series.tolist(), names)) == ((50, 4), ("x", "y", "z", "grip"), text)
    for other in ("0;1\n2;3", "0\t1\n2\t3", "0 1\n2 3", "\n 0, 1 \n\n2,3\n"):
        assert parse_csv(other)[0].tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Draw a movement"),
        ("1,2", "two or more"),
        ("1,2\n3", "Row 2 has 1 numbers"),
        ("1,2\n3,x", "Row 2 has something"),
        ("1,2\n3,nan", "Row 2 has a number that is not finite"),
        ("1,2\ninf,3", "not finite"),
        ("1,2\n3,1e7", "beyond"),
        ("\n".join(["1 2 3 4 5 6 7 8 9 10"] * 201), "at most 2,000 numbers"),
        (f"{'1 ' * 33}\n{'1 ' * 33}", "32 dimensions"),
        ("\n".join(["0"] * 199 + ["1e6"] + ["1e-9"] * 2), "outlier"),
    ],
)
def test_what_is_no_movement_is_refused_in_words(text, says):
    with pytest.raises((Invalid, TooLarge), match=says):
        analyse(*parse_csv(text))
