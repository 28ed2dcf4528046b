"""Diet: shorter forms of data are parsed back, what is planted is found, and nothing is proven that is not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.request.counting import count_request
from tokenarium.lab.request.diet import diet, read_csv, read_md
from tokenarium.lab.request.log import read_requests

ROWS = [{"train": f"RE {i}", "platform": i, "late": None, "price": 17.5} for i in range(5)]


def find(registry, *texts):
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": text} for text in texts]}
    (call,) = read_requests(json.dumps(body)).calls
    return {one.title: one for one in diet(registry, count_request(registry, call, limit=2_000_000))}


def test_rows_in_json_are_written_shorter_and_parsed_back(registry):
    found = find(registry, json.dumps(ROWS, indent=2))
    assert {title: one.saved for title, one in found.items()} == {
        "JSON as CSV": 114,
        "JSON as a Markdown table": 103,
        "JSON without spaces": 75,
        "JSON as YAML": 47,
    }
    assert all(one.proven for one in found.values())
    assert found["JSON as CSV"].after.startswith("train,platform,late,price\nRE 0,0,null,17.5\n")


CELLS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text("ab,\"'|\n \\", max_size=5)


@given(rows=st.lists(st.fixed_dictionaries({"a": CELLS, "b,|": CELLS}), min_size=2, max_size=4))
def test_every_form_that_is_offered_gives_the_same_data(registry, rows):
    found = find(registry, json.dumps(rows, indent=2))
    for title, read in (("JSON as CSV", read_csv), ("JSON as a Markdown table", read_md)):
        if title in found:
            assert json.dumps(read(found[title].after, rows)) == json.dumps(rows)


@pytest.mark.parametrize(
    ("text", "title", "proven"),
    [
        ("one \t \ntwo \t \nthree \t \nfour \t " * 3, "White space at the ends of lines", True),
        ("a\u200bb\u200bc\u200bd\ufeff", "Invisible characters", True),
        ("𝐑𝐞𝐚𝐝 𝐭𝐡𝐢𝐬 now", "Letters in a style", False),
        ("Your p\u0430yp\u0430l \u0430ccount", "Letters of two alphabets in a word", False),
        ("0.1234567890123 and 2026-11-24T10:00:00.123456Z", "Digits after the point", False),
        ("id 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "Long UUIDs", False),
        ("sha " + "9f86d081884c7d65" * 4, "Long hashes", False),
        ("data " + "QUJDREVGR0hJSktM" * 8, "Long base64", False),
    ],
)
def test_a_planted_waste_is_found(registry, text, title, proven):
    found = find(registry, text)[title]
    assert found.saved >= 3
    assert found.proven is proven


def test_a_paragraph_that_is_sent_twice_is_found(registry):
    block = "The rules of this railway are long, and they are repeated in every message that the client sends. " * 2
    assert (
        find(registry, f"{block}\n\nHello", f"Again.\n\n{block}")["The same paragraph 2 times"].part
        == "1 · user, 2 · user"
    )


@pytest.mark.parametrize("text", ["", "Hello world", "👩‍🚀 می‌خواهم", "[1, 2", "[" * 50_000, '{"a":1}'])
def test_what_is_short_already_has_no_findings(registry, text):
    assert find(registry, text) == {}


@pytest.mark.parametrize(
    ("text", "title", "after"),
    [
        ("𝐑𝐞𝐚𝐝 𝐭𝐡𝐢𝐬 now", "Letters in a style", "Read this now"),
        ("p\u0430yp\u0430l, \u0441\u0435\u0432\u0435\u0440", "Letters of two alphabets in a word", "paypal, север"),
        (
            "12.99999999999 or 0.30000000000000004 at 10.0.0.12345678; 2026-11-24 10:00:00.123456789Z",
            "Digits after the point",
            "13 or 0.3 at 10.0.0.12345678; 2026-11-24 10:00:00Z",
        ),
    ],
)
def test_what_is_offered_instead(registry, text, title, after):
    assert find(registry, text)[title].after == after


def test_words_of_one_alphabet_and_short_numbers_are_left_alone(registry):
    assert find(registry, "северный ветер, ο άνεμος, 3.141593, 10:00:00.5") == {}
