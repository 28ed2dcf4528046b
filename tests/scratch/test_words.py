"""Pre-tokenizers split every code point as the tokenizers library does, and numbers into groups."""

import pytest
import regex
from tokenizers import Regex, pre_tokenizers

from app.errors import RegexTimeout
from app.scratch import decode
from app.scratch.aligned import Aligned
from app.scratch.normalize import replace
from app.scratch.words import (
    byte_level,
    digit_groups,
    digits,
    in_turn,
    punctuation,
    split,
    whitespace,
    whitespace_split,
)

ALL = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
SOME = [char for char in ALL if ord(char) < 0x20000] + ALL[0x20000::61]  # behind, one is as the other
LINES = [" ".join(f"a{char}1" for char in SOME[start : start + 4096]) for start in range(0, len(SOME), 4096)]
SPLITTERS = {
    "whitespace": (whitespace, pre_tokenizers.Whitespace()),
    "whitespace split": (whitespace_split, pre_tokenizers.WhitespaceSplit()),
    "punctuation": (punctuation(), pre_tokenizers.Punctuation()),
    "digits": (digits(individual=True), pre_tokenizers.Digits(individual_digits=True)),
    "byte level": (byte_level(), pre_tokenizers.ByteLevel()),
}
CLASSES = ["L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "Nd", "P", "S", "Sc", "Pd", "Z", "Han", "Thai", "Arabic"]


@pytest.mark.parametrize("name", SPLITTERS)
def test_code_points_are_split_as_the_library_splits_it(name):
    ours, theirs = SPLITTERS[name]
    for line in LINES:
        found = [(word.text, word.span(0, len(word))) for word in in_turn([ours], Aligned.of(line))]
        assert found == theirs.pre_tokenize_str(line)


@pytest.mark.parametrize("pattern", [*(rf"\p{{{name}}}" for name in CLASSES), r"\s", r"\d", ".", "(?i:s)", "(?i:k)"])
def test_every_code_point_has_the_class_that_oniguruma_gives_it(pattern):
    every = "".join(ALL)
    ours = [word.text for word in split(regex.compile(pattern), "removed", invert=True)(Aligned.of(every))]
    theirs = pre_tokenizers.Split(Regex(pattern), "removed", invert=True).pre_tokenize_str(every)
    assert "".join(ours) == "".join(word for word, _ in theirs)


@pytest.mark.parametrize(
    ("from_right", "number", "groups"),
    [
        (False, "1234567", ["123", "456", "7"]),
        (True, "1234567", ["1", "234", "567"]),
        (True, "123456", ["123", "456"]),
        (False, "x12y", ["x", "12", "y"]),
        (True, "x12345", ["x", "12", "345"]),
        (True, "", []),
        (False, "٣٤٥٦", ["٣٤٥", "٦"]),
    ],
)
def test_numbers_are_cut_in_groups_of_three(from_right, number, groups):
    assert [word.text for word in digit_groups(from_right=from_right)(Aligned.of(number))] == groups


@pytest.mark.parametrize(
    "work",
    [
        lambda pattern, text: list(split(pattern, "isolated")(Aligned.of(text))),
        lambda pattern, text: replace(pattern, "")(Aligned.of(text)),
        lambda pattern, text: decode.replace(pattern, "")([text]),
    ],
)
def test_a_pattern_that_takes_for_ever_is_given_up(work):
    with pytest.raises(RegexTimeout, match="given up") as refused:
        work(regex.compile("(?:a|aa)+$"), "a" * 80 + "b")
    assert (refused.value.status, refused.value.code) == (422, "regex-timeout")
