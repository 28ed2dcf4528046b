"""Sums of premiums are of all languages that were read, and stand where the axis says; who pays most and least is as in
Petrov et al. 2023, and where it is not, the cause is shown."""

import unicodedata

import pytest
from tokenarium.lab.languages.atlas import Atlas, AtlasColumn, read_atlas
from tokenarium.lab.languages.declarations import Language, declarations
from tokenarium.lab.languages.premiums import (
    AXIS,
    COMPOSED,
    PUBLISHED,
    SPACED,
    by_script,
    by_tokenizer,
    comparisons,
    map_dots,
    overall,
    unread,
)
from tokenarium.lab.languages.table import TableParams, table
from tokenarium.settings import Settings

STORE = Settings().store
TEXTS = declarations(STORE)
ATLAS = read_atlas(STORE)
NEWER, OLDER = comparisons(ATLAS)


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
    for column in ATLAS.columns:
        dots = map_dots(ATLAS, column)
        assert all(0 <= dot.x <= 100 and 0 <= dot.y <= 100 for dot in dots)
    assert len(map_dots(ATLAS, ATLAS.columns[1])) == 532 - 11


def test_the_axis_is_logarithmic_and_ends_at_its_ends():
    assert AXIS.place(2) - AXIS.place(1) == pytest.approx(AXIS.place(20) - AXIS.place(10), abs=0.02)
    assert (AXIS.place(0.1), AXIS.place(1000)) == (0, 100)


def test_every_script_that_is_read_has_its_spread_the_most_expensive_first():
    column = next(one for one in ATLAS.columns if one.id == "cl100k_base")
    spreads = by_script(ATLAS, column)
    assert {spread.label for spread in spreads} == {row.script for row in ATLAS.languages}
    assert sum(len(spread.dots) for spread in spreads) == 532
    medians = [spread.median for spread in spreads]
    assert medians == sorted(medians, reverse=True)


def test_every_tokenizer_has_its_spread():
    spreads = {column.id: spread for column, spread in by_tokenizer(ATLAS)}
    assert len(spreads) == 37
    assert spreads["cl100k_base"].worst.code == "san_gran"
    assert spreads["r50k_base"].worst.code == "shn"
    assert spreads["bytes"].median < spreads["o200k_base"].median < spreads["r50k_base"].median


def test_a_table_of_no_tokenizer_is_sorted_by_name():
    assert [row.language.code for row in table(SMALL, TableParams()).rows] == ["a", "b", "c"]


def test_equals_stand_by_name():
    same = AtlasColumn("x", "X", "scratch", "0", "", tokens=(20, 10, 20), english=(10, 10, 10), unknown=(0, 0, 0))
    atlas = Atlas("", "", tuple(reversed(LANGUAGES)), (same,))
    assert [row.language.code for row in table(atlas, TableParams(tokenizers=["x"])).rows] == ["a", "c", "b"]


def premium(registry, text):
    tokenizer = registry.get("cl100k_base")
    return len(tokenizer.encode(text)) / len(tokenizer.encode(TEXTS["eng"].text))


def test_sixty_two_languages_are_compared_in_both_tokenizers():
    assert (len(NEWER.pairs), len(OLDER.pairs), len(PUBLISHED)) == (62, 62, 63)
    assert {pair.language.code for pair in NEWER.pairs} == {*PUBLISHED} - {"eng"}


def test_the_order_of_languages_and_of_scripts_is_nearly_the_same():
    for one in (NEWER, OLDER):
        assert one.rank_correlation > 0.97, one.column.id
        assert one.script_correlation > 0.95, one.column.id
        assert one.near >= 53, one.column.id


def test_the_dearest_is_shan_and_seven_or_more_of_the_ten_dearest_are_the_same():
    assert (NEWER.pairs[0].language.code, OLDER.pairs[0].language.code) == ("shn", "shn")
    assert max(NEWER.pairs, key=lambda pair: pair.measured).language.code == "shn"
    assert (NEWER.worst, OLDER.worst) == (7, 9)


def test_the_worst_and_best_scripts_are_the_same():
    theirs = [script for script, _, _ in NEWER.scripts]
    ours = [script for script, _, _ in sorted(NEWER.scripts, key=lambda one: -one[1])]
    assert {*ours[:5]} == {*theirs[:5]} == {"Myanmar", "Tibetan", "Armenian", "Georgian", "Lao"}
    assert {*ours[-4:]} == {*theirs[-4:]} == {"Latin", "Han", "Japanese", "Hangul"}
    assert ours[:2] == theirs[:2] == ["Myanmar", "Tibetan"]


def test_languages_of_western_europe_pay_one_to_two_times_english_in_both():
    for pair in NEWER.pairs:
        if pair.language.code in ("deu_1996", "fra", "ita", "nld", "por_PT", "spa", "swe"):
            assert 1 < pair.measured < 2, pair.language.code
            assert 1 < pair.published < 2, pair.language.code


def test_published_figures_are_those_of_the_table():
    shan = next(pair for pair in NEWER.pairs if pair.language.code == "shn")
    assert shan.published == 795074 / 52835 == pytest.approx(15.05, abs=0.01)
    assert next(pair for pair in OLDER.pairs if pair.language.code == "shn").published == pytest.approx(18.76, abs=0.01)


def test_vietnamese_is_written_in_pieces_and_composed_would_pay_what_the_page_says(registry):
    text = TEXTS["vie"].text
    assert NEWER.furthest[0].language.code == "vie"
    assert unicodedata.is_normalized("NFC", text) is False
    assert premium(registry, unicodedata.normalize("NFC", text)) == pytest.approx(COMPOSED, abs=0.005)


def test_amharic_with_spaces_would_pay_what_tigrinya_pays(registry):
    text = TEXTS["amh"].text
    assert text.count("፡") > 10 * text.count(" ")
    assert premium(registry, text.replace("፡", " ")) == pytest.approx(SPACED, abs=0.005)
    assert premium(registry, TEXTS["tir"].text) == pytest.approx(SPACED, abs=0.01)


def test_languages_are_compared_in_the_same_script_only():
    assert TEXTS["ckb"].script == "Latin"
    assert "ckb" not in PUBLISHED
    assert {"ory", "sat"}.isdisjoint(TEXTS)
