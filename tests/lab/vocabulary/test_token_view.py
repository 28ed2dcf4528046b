"""The minimap of a list of tokens."""

from tokenarium.lab.vocabulary.columns import load_columns
from tokenarium.lab.vocabulary.search import Query, scripts_in, search
from tokenarium.lab.vocabulary.token_view import BANDS, draw_minimap


def test_the_bands_of_a_list_cover_it(registry):
    columns = load_columns(registry.get("gpt2"))
    rows = search(columns, Query())
    minimap = draw_minimap(columns, rows, 0, len(rows), [name for name, _ in scripts_in(columns)])
    assert len(minimap.bands) == BANDS
    assert sum(band.count for band in minimap.bands) == 50257
    assert minimap.scripts[0] == "Latin"
    assert all(abs(sum(band.shares) - 1) < 1e-9 for band in minimap.bands)
    lengths = [band.length for band in minimap.bands]
    assert lengths[0] < 3 < lengths[-1]


def test_a_short_list_has_a_band_for_each_token(registry):
    columns = load_columns(registry.get("gpt2"))
    rows = search(columns, Query(q=" straw"))
    minimap = draw_minimap(columns, rows, 0, len(rows), ["Latin"])
    assert [(band.start, band.count, band.length, band.shares) for band in minimap.bands] == [
        (0, 1, 6.0, (1.0, 0.0)),
        (1, 1, 13.0, (1.0, 0.0)),
        (2, 1, 11.0, (1.0, 0.0)),
    ]
    assert draw_minimap(columns, rows[:0], 0, 0, ["Latin"]).bands == ()
    assert minimap.bands[0].parts == [(0, 0.0, 0.4375)]
