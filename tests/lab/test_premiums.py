"""Sums of premiums are of all languages that were read, and stand where the axis says."""

import pytest

from app.lab.languages.atlas import Atlas, Column, Language
from app.lab.languages.premiums import along, by_script, by_tokenizer, of_all, over_the_world, unread
from app.lab.languages.record import recorded
from app.lab.languages.rows import Asked, table
from app.settings import Settings

KEPT = recorded(Settings().store)


def language(code, script, place=(0.0, 0.0)):
    return Language(code, code, code.title(), script, "ltr", place, 30, 100, 100, 20)


LANGUAGES = (language("a", "Latin"), language("b", "Latin", (80.0, -180.0)), language("c", "Thai", None))
COLUMN = Column("x", "X", "scratch", "0", "", tokens=(10, 40, 90), english=(10, 10, 10), unknown=(0, 10, 11))
SMALL = Atlas("", "", LANGUAGES, (COLUMN,))


def test_a_language_of_which_a_tenth_is_unknown_is_read_and_of_which_more_is_not():
    assert [dot.language.code for dot in of_all(SMALL, COLUMN).dots] == ["a", "b"]
    assert unread(SMALL, COLUMN) == 1


def test_a_spread_goes_from_the_least_to_the_most():
    spread = of_all(SMALL, COLUMN)
    assert (spread.least, spread.first, spread.median, spread.third, spread.most) == (1.0, 1.75, 2.5, 3.25, 4.0)
    assert spread.tenth == pytest.approx(3.7)
    assert (spread.best.code, spread.worst.code) == ("a", "b")


def test_the_map_has_the_languages_that_have_a_place():
    assert [(dot.language.code, dot.x, dot.y) for dot in over_the_world(SMALL, COLUMN)] == [
        ("a", 50.0, 58.0),
        ("b", 0.0, 0.0),
    ]
    for column in KEPT.columns:
        dots = over_the_world(KEPT, column)
        assert all(0 <= dot.x <= 100 and 0 <= dot.y <= 100 for dot in dots)
    assert len(over_the_world(KEPT, KEPT.columns[1])) == 532 - 11


def test_the_axis_is_logarithmic_and_ends_at_its_ends():
    assert along(2) - along(1) == pytest.approx(along(20) - along(10), abs=0.02)
    assert (along(0.1), along(1000)) == (0, 100)


def test_every_script_that_is_read_has_its_spread_the_dearest_first():
    column = next(one for one in KEPT.columns if one.id == "cl100k_base")
    spreads = by_script(KEPT, column)
    assert {spread.label for spread in spreads} == {row.script for row in KEPT.languages}
    assert sum(len(spread.dots) for spread in spreads) == 532
    medians = [spread.median for spread in spreads]
    assert medians == sorted(medians, reverse=True)


def test_every_tokenizer_has_its_spread():
    found = {column.id: spread for column, spread in by_tokenizer(KEPT)}
    assert len(found) == 15
    assert found["cl100k_base"].worst.code == "san_gran"
    assert found["r50k_base"].worst.code == "shn"
    assert found["bytes"].median < found["o200k_base"].median < found["r50k_base"].median


def test_a_table_of_no_tokenizer_is_sorted_by_name():
    assert [row.language.code for row in table(SMALL, Asked(())).rows] == ["a", "b", "c"]


def test_equals_stand_by_name():
    same = Column("x", "X", "scratch", "0", "", tokens=(20, 10, 20), english=(10, 10, 10), unknown=(0, 0, 0))
    atlas = Atlas("", "", tuple(reversed(LANGUAGES)), (same,))
    assert [row.language.code for row in table(atlas, Asked(("x",))).rows] == ["a", "c", "b"]
