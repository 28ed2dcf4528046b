"""The words of a text are those of its segments, wherever a segment ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch.fast.pretokenize import split
from tokenarium.scratch.fast.segments import ends_before_spaces, segments
from tokenarium.scratch.pretokenize import GPT2

from tests.support.patterns import STORED
from tests.support.strings import TEXTS

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PUBLISHED = [GPT2, LLAMA3, *(pattern for pattern in STORED if r"\s" in pattern)]
UNITS = [
    " ",
    "  ",
    "\n",
    "\r\n",
    " \n",
    "\t",
    "\u3000",
    "\xa0",
    "'s",
    "'",
    "a",
    "Ab",
    "é",
    "12",
    "1234",
    "!",
    "/",
    "世",
]
SPACED = st.lists(st.one_of(st.sampled_from(UNITS), TEXTS), max_size=14).map("".join)


def test_the_published_patterns_can_be_cut():
    assert len(PUBLISHED) == 11
    assert all(map(ends_before_spaces, PUBLISHED))


@given(SPACED)
def test_the_words_of_the_segments_are_the_words_of_the_text(text):
    for pattern in PUBLISHED:
        first, *others = segments(pattern, text)
        parts = [first, *(f" {part}" for part in others)]
        assert "".join(parts) == text
        assert [word for part in parts for _, word in split(pattern, part)] == [
            word for _, word in split(pattern, text)
        ]


ACROSS = r"""
\w+·?    \w+\s    .+    [^a]+    a[^b]    \w+$    a(?=·)|.    a\b    (a·b)    (?i:a·b)    \S+(?!\S)    (?:a|·)+
(?s:.)    a\x20b    a\u0020    [[a-z]--[b]]+    [\w·]+    a|    (a)\1    (?x)a·b    a\Kb
"""


@pytest.mark.parametrize("pattern", [pattern.replace("·", " ") for pattern in ACROSS.split()])
def test_a_pattern_that_might_reach_across_is_not_cut(pattern):
    assert segments(pattern, "a b") == ["a b"]
