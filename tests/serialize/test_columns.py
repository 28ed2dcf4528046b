"""Columns of tokens as JSON, for short texts and for long ones."""

import orjson
import pytest
from tokenarium.lab.tokenize import tokenize
from tokenarium.registry import Registry
from tokenarium.serialize.columns import columns
from tokenarium.serialize.json import dumps
from tokenarium.settings import Settings

PIECES = ["n", {"bytes_hex": "c3"}, {"bytes_hex": "a9"}, ","]


@pytest.mark.parametrize("times", [1, 1000])
def test_the_pieces_of_a_long_text_are_written_as_those_of_a_short_one(times):
    registry = Registry(Settings())
    for _ in range(2):  # the second time all pieces are known
        answer = orjson.loads(dumps(columns(tokenize(registry, "né," * times, tokenizer="bytes"))))
        assert answer["pieces"] == PIECES * times


def test_spans_in_bytes_and_characters_of_a_long_ascii_text_are_equal():
    answer = orjson.loads(dumps(columns(tokenize(Registry(Settings()), "ab" * 1000, tokenizer="bytes"))))
    assert answer["byte_starts"] == answer["char_starts"] == [*range(2000)]
    assert answer["byte_ends"] == answer["char_ends"] == [*range(1, 2001)]
