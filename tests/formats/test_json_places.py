"""Where a value stands in JSON."""

import json

import pytest
from tokenarium.formats.json_places import find_place

TOP = {"a": [1, {"b\n": "x"}], "model": {"merges": [["t", "h"], ["a", "n"]], "vocab": {"é": 1, "}": 2}}}


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
