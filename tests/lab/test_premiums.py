"""Sums of premiums are of all languages that were read, and stand where the axis says."""

import pytest
from tokenarium.lab.languages.atlas import Atlas, AtlasColumn, read_atlas
from tokenarium.lab.languages.declarations import Language
from tokenarium.lab.languages.premiums import axis_position, by_script, by_tokenizer, map_dots, overall, unread
from tokenarium.lab.languages.table import TableParams, table
from tokenarium.settings import Settings

KEPT = read_atlas(Settings().store)


def language(code, script, place=(0.0, 0.0)):
    return Language(code, code, code.title(), script, "ltr", place, 30, 100, 100, 20)


LANGUAGES = (language("a", "Latin"), language("b", "Latin", (80.0, -180.0)), language("c", "Thai", None))
COLUMN = AtlasColumn("x", "X", "scratch", "0", "", tokens=(10, 40, 90), english=(10, 10, 10), unknown=(0, 10, 11))
SMALL = Atlas("", "", LANGUAGES, (COLUMN,))


def test_a_language_of_which_a_tenth_is_unknown_is_read_and_of_which_more_is_not():
    assert [dot.language.code for dot in overall(SMALL, COLUMN).dots] == ["a", "b"]
    assert unread(SMALL, COLUMN) == 1


def test_a_spread_goes_from_the_least_to_the_most():
    spread = overall(SMALL, COLUMN)
    assert (spread.minimum, spread.first_quartile, spread.median, spread.third_quartile, spread.maximum) == (
        1.0,
        1.75,
        2.5,
        3.25,
        4.0,
    )
    assert spread.percentile_90 == pytest.approx(3.7)
    assert (spread.best.code, spread.worst.code) == ("a", "b")


def test_the_map_has_the_languages_that_have_a_place():
    assert [(dot.language.code, dot.x, dot.y) for dot in map_dots(SMALL, COLUMN)] == [
        ("a", 50.0, 58.0),
        ("b", 0.0, 0.0),
    ]
    for column in KEPT.columns:
        dots = map_dots(KEPT, column)
        assert all(0 <= dot.x <= 100 and 0 <= dot.y <= 100 for dot in dots)
    assert len(map_dots(KEPT, KEPT.columns[1])) == 532 - 11


def test_the_axis_is_logarithmic_and_ends_at_its_ends():
    assert axis_position(2) - axis_position(1) == pytest.approx(axis_position(20) - axis_position(10), abs=0.02)
    assert (axis_position(0.1), axis_position(1000)) == (0, 100)


def test_every_script_that_is_read_has_its_spread_the_most_expensive_first():
    column = next(one for one in KEPT.columns if one.id == "cl100k_base")
    spreads = by_script(KEPT, column)
    assert {spread.label for spread in spreads} == {row.script for row in KEPT.languages}
    assert sum(len(spread.dots) for spread in spreads) == 532
    medians = [spread.median for spread in spreads]
    assert medians == sorted(medians, reverse=True)


def test_every_tokenizer_has_its_spread():
    spreads = {column.id: spread for column, spread in by_tokenizer(KEPT)}
    assert len(spreads) == 37
    assert spreads["cl100k_base"].worst.code == "san_gran"
    assert spreads["r50k_base"].worst.code == "shn"
    assert spreads["bytes"].median < spreads["o200k_base"].median < spreads["r50k_base"].median


def test_a_table_of_no_tokenizer_is_sorted_by_name():
    assert [row.language.code for row in table(SMALL, TableParams(())).rows] == ["a", "b", "c"]


def test_equals_stand_by_name():
    same = AtlasColumn("x", "X", "scratch", "0", "", tokens=(20, 10, 20), english=(10, 10, 10), unknown=(0, 0, 0))
    atlas = Atlas("", "", tuple(reversed(LANGUAGES)), (same,))
    assert [row.language.code for row in table(atlas, TableParams(("x",))).rows] == ["a", "c", "b"]
