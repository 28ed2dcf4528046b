"""The atlas agrees with Petrov et al. 2023 on who pays most and least, and where it does not, the cause is shown."""

import unicodedata

import pytest
from tokenarium.lab.languages.atlas import read_atlas
from tokenarium.lab.languages.declarations import declarations
from tokenarium.lab.languages.premiums import COMPOSED, PUBLISHED, SPACED, comparisons
from tokenarium.settings import Settings

STORE = Settings().store
TEXTS = declarations(STORE)
ATLAS = read_atlas(STORE)
NEWER, OLDER = comparisons(ATLAS)


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
