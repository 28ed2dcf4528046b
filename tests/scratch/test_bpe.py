"""Byte-level BPE gives what the plain definition gives, and does not slow down on long words."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.scratch.bpe import ByteLevelBPE, merge

BYTES = {bytes([byte]): byte for byte in range(256)}


def merge_by_definition(word, ranks):
    """Look at every pair, join the leftmost of the lowest rank, look again."""
    parts = [bytes([byte]) for byte in word]
    if word in ranks:
        return [word]
    while True:
        joined = [(ranks[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]
        if not joined:
            return parts
        _, i = min(joined)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


@st.composite
def vocabularies(draw):
    """Ranks grown by joining two known entries at a time, as training does."""
    ranks = {bytes([byte]): byte for byte in b"abc"}
    for _ in range(draw(st.integers(0, 12))):
        known = sorted(ranks)
        ranks.setdefault(draw(st.sampled_from(known)) + draw(st.sampled_from(known)), len(ranks) + 256)
    return ranks


@given(vocabularies(), st.text("abc", min_size=1, max_size=40))
def test_the_heap_merges_as_the_definition_does(ranks, word):
    assert merge(word.encode(), ranks) == merge_by_definition(word.encode(), ranks)


def test_equal_pairs_are_joined_from_the_left():
    assert merge(b"aaa", {b"a": 0, b"aa": 1}) == [b"aa", b"a"]


def test_a_word_that_is_an_entry_is_one_token_whatever_its_merges_say():
    assert merge(b"abc", {b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"abc": 9}) == [b"abc"]


def test_bytes_that_the_pattern_leaves_out_are_in_no_span():
    rows = list(ByteLevelBPE(BYTES | {b"ab": 256}, pattern="[a-z]+").encode("ab, é ab"))
    assert rows == [(256, 0, 2), (256, 7, 9)]


def test_a_word_of_a_million_bytes_is_merged():
    ranks = BYTES | {b"a" * 2**power: 255 + power for power in range(1, 8)}
    parts = merge(b"a" * 1_000_000, ranks)
    assert {len(part) for part in parts} == {64, 128}
    assert len(parts) == 7813
