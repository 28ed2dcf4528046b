"""The ASCII automaton finds what the pattern finds, for every pattern of the store."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch.fast.pretokenize import ascii_pattern, finder, split

from tests.support.patterns import STORED

UNITS = ["'s", "'LL", "\r\n", "  ", "\n", "/", "A", "b", "bC", "12", "3456", "\t", "\x1c", "\x0b", "!?"]
LETTERS = st.text(st.characters(max_codepoint=127), max_size=4)
ASCII_TEXTS = st.lists(st.one_of(st.sampled_from(UNITS), LETTERS), max_size=12).map("".join)


@given(ASCII_TEXTS)
def test_it_finds_the_same_words(text):
    for pattern in STORED:
        assert ascii_pattern(pattern).findall(text) == [word for _, word in split(pattern, text)], pattern
        assert list(finder(pattern)(text)) == ascii_pattern(pattern).findall(text)


@pytest.mark.parametrize(("pattern", "text"), [(r"\p{Greek}+|\w", "ab"), (r"(a)|b", "ab"), (r"a(?|b|c)|.", "abx")])
def test_patterns_that_re_reads_otherwise_or_not_at_all_still_give_their_words(pattern, text):
    assert list(finder(pattern)(text)) == [word for _, word in split(pattern, text)]
