"""The calculators draw what their tables say, and name where their numbers come from."""

import pytest
from tokenarium.lab.learn.calculators import CALCULATORS, calculator, round_size
from tokenarium.lab.option_schema import get_option_fields
from tokenarium.settings import Settings


def result(id, **options):
    one = calculator(id)
    return one.result(one.schema(**options), Settings())


def dots(chart):
    return [line.dots[0] for line in chart.lines if len(line.line.points) == 1]


def test_the_dot_moves_along_the_curve_with_the_vocabulary():
    small, large = (result("embedding", vocabulary=size).chart for size in (32_000, 256_000))
    (left,), (right,) = dots(small), dots(large)
    assert left[0] < right[0]
    assert left[1] > right[1]  # a higher share is further up
    assert small.says == "Share of the embedding by vocabulary size; now 3.6 % at 32,000 tokens"
    assert [line.line.name for line in small.lines] == ["a matrix for each", "one matrix for input and output", ""]


def test_the_parts_of_a_model_are_all_of_it():
    assert result("embedding").parts == (
        ("input matrix", 525.336576),
        ("output matrix", 525.336576),
        ("other parameters", 6979.6),
    )
    assert [name for name, _ in result("embedding", tied=True).parts] == ["both matrices", "other parameters"]


def test_the_three_estimates_for_a_billion_lead_to_what_they_take():
    estimated = result("vocabulary", others=1000, width=2048)
    assert estimated.text == "The three approaches give 24,640, 26,547 and 22,163 tokens."
    assert len(dots(estimated.chart)) == 3
    ((address, label),) = estimated.following
    assert address == "embedding?vocabulary=24704&width=2048&others=1000"
    assert label == "What 24,704 tokens take of this model: the middle one, in steps of 128"


@pytest.mark.parametrize("options", [{"others": 1, "width": 1}, {"others": 100_000_000, "width": 1_000_000}])
def test_the_estimates_are_drawn_at_the_bounds(options):
    assert len(dots(result("vocabulary", **options).chart)) == 3


def test_attention_and_matrices_are_drawn_to_the_longest_text():
    assert [mark.text for mark in result("length").chart.across] == ["100", "1k", "10k", "100k", "1M"]
    assert len(dots(result("length", tokens=100_000_000).chart)) == 2


def test_a_size_is_rounded_within_its_bounds():
    assert (round_size(1), round_size(24_094), round_size(1e9)) == (256, 24_064, 9_999_872)


def test_a_preset_says_where_its_numbers_come_from_and_sliders_are_numbers():
    for one in CALCULATORS:
        assert {*one.origins} <= {*one.presets} or one.id == "length"
        assert one.id == "cost" or {*one.presets} <= {*one.origins}
        fields = get_option_fields(one.schema)
        assert all(fields[name].kind in ("integer", "decimal") for name in one.sliders)
        assert all(fields[name].accepts(type(fields[name].default)(high)) for name, (_, high) in one.sliders.items())


def test_each_estimate_says_what_it_assumes():
    one = calculator("vocabulary")
    assert [estimate["name"] for estimate in one.estimates] == ["by IsoFLOPs", "by derivative", "by loss"]
    assert all(estimate["assumes"].endswith(".") for estimate in one.estimates)
    assert "extrapolated" in one.limits


def test_twice_the_length_of_llama_3_costs_four_times_the_attention_and_twice_the_matrices():
    computed = result("length", tokens=8192)
    assert computed.rows[:2] == (
        ("8,192", "35.184 T", "114.354 T", "1,024.0 MiB"),  # 4 · 8192² · 4096 · 32 and 2 · 6979.6 M · 8192
        ("16,384", "140.737 T", "228.708 T", "2,048.0 MiB"),
    )
    assert "takes 1.00 GiB. Twice the length needs 2.47 times the operations" in computed.text  # 369.4 / 149.5
