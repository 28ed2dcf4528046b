"""Counts of segmentations are those of a list of all, and what is drawn is drawn evenly."""

from collections import Counter
from itertools import product
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.segmentations import EDGE, Spellings, WordMarks
from tokenarium.types import VocabEntry

TOKENS = st.dictionaries(st.text("ab", min_size=1, max_size=4).map(str.encode), st.integers(1, 2), max_size=8)


def numbered(times):
    """Spellings of which each has so many ids."""
    ids = iter(range(1000))
    return Spellings({raw: [next(ids) for _ in range(number)] for raw, number in times.items()})


def list_all(spellings, data):
    if not data:
        return [()]
    every = [
        [(id, *rest) for id, rest in product(ids, list_all(spellings, data[len(raw) :]))]
        for raw, ids in spellings.ids.items()
        if data.startswith(raw)
    ]
    return [one for some in every for one in some]


@given(TOKENS, st.text("ab", max_size=9).map(str.encode))
def test_the_count_and_the_fewest_tokens_are_those_of_a_list_of_all(times, data):
    spellings = numbered(times)
    every = list_all(spellings, data)
    found = spellings.segment([data], seed=1)
    assert found.count == len(every)
    assert len(found.fewest) == min(map(len, every), default=0)
    assert not every or (found.fewest in every and found.sampled in every)


@given(TOKENS, st.text("ab", max_size=7).map(str.encode), st.sets(st.integers(0, 9)))
def test_the_probability_of_a_text_is_that_of_all_lists_whose_tokens_have_one(times, data, unscored):
    spellings = numbered(times)
    scores = {id: -0.5 - id / 3 for ids in spellings.ids.values() for id in ids if id not in unscored}
    every = [exp(sum(map(scores.__getitem__, ids))) for ids in list_all(spellings, data) if scores.keys() >= {*ids}]
    found = spellings.segment([data], seed=1, scores=scores).log_probability
    assert (0 if found is None else exp(found)) == pytest.approx(sum(every))


def test_each_segmentation_is_drawn_about_as_often():
    spellings = numbered({b"a": 2, b"aa": 1, b"aaa": 1})
    drawn = Counter(spellings.segment([b"aaa"], seed=seed).sampled for seed in range(6000))
    assert {*drawn} == {*list_all(spellings, b"aaa")}
    assert len(drawn) == 13
    assert all(350 < times < 580 for times in drawn.values())


def test_equal_seeds_draw_the_same_segmentation():
    spellings = numbered({b"a": 1, b"aa": 1})
    assert spellings.segment([b"a" * 50], seed=7) == spellings.segment([b"a" * 50], seed=7)


def test_a_count_beyond_machine_numbers_is_exact():
    assert numbered({b"a": 1, b"aa": 1}).segment([b"a" * 300], seed=0).count == (
        359579325206583560961765665172189099052367214309267232255589801
    )


def test_parts_are_spelled_by_tokens_of_their_own_and_special_tokens_stay():
    spellings = Spellings({b"a": [0], b"ab": [1], b"b": [2]})
    found = spellings.segment([b"a", 9, b"b", b"ab"], seed=0)
    assert (found.count, found.fewest) == (2, (0, 9, 2, 1))


@pytest.mark.parametrize(
    ("marks", "piece", "spelled"),
    [
        (WordMarks("##"), "##ing", b"ing"),
        (WordMarks("##"), "ing", EDGE + b"ing"),
        (WordMarks("", "</w>"), "ing</w>", b"ing" + EDGE),
        (WordMarks("", "</w>"), "ing", b"ing"),
        (WordMarks(), "ing", b"ing"),
    ],
)
def test_a_token_spells_the_edge_of_a_word_where_the_vocabulary_marks_it(marks, piece, spelled):
    assert marks.spell(VocabEntry(0, piece, b"ing")) == spelled
