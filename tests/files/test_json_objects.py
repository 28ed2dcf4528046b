"""A file is parsed once for all who read it, and what parsers disagree about is kept with it; places of values."""

import json

import pytest
from tokenarium.errors import BadFile
from tokenarium.files.json_objects import find_place, parse_json, parse_once, read_json
from tokenarium.files.tokenizer_json.read import load_tokenizer_json

TOP = {"a": [1, {"b\n": "x"}], "model": {"merges": [["t", "h"], ["a", "n"]], "vocab": {"é": 1, "}": 2}}}


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


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (["a", 1, "b\n"], (5, 7)),
        (["model", "merges", 1], (14, 7)),
        (["model", "vocab", "}"], (21, 7)),
        ([], (1, 1)),
    ],
)
def test_a_value_is_found_in_an_indented_document(path, place):
    found = find_place(json.dumps(TOP, indent=2, ensure_ascii=False), path)
    assert (found.line, found.column) == place


@pytest.mark.parametrize("path", [["b"], ["a", 2], ["a", "b"], ["model", 0], ["model", "vocab", "é", "x"]])
def test_what_is_not_there_has_no_place(path):
    assert find_place(json.dumps(TOP), path) is None


def test_a_long_line_is_cut_around_the_place():
    place = find_place(json.dumps({"x": ["y" * 500, "here", "z" * 500]}), ["x", 1])
    assert (place.line, place.column) == (1, 512)
    assert place.excerpt.count("y") == 57
    assert '"here"' in place.excerpt
    assert find_place('{"a": [1, 2', ["a", 2]) is None
