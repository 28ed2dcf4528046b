"""Chains of components that may make a text much longer are refused before any text runs through them."""

import json

import pytest
from tokenarium.errors import BadFile
from tokenarium.formats.growth import check_growth
from tokenarium.formats.json_options import PARTS
from tokenarium.imported import record_from_files


def replace(pattern, content, kind="String"):
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def checked(parts, stage="normalizer"):
    check_growth({"type": "Sequence", PARTS[stage]: parts}, stage)


@pytest.mark.parametrize(
    "parts",
    [
        [replace("a", "aa")] * 30,
        [replace("a", "b" * 40), replace("b", "c" * 40)],
        [replace("", "ab")] * 30,
        [replace(".", "aa", "Regex")] * 30,
        [replace("x*", "xx", "Regex")] * 30,
        [replace("ab", "abab"), {"type": "Lowercase"}] * 15,
        [replace("a", ""), replace("x", "a"), *[replace("ab", "abab")] * 12],
        [{"type": "NFKC"}, replace("م", "ﷺ")] * 5,
        [{"type": "Prepend", "prepend": "a"}, *[replace("a", "aa")] * 9, {"type": "Prepend", "prepend": "a" * 100_001}],
    ],
)
def test_chains_that_multiply_are_refused(parts):
    with pytest.raises(
        BadFile, match=r"The components of the normalizer may make a text more than 1,000 times as long"
    ):
        checked(parts)


def test_an_upload_is_refused_whatever_else_it_has():
    chain = [{**replace("a", "aa"), "unknown": 1}] * 30
    data = {"normalizer": {"type": "Sequence", "normalizers": chain}, "model": {"type": "WordLevel", "vocab": {"a": 0}}}
    with pytest.raises(BadFile, match="1,000 times as long"):
        record_from_files("mine", {"tokenizer.json": json.dumps(data).encode()})


def test_decoders_are_checked_too():
    with pytest.raises(BadFile, match="of the decoder"):
        checked([replace("a", "aa")] * 30, "decoder")


@pytest.mark.parametrize(
    "parts",
    [
        [{"type": "Prepend", "prepend": "▁"}, replace(" ", "▁")],
        [
            replace("``", '"'),
            {"type": "NFKD"},
            {"type": "StripAccents"},
            {"type": "Lowercase"},
            replace(" {2,}", " ", "Regex"),
        ],
        [replace(char, f"<character {ord(char)}>") for char in "\n\t\r\f\v "],
        [replace("a", "aa")] * 9,
        [{"type": "NFC"}] * 200,
        [replace("a", "b"), replace("b", "a")] * 100,
    ],
)
def test_chains_that_do_not_are_read(parts):
    checked(parts)
