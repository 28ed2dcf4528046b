"""The ASCII automaton finds what the pattern finds, and the words of a text are those of its parts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch.fast.pretokenize import ascii_pattern, ends_before_spaces, finder, split
from tokenarium.scratch.pretokenize import GPT2

from tests.support.patterns import STORED
from tests.support.strings import TEXTS

UNITS = ["'s", "'LL", "\r\n", "  ", "\n", "/", "A", "b", "bC", "12", "3456", "\t", "\x1c", "\x0b", "!?"]
LETTERS = st.text(st.characters(max_codepoint=127), max_size=4)
ASCII_TEXTS = st.lists(st.one_of(st.sampled_from(UNITS), LETTERS), max_size=12).map("".join)
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PUBLISHED = [GPT2, LLAMA3, *(pattern for pattern in STORED if r"\s" in pattern)]
SEGMENT_UNITS = [
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
SPACED = st.lists(st.one_of(st.sampled_from(SEGMENT_UNITS), TEXTS), max_size=14).map("".join)


@given(ASCII_TEXTS)
def test_it_finds_the_same_words(text):
    for pattern in STORED:
        assert ascii_pattern(pattern).findall(text) == [word for _, word in split(pattern, text)], pattern
        assert list(finder(pattern)(text)) == ascii_pattern(pattern).findall(text)


@pytest.mark.parametrize(("pattern", "text"), [(r"\p{Greek}+|\w", "ab"), (r"(a)|b", "ab"), (r"a(?|b|c)|.", "abx")])
def test_patterns_that_re_reads_otherwise_or_not_at_all_still_give_their_words(pattern, text):
    assert list(finder(pattern)(text)) == [word for _, word in split(pattern, text)]


def test_the_published_patterns_can_be_cut():
    assert len(PUBLISHED) == 11
    assert all(map(ends_before_spaces, PUBLISHED))


PLACE = re.compile(r"(?<!\s)(?= )")


@given(SPACED)
def test_the_words_of_the_parts_are_the_words_of_the_text(text):
    parts = PLACE.split(text)
    for pattern in PUBLISHED:
        assert [word for part in parts for _, word in split(pattern, part)] == [
            word for _, word in split(pattern, text)
        ]


ACROSS = r"""
\w+·?    \w+\s    .+    [^a]+    a[^b]    \w+$    a(?=·)|.    a\b    (a·b)    (?i:a·b)    \S+(?!\S)    (?:a|·)+
(?s:.)    a\x20b    a\u0020    [[a-z]--[b]]+    [\w·]+    a|    (a)\1    (?x)a·b    a\Kb
"""


@pytest.mark.parametrize("pattern", [pattern.replace("·", " ") for pattern in ACROSS.split()])
def test_a_pattern_that_might_reach_across_is_not_cut(pattern):
    assert not ends_before_spaces(pattern)
