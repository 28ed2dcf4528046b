"""Treemaps: areas in proportion, within the plane, without overlap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.charts import squarify


@given(st.lists(st.integers(0, 10_000), max_size=60))
def test_tiles_have_areas_in_proportion_and_lie_in_the_plane(values):
    tiles = squarify(values, 1000, 300)
    assert sorted(tile.index for tile in tiles) == [i for i, value in enumerate(values) if value]
    for tile in tiles:
        share = values[tile.index] / sum(values)
        assert tile.width * tile.height == pytest.approx(share * 300_000, rel=1e-6)
        assert -1e-6 <= tile.x <= 1000
        assert tile.x + tile.width <= 1000 + 1e-6
        assert tile.y + tile.height <= 300 + 1e-6


def test_equal_tiles_do_not_overlap():
    places = {(round(tile.x), round(tile.y)) for tile in squarify([1] * 12, 400, 300)}
    assert len(places) == 12
