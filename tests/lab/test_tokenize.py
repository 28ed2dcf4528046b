"""Bytes that need not be UTF-8 become the ids that tiktoken gives them, on both engines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import Invalid
from tokenarium.lab.tokenize import tokenize, tokenize_bytes

from tests.support.lying_encoder import Losing

IDS = ("cl100k_base", "gpt2", "o200k_base", "p50k_base", "tekken")
WORDS = (b" ", b"\n", b"\t", b"hello", b" world", "실".encode(), b"\xed", b"\x80", b"\xf0\x9f")
PARTS = st.lists(st.sampled_from(WORDS))


def ids(registry, id, data, engine):
    return tokenize_bytes(registry, data, tokenizer=id, engine=engine).encoding.ids.tolist()


def test_the_cases_of_tiktokens_own_tests(registry):
    for engine in ("tiktoken", "scratch"):
        assert ids(registry, "cl100k_base", b" \xec\x8b\xa4\xed", engine) == [62085]
        for count in range(10):
            found = tokenize_bytes(registry, b"\x80" * count, tokenizer="cl100k_base", engine=engine)
            assert found.tokenizer.decode(found.encoding.ids.tolist()) == b"\x80" * count
        assert ids(registry, "cl100k_base", b"\xff", engine) == [187]


@given(st.one_of(st.binary(max_size=40), PARTS.map(b"".join)))
def test_both_engines_give_the_same_ids_which_tile_the_bytes(registry, data):
    for id in IDS:
        found = tokenize_bytes(registry, data, tokenizer=id)
        assert ids(registry, id, data, "scratch") == found.encoding.ids.tolist()
        assert b"".join(found.entry(one).raw for one in found.encoding.ids.tolist()) == data
        assert sum(found.encoding.byte_ends - found.encoding.byte_starts) == len(data)


def test_bytes_that_are_text_are_read_as_text_by_every_tokenizer(registry):
    for id in ("mistral-v3", "qwen3", "bert-base-uncased"):
        assert ids(registry, id, "né".encode(), None) == tokenize(registry, "né", tokenizer=id).encoding.ids.tolist()


@pytest.mark.parametrize("id", ["mistral-v3", "qwen3", "characters", "gemma4"])
def test_a_tokenizer_of_text_refuses_other_bytes_and_says_where(registry, id):
    with pytest.raises(Invalid, match="byte 2 is not UTF-8"):
        tokenize_bytes(registry, b"ab\xff", tokenizer=id)


@pytest.mark.parametrize(
    ("loses", "asked", "answers", "note"),
    [
        ("tiktoken", None, "scratch", "tiktoken lost text from byte 5 on. The from-scratch engine answered"),
        ("scratch", "scratch", "tiktoken", "The from-scratch engine lost text from byte 5 on. tiktoken answered"),
    ],
)
def test_an_engine_that_loses_text_is_answered_by_the_other(registry, loses, asked, answers, note):
    found = tokenize(Losing(registry, loses), "hello world", tokenizer="gpt2", engine=asked)
    assert (found.tokenizer.engine, found.encoding.ids.tolist()) == (answers, [31373, 995])
    assert found.notes == (f"{note}, with the same vocabulary.",)


def test_where_no_other_engine_answers_a_note_says_what_is_lost(registry):
    found = tokenize(Losing(registry, "scratch"), "né", tokenizer="bytes")
    assert (found.encoding.ids.tolist(), found.notes) == (
        [110, 195],
        ("The from-scratch engine lost text from byte 2 on.",),
    )


def test_an_engine_that_loses_text_is_not_believed_when_it_answers_for_another(registry):
    found = tokenize(Losing(Losing(registry, "scratch"), "tiktoken"), "hello world", tokenizer="gpt2")
    assert (found.tokenizer.engine, found.notes) == ("tiktoken", ("tiktoken lost text from byte 5 on.",))
