"""Pre-tokenizers split every code point as the tokenizers library does, and numbers into groups."""

import pytest
from tokenarium.errors import RegexTimeout
from tokenarium.scratch.compat.aligned import AlignedText
from tokenarium.scratch.compat.oniguruma.search import compile_onig_pattern
from tokenarium.scratch.compat.pipeline.normalizers import Replace
from tokenarium.scratch.compat.pipeline.pre_tokenizers import (
    ByteLevel,
    Digits,
    Punctuation,
    SplitPreTokenizer,
    Whitespace,
    WhitespaceSplit,
    apply_splitters,
)
from tokenarium.scratch.compat.pipeline.script_words import UnicodeScripts
from tokenizers import Regex, pre_tokenizers

from tests.support.code_points import CODE_POINTS

SOME = [char for char in CODE_POINTS if ord(char) < 0x20000 or ord(char) % 61 == 0]  # behind, one is as the other
LINES = [" ".join(f"a{char}1" for char in SOME[start : start + 4096]) for start in range(0, len(SOME), 4096)]
SPLITTERS = {
    "whitespace": (Whitespace(), pre_tokenizers.Whitespace()),
    "whitespace split": (WhitespaceSplit(), pre_tokenizers.WhitespaceSplit()),
    "punctuation": (Punctuation(), pre_tokenizers.Punctuation()),
    "digits": (Digits(individual_digits=True), pre_tokenizers.Digits(individual_digits=True)),
    "byte level": (ByteLevel(), pre_tokenizers.ByteLevel()),
}
CLASSES = ["L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "Nd", "P", "S", "Sc", "Pd", "Z", "Han", "Thai", "Arabic"]


@pytest.mark.parametrize("name", SPLITTERS)
def test_code_points_are_split_as_the_library_splits_it(name):
    ours, theirs = SPLITTERS[name]
    for line in LINES:
        found = [
            (word.text, word.span(0, len(word))) for word in apply_splitters([ours.pre_tokenize], AlignedText.of(line))
        ]
        assert found == theirs.pre_tokenize_str(line)


@pytest.mark.parametrize("pattern", [*(rf"\p{{{name}}}" for name in CLASSES), r"\s", r"\d", ".", "(?i:s)", "(?i:k)"])
def test_every_code_point_has_the_class_that_oniguruma_gives_it(pattern):
    every = "".join(CODE_POINTS)
    split = SplitPreTokenizer(compile_onig_pattern(pattern), "Removed", invert=True)
    ours = [word.text for word in split.pre_tokenize(AlignedText.of(every))]
    theirs = pre_tokenizers.Split(Regex(pattern), "removed", invert=True).pre_tokenize_str(every)
    assert "".join(ours) == "".join(word for word, _ in theirs)


@pytest.mark.parametrize(
    "work",
    [
        lambda pattern, text: list(SplitPreTokenizer(pattern, "Isolated").pre_tokenize(AlignedText.of(text))),
        lambda pattern, text: Replace(pattern, "").normalize(AlignedText.of(text)),
        lambda pattern, text: Replace(pattern, "").decode([text]),
    ],
)
def test_a_pattern_that_takes_for_ever_is_given_up(work):
    with pytest.raises(RegexTimeout, match="exceeded its time limit") as refused:
        work(compile_onig_pattern("(?:a|aa)+$"), "a" * 80 + "b")
    assert (refused.value.status, refused.value.code) == (422, "regex-timeout")


@pytest.mark.parametrize("mark", ["\u0589", "\u061c"])
def test_marks_that_have_been_given_a_script_since_have_none_in_the_library(mark):
    for text, words in [(f"\u0531{mark}", 2), (f"\u0627{mark}", 2), (f".{mark}", 1), (f"{mark}!a", 2)]:
        expected = [word for word, _ in pre_tokenizers.UnicodeScripts().pre_tokenize_str(text)]
        assert len(expected) == words
        assert [word.text for word in UnicodeScripts().pre_tokenize(AlignedText.of(text))] == expected
