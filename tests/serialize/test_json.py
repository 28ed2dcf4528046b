"""Objects of texts are parsed by orjson, with the values and the errors of the parser of all others."""

import json
from random import Random

import pytest
from tokenarium.errors import TokenariumError
from tokenarium.serialize.json import MAX_KEYS, parse

TEXTS = ['"a"', r'"\u0061"', '""', '"é,[{"', r'"\""', r'"\u0022"', r'"\\"', r'"\\u0022"', r'"\ud83c\udf0d"', '" "']
OTHERS = ["null", "true", "[]", "1", "-0", "1e999", "NaN", "1" * 30, '[["a"]]', '{"a": "b"}', r'"\ud800"', '"\t"']


def outcome(body):
    try:
        return repr(parse(body.encode()))
    except TokenariumError as error:
        return type(error).__name__, error.detail


def test_one_member_more_that_orjson_does_not_parse_changes_nothing_else():
    draw = Random(0)
    for _ in range(3000):
        values = [draw.choice([*TEXTS, *OTHERS, f"[{', '.join(draw.choices(TEXTS, k=3))}]"]) for _ in range(3)]
        members = [f"{key}: {value}" for key, value in zip(draw.choices(TEXTS, k=3), values, strict=True)]
        alone, beside = outcome(f"{{{', '.join(members)}}}"), outcome(f'{{{", ".join([*members, ""])} "n": 0}}')
        if isinstance(alone, str):
            assert beside == f"{alone[:-1]}, 'n': 0}}"
        else:
            assert beside == alone


@pytest.mark.parametrize("keys", [r'"text": "\"", "text": "b"', r'"text": "", "te\u0078t": "\u0022\u0022"'])
def test_a_key_is_not_there_twice(keys):
    assert outcome(f"{{{keys}}}") == ("BadRequest", "An object has the same key twice.")


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (json.dumps({name: [1] * 300_000 for name in "abcd"}), "The body has more than 1,000,000 items and keys."),
        (f"[{'{},' * 50_000}0]", "The body has more than 50,000 lists and objects."),
        (json.dumps([dict.fromkeys(map(str, range(1001)), 0)]), "An object has more than 1,000 keys."),
    ],
)
def test_more_items_objects_or_keys_than_json_may_have_are_too_large(body, detail):
    assert outcome(body) == ("TooLarge", detail)


def test_long_texts_and_many_keys_are_parsed_alike():
    text = 'She said "no",\n[and] {left}: \\ é 🌍' * 1000
    value = {"text": text, "texts": [text] * 3, "flag": True, "none": None}
    assert parse(json.dumps(value).encode()) == parse(json.dumps(value, ensure_ascii=False).encode()) == value
    many = json.dumps(dict.fromkeys(map(str, range(MAX_KEYS + 1)), ""))
    assert outcome(many) == ("TooLarge", "An object has more than 1,000 keys.")
