"""A file is parsed once for all who read it, and what parsers disagree about is kept with it."""

import pytest
from tokenarium.errors import BadFile
from tokenarium.formats.json_objects import parse_json, parse_once, read_json
from tokenarium.formats.tokenizer_json import load_tokenizer_json


def test_equal_files_are_one_object_until_the_outermost_reader_is_done():
    data = b'{"a": [1]}'
    with parse_once():
        with parse_once():
            first = parse_json(data)
        assert parse_json(bytes([*data])) is first
        assert read_json(data) is first.top
    assert parse_json(data) == first
    assert parse_json(data) is not first


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b'{"a": 1, "b": 1, "a": 2, "b": 2}', "The key 'a' is repeated."),
        (b'{"a": NaN, "b": 1, "b": 1}', "NaN is not a number."),
    ],
)
def test_a_fault_is_refused_only_by_strict_readers(data, fault):
    with parse_once():
        assert {*read_json(data)} == {"a", "b"}
        with pytest.raises(BadFile, match=fault):
            load_tokenizer_json(data)
