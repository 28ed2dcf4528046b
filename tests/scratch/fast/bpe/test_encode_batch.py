"""The merges of many words at once are those of each word by itself."""

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch.fast.bpe.encode import ByteLevelBPE, merge
from tokenarium.scratch.fast.bpe.encode_batch import LONGEST, BatchedMerges
from tokenarium.scratch.pretokenize import GPT2

from tests.support.ranks import BYTES, vocabularies

ZERO = [4, 6, -4, 5, 12, 16, 4, 0, 9, -11, -6, -11, -4]
"""Differences of bytes that make none of the hash: the sum of each with its power of the multiplier is 0."""
FIRST, SECOND = (bytes(97 + max(sign * step, 0) for step in ZERO) for sign in (1, -1))
"""Two words of letters with the same hash."""


def ids_of(model, words):
    return [np.frombuffer(ids, np.uint32).tolist() for ids in model.ids(words)]


@given(vocabularies(), st.lists(st.text("abcd", min_size=1, max_size=LONGEST), min_size=1), st.sampled_from([1, 2, 9]))
def test_many_words_are_merged_as_each_by_itself(ranks, words, few):
    ranks = BYTES | ({token: 256 + rank % few for token, rank in ranks.items() if len(token) > 1} if few > 1 else ranks)
    raws = [word.encode() for word in words]
    assert ids_of(BatchedMerges(ranks), raws) == [[ranks[part] for part in merge(raw, ranks)] for raw in raws]


@given(vocabularies(), st.text("abc", max_size=40))
def test_ranks_that_fall_with_each_merge_are_taken_in_turn(ranks, word):
    ranks = {byte: 1000 + id for byte, id in BYTES.items()} | {token: 999 - rank for token, rank in ranks.items()}
    raws = [word.encode() + b"ab", b"abc"]
    assert ids_of(BatchedMerges(ranks), raws) == [[ranks[part] for part in merge(raw, ranks)] for raw in raws]


def text_of_new_words(seed):
    """Return a text of several hundred words, most of them new, with white space of all kinds between them."""
    source = random.Random(seed)
    words = ["".join(source.choices("abcé字😀'1.", k=source.choice([1, 3, 6, 9, 60]))) for _ in range(900)]
    return "".join(word + source.choice([" ", " ", " ", "  ", "\n", " \n ", "\t", "\x1c "]) for word in words)


@given(vocabularies(), st.integers(0, 10**6), st.sampled_from([GPT2, r" ?\w+|\s+|[^\w\s]", r"\w+", ".+"]))
def test_a_text_of_many_new_words_has_the_ids_of_its_rows(ranks, seed, pattern):
    model, text = ByteLevelBPE(BYTES | ranks, pattern=pattern), text_of_new_words(seed)
    ids = [id for id, _, _ in model.encode(text)]
    assert model.ids(text).tolist() == ids
    assert model.ids(text).tolist() == ids, "from the caches"


def test_a_pair_with_the_hash_of_another_token_is_told_from_it():
    grown = {SECOND[:size]: 254 + size for size in range(2, len(SECOND))}
    model = BatchedMerges(BYTES | grown | {FIRST: 500})
    assert model.ids([SECOND]) is None
    assert ids_of(model, [SECOND[:-1]]) == [[266]]


def test_a_text_with_such_a_pair_has_the_right_ids():
    grown = {SECOND[:size]: 254 + size for size in range(2, len(SECOND))}
    model = ByteLevelBPE(BYTES | grown | {FIRST: 500}, pattern=GPT2)
    words = [SECOND.decode(), FIRST.decode(), *map(str, range(100_000, 100_500))]
    ids = [id for id, _, _ in model.encode("\n".join(words))]
    assert model.ids("\n".join(words)).tolist() == ids
    assert ids[:2] == [266, SECOND[-1]]


def test_two_tokens_of_the_same_hash_make_it_take_another_multiplier():
    tokens = [token[:size] for token in (FIRST, SECOND) for size in range(2, len(ZERO) + 1)]
    model = BatchedMerges(BYTES | {token: id for id, token in enumerate(tokens, 256)})
    assert ids_of(model, [FIRST, SECOND]) == [[267], [279]]


def test_a_vocabulary_without_some_byte_is_merged_word_by_word():
    model = ByteLevelBPE({bytes([byte]): byte for byte in range(128)} | {b"ab": 300}, pattern=GPT2)
    text = " ".join(f"ab{number}" for number in range(400))
    assert model.ids(text).tolist() == [id for id, _, _ in model.encode(text)]
