"""Byte-level BPE gives what the teaching file gives, and does not slow down on long words."""

import random

from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch import bpe
from tokenarium.scratch.fast.bpe.encode import ByteLevelBPE, _merge_long, _merge_short, merge

from tests.support.ranks import BYTES, vocabularies


def merge_by_definition(word, ranks, merges=None):
    """Merge as the teaching file does, and note the rank of each merge and where in the word it was made."""
    symbols = [word[i : i + 1] for i in range(len(word))]
    first, *steps = bpe.iter_merges(symbols, lambda a, b: ranks.get(a + b))
    before = first.tokens
    for step in steps:
        start = sum(map(len, before[: step.place]))
        middle = start + len(before[step.place])
        if merges is not None:
            merges.append((step.rank, start, middle, start + len(step.tokens[step.place])))
        before = step.tokens
    return before


@given(vocabularies(), st.text("abc", max_size=40), st.sampled_from([_merge_short, _merge_long]))
def test_words_are_merged_as_the_definition_does_and_in_that_order(ranks, word, way):
    defined, done = [], []
    assert way(word.encode(), ranks, done) == merge_by_definition(word.encode(), ranks, defined)
    assert done == defined


@given(vocabularies(), st.text("abc", max_size=40), st.sampled_from([1, 2, 9]))
def test_ranks_that_are_shared_or_out_of_order_are_merged_so_too(ranks, word, few):
    shared = {entry: rank % few for entry, rank in ranks.items()} if few > 1 else {e: -r for e, r in ranks.items()}
    ways = [(way(word.encode(), shared, done := []), done) for way in (_merge_short, _merge_long)]
    defined = merge_by_definition(word.encode(), shared, done := [])
    assert ways == [(defined, done)] * 2


def test_equal_pairs_are_joined_from_the_left():
    assert merge(b"aaa", {b"a": 0, b"aa": 1}) == [b"aa", b"a"]


def test_a_word_that_is_an_entry_is_one_token_whatever_its_merges_say():
    assert merge(b"abc", {b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"abc": 9}) == [b"abc"]


def test_a_merge_that_comes_up_late_goes_before_those_of_higher_rank_that_wait():
    ranks = {b"a": 0, b"b": 1, b"aba": 2, b"ab": 3}
    assert _merge_long(b"abab", ranks, None) == _merge_short(b"abab", ranks, None) == [b"aba", b"b"]


def test_late_merges_come_by_the_hundred_thousand():
    assert len(merge(b"abc" * 100_000, {b"ab": 3, b"abc": 2})) == 100_000


def test_bytes_that_the_pattern_leaves_out_are_in_no_span():
    rows = list(ByteLevelBPE(BYTES | {b"ab": 256}, pattern="[a-z]+").encode("ab, é ab"))
    assert rows == [(256, 0, 2), (256, 7, 9)]


def test_a_word_of_a_million_bytes_is_merged():
    ranks = BYTES | {b"a" * 2**power: 255 + power for power in range(1, 8)}
    parts = merge(b"a" * 1_000_000, ranks)
    assert {len(part) for part in parts} == {64, 128}
    assert len(parts) == 7813


@given(vocabularies(), st.text("abc", max_size=60))
def test_a_long_word_falls_apart_where_no_token_reaches_across(ranks, word):
    ranks = BYTES | ranks
    ours = ByteLevelBPE(ranks, pattern=".+")
    assert ours._merge_divided(word.encode()) == merge_by_definition(word.encode(), ranks, [])


@given(vocabularies(), st.integers(0, 10**6))
def test_the_many_pieces_of_a_long_word_have_the_ids_that_they_have_one_by_one(ranks, seed):
    ranks = BYTES | ranks
    ours = ByteLevelBPE(ranks, pattern=".+")
    word = "".join(random.Random(seed).choices(["a", "b", "c", "d", "é"], k=3_000))
    assert [*ours.ids(word)] == [ranks[part] for part in merge(word.encode(), ranks)]


def test_a_million_bytes_of_emoji_are_cut_one_by_one():
    ours = ByteLevelBPE(BYTES | {"😀".encode(): 300, "😀".encode()[:2]: 298, "😀".encode()[:3]: 299}, pattern=".+")
    assert ours.ids("😀" * 250_000).tolist() == [300] * 250_000
