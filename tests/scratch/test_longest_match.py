"""Longest match over bytes: by hand, as in the teaching file, and as RWKV's own program gives it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.conformance import compare
from tokenarium.scratch import longest_match
from tokenarium.scratch.fast.longest_match import ByteTrie

from tests import rwkv_library
from tests.conftest import CONFORMANCE_TEXTS
from tests.support.strings import NASTY

SINGLE = {bytes([byte]): byte for byte in range(256)}
TOKENS = st.lists(
    st.binary(min_size=1, max_size=5) | st.text("ab ", min_size=1, max_size=6).map(str.encode), max_size=12
)
DATA = st.lists(st.binary(max_size=5) | st.text("ab \n", max_size=8).map(str.encode), max_size=6).map(b"".join)


@given(TOKENS, DATA)
def test_ids_and_walks_are_those_of_the_teaching_file(tokens, data):
    vocabulary = {token: id for id, token in enumerate(dict.fromkeys([*SINGLE, *tokens]))}
    model = ByteTrie(vocabulary)
    steps = [*longest_match.iter_matches(data, longest_match.trie(vocabulary))]
    matches = [step for step in steps if isinstance(step, longest_match.Match)]
    assert model.ids(data).tolist() == longest_match.encode(data, vocabulary) == [match.id for match in matches]
    deepest = {step.start: step.end for step in steps if isinstance(step, longest_match.TrieStep)}
    assert model.attempts(data) == [(match.start, deepest[match.start], match.end, match.id) for match in matches]
    assert b"".join(model.parts(data)) == data


def test_a_text_is_cut_at_spaces_only_if_no_token_reaches_across_one():
    assert ByteTrie(SINGLE | {b" the": 256, b"   ": 257}).parts(b"to the  end") == [b"to", b" the", b"  end"]
    assert ByteTrie(SINGLE | {b"o t": 256}).parts(b"to the end") == [b"to the end"]


def test_the_longest_token_wins_even_where_another_choice_needs_fewer_tokens():
    vocabulary = SINGLE | {b"ab": 256, b"bcd": 257, b"abc": 258}
    assert ByteTrie(vocabulary).ids(b"abcd").tolist() == [258, ord("d")]
    assert ByteTrie(vocabulary).ids(b"abbcd").tolist() == [256, 257]


def test_a_text_without_a_token_at_some_place_is_refused_by_the_teaching_file():
    with pytest.raises(ValueError, match="No token begins with the byte 98"):
        longest_match.encode(b"ab", {b"a": 1})


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", []),
        ("Hello, world!", [33155, 45, 40213, 34]),
        ("你好世界", [10464, 11685, 10267, 14610]),
        ("🌍", [3319, 141, 142]),
        ("\n\n\tx", [3327, 121]),
    ],
)
def test_ids_of_rwkv_world(registry, text, ids):
    assert registry.get("rwkv-world").encode(text).ids.tolist() == ids


@pytest.fixture(scope="module")
def with_library(registry):
    return rwkv_library.WithLibrary(registry)


def test_generated_texts_are_tokenized_as_by_rwkvs_own_program(with_library):
    result = compare(with_library, "rwkv-world", n=CONFORMANCE_TEXTS)
    assert [difference.text for difference in result.differences] == []
    assert (result.count, result.mismatches, result.failures) == (CONFORMANCE_TEXTS, 0, 0)


def test_nasty_texts_and_bytes_that_are_no_text_too(registry, with_library):
    ours, theirs = registry.get("rwkv-world"), with_library.get("rwkv-world")
    for text in NASTY.values():
        assert ours.encode(text).ids.tolist() == theirs.program.encode(text)
        assert ours.decode(ours.encode(text).ids.tolist()) == text.encode()
    assert ours.encode_bytes(b"\xff\xfe the\x80") == theirs.program.encodeBytes(b"\xff\xfe the\x80")
