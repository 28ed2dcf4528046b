"""Worked examples of BPE over characters and over bytes."""

import random

import pytest
from tokenarium.scratch.fast.bpe.encode import merge
from tokenarium.scratch.fast.bpe.encode_pairs import merge_pairs, rank_pairs, sennrich

SENNRICH = [
    ("w", "</w>"), ("l", "o"), ("n", "e"), ("ne", "w</w>"), ("lo", "w</w>"),
    ("e", "s"), ("es", "t"), ("est", "</w>"), ("w", "i"), ("wi", "d"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "parts"),
    [("low", ["low</w>"]), ("lowest", ["lo", "w", "est</w>"]), ("new", ["new</w>"]), ("widest", ["wid", "est</w>"])],
)
def test_the_words_of_sennrich_et_al_end_as_published(word, parts):
    assert [part for part, _ in merge_pairs([*word, "</w>"], rank_pairs(SENNRICH))] == parts


def test_the_last_character_may_carry_the_mark():
    assert sennrich("low", rank_pairs([("o", "w</w>"), ("l", "ow</w>")])) == ["low</w>"]
    assert sennrich("", {}) == []


def test_gages_string_is_replaced_twice():
    merges = {("c", "d"): (0, "X"), ("X", "y"): (1, "Y")}
    assert [symbol for symbol, _ in merge_pairs("cddcdycdyc", merges)] == ["X", "d", "Y", "Y", "c"]


def test_the_cat_in_the_hat_ends_as_worked_out_by_hand():
    merges = {(116, 104): (0, 256), (256, 101): (1, 257), (257, 32): (2, 258)}
    found = [id for id, _ in merge_pairs(b"the cat in the hat", merges)]
    assert found == [258, 99, 97, 116, 32, 105, 110, 32, 258, 104, 97, 116]


def test_a_pair_is_merged_by_its_own_rank_whatever_the_ranks_of_its_parts():
    merges = {("b", "c"): (1, "bc"), ("a", "bc"): (0, "abc"), ("a", "b"): (2, "ab")}
    assert merge_pairs("abc", merges) == [("abc", 3)]


def test_both_loops_give_the_same_where_each_piece_is_made_in_one_way():
    source = random.Random(1)
    ways = [(b"a", b"b"), (b"ab", b"c"), (b"c", b"c"), (b"cc", b"abc")]
    ranks = {left + right: rank for rank, (left, right) in enumerate(ways)}
    pairs = {(left, right): (ranks[left + right], left + right) for left, right in ways}
    for _ in range(500):
        word = bytes(source.choices(b"abc", k=source.randint(1, 30)))
        letters = [word[i : i + 1] for i in range(len(word))]
        assert [part for part, _ in merge_pairs(letters, pairs)] == merge(word, ranks)


def test_a_long_word_is_merged_to_its_end():
    merges = {("a", "a"): (0, "aa"), ("aa", "aa"): (1, "aaaa")}
    assert len(merge_pairs("a" * 200_000, merges)) == 50_000
