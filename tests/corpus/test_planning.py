"""A plan is arithmetic on a rate."""

import pytest
from tokenarium.corpus.planning import Forecast, Speed, number
from tokenarium.errors import Invalid


def test_the_arithmetic_is_shown():
    forecast = Forecast(number("15T"), Speed(50e6, 4.0, "given"), 4)
    assert forecast.core_hours == pytest.approx(60e12 / 50e6 / 3600)
    lines = [*forecast.lines()]
    assert lines[0] == "15,000,000,000,000 tokens × 4.00 bytes per token (given) = 60.0 TB of text"
    assert lines[1] == "60.0 TB / 50.0 MB a second and core (given) / 3,600 = 333.3 core hours"
    assert "in 24 h: 17 cores, 85% of the speed each (23.1 h)" in lines
    assert lines[-1] == "15,000,000,000,000 ids × 4 bytes = 60.0 TB of shards"


def test_one_core_has_its_whole_speed():
    forecast = Forecast(number("1M"), Speed(1e6, 3.6, "given"), 2)
    assert (forecast.cores(1), forecast.hours(1)) == (1, 0.001)
    assert forecast.shard_bytes == 2_000_000


@pytest.mark.parametrize("text", ["", "many", "-3", "0", "1e9", "5X", "٣"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(Invalid, match="such as 15T"):
        number(text)
