"""Worked examples of unigram, and the arithmetic that decides between cuts that score nearly the same."""

from math import log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch.fast.unigram.encode import Unigram, float32
from tokenarium.scratch.fast.unigram.lattice import n_best

PROBABILITIES = {"the": 0.08, "there": 0.02, "re": 0.05, "th": 0.06, "e": 0.07, "r": 0.03, "t": 0.02, "h": 0.02}
SCORES = {piece: log(p) for piece, p in PROBABILITIES.items()}
MODEL = Unigram({piece: id for id, piece in enumerate(SCORES, 1)}, SCORES)
NAMES = ["?", *SCORES]


def cut(model, text):
    return [NAMES[id] for id, _ in model.pieces(text)]


def test_there_beats_the_re():
    assert cut(MODEL, "there") == ["there"]
    scores = {tuple(NAMES[id] for id, _ in way): score for score, way in n_best(MODEL, "there", 9)}
    assert scores["there",] == pytest.approx(-3.912, abs=5e-4)
    assert scores["the", "re"] == pytest.approx(-5.521, abs=5e-4)


def test_an_unknown_character_scores_ten_below_the_worst():
    assert MODEL.unknown_score == pytest.approx(log(0.02) - 10)
    assert cut(MODEL, "thex") == ["the", "?"]


def test_a_user_defined_symbol_beats_all_others():
    ids = {"ab": 1, "a": 2, "b": 3, "abab": 4, "abb": 5}
    model = Unigram(ids, {"a": -1.0, "b": -1.0, "abab": -0.2, "abb": 0.5}, user_defined=["ab"])
    assert [id for id, _ in model.pieces("abab")] == [1, 1]
    assert [id for id, _ in model.pieces("ab")] == [1]
    assert [id for id, _ in model.pieces("abb")] == [5]  # unless a piece scores above zero


def test_sums_of_32_bits_lose_what_sums_of_64_bits_keep():
    ids = {"x": 1, "ab": 2, "c": 3, "a": 4, "bc": 5}
    scores = {"x": -90.0, "ab": -8.0, "c": -7.9995, "a": -8.0, "bc": -8.0}
    narrow, wide = Unigram(ids, scores), Unigram(ids, scores, wide=True)
    assert [id for id, _ in narrow.pieces("abc")] == [id for id, _ in wide.pieces("abc")] == [2, 3]
    assert [id for id, _ in narrow.pieces("x" * 1000 + "abc")][-2:] == [4, 5]
    assert [id for id, _ in wide.pieces("x" * 1000 + "abc")][-2:] == [2, 3]
    assert [id for id, _ in narrow.pieces("x" * 1112 + "abc")][-2:] == [2, 3]  # the sum began anew


def test_a_long_word_is_cut_to_its_end():
    assert len(cut(MODEL, "the" * 50_000)) == 50_000


@given(st.lists(st.sampled_from([0.0, 0.001, 0.0039, 0.0078, 0.1, 1.0, 30.0]), min_size=8, max_size=8), st.randoms())
def test_words_met_before_are_cut_as_if_they_were_new(differences, source):
    pieces = ["▁", "▁a", "▁ab", "a", "b", "ab", "ba", "bb"]
    scores = {piece: float32(-40.0 * len(piece) - more) for piece, more in zip(pieces, differences, strict=True)}
    model = Unigram({piece: id for id, piece in enumerate(scores, 1)}, scores)
    text = "".join(source.choices(["▁a", "▁ab", "▁abab", "▁bba", "▁", "▁x", "▁babba"], k=1000))
    assert len(list(model.words(text))) > 500
    assert list(model.pieces(text)) == model.best(text, 0.0).pieces


@pytest.mark.parametrize("seed", [38, 58, 188, 230, 27, 141])
def test_ties_are_decided_by_the_sum_wherever_it_rises_or_restarts(seed):
    source = Random(seed)
    pieces = ["▁", "▁a", "▁ab", "a", "b", "ab", "ba", "bb", *(["a▁b", "b▁"] if seed % 2 else [])]
    size = source.choice([1.1, 5.3, 40.1])
    less = [0, 0, 0, 0, 0.001, 0.0039, 30.0]
    scores = {piece: float32(-size * len(piece) - source.choice(less)) for piece in pieces}
    symbols = source.choice([(), ("▁sym",), ("▁sym", "ba", "▁ab")])
    scores = {piece: score for piece, score in scores.items() if piece not in symbols}
    scores["a"] = 0.4 if source.random() < 0.2 else scores["a"]
    ids = {piece: id for id, piece in enumerate([*scores, *symbols], 1)}
    model = Unigram(ids, scores, user_defined=symbols)
    words = ["▁a", "▁ab", "▁abab", "▁bba", "▁", "▁x", "▁babba", "▁sym", "▁sym▁sym▁symab"]
    text = "".join(source.choices(words, k=1000))
    expected = model.best(text, 0.0).pieces  # as one word, without any cache
    assert [*model.pieces(text)] == expected
