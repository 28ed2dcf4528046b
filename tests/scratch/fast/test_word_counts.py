"""Words are counted text by text, as tokenizers cuts them, and a pattern that takes for ever is given up."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import Invalid, RegexTimeout
from tokenarium.scratch.compat.pipeline.pre_tokenizers import byte_alphabet
from tokenarium.scratch.fast.word_counts import count_text_words, iter_word_counts, with_digits
from tokenarium.scratch.pretokenize import GPT2
from tokenizers import pre_tokenizers

from tests.support.strings import TEXTS

BYTES = {char: byte for byte, char in enumerate(byte_alphabet())}


def bytes_of(spelled):
    return bytes(map(BYTES.__getitem__, spelled)).decode()


@given(st.lists(TEXTS, max_size=4), st.booleans())
def test_each_text_is_cut_as_tokenizers_cuts_it(texts, trusted):
    cut = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str
    words = Counter(bytes_of(word) for text in texts for word, _ in cut(text))
    assert count_text_words(texts, pattern=GPT2, trusted=trusted) == words


def test_no_word_goes_over_the_end_of_a_text():
    assert count_text_words(["a\n", "\nb"], pattern=r"\s+|\w+") == {"a": 1, "\n": 2, "b": 1}
    assert count_text_words(["to be", "", "to be"], pattern="") == {"to be": 2}


def test_special_tokens_are_cut_out_the_longest_first():
    words = count_text_words(["<s><s>x</s>y<s"], pattern=r".+", special_tokens=["<s>", "</s>", "<s><s>", ""])
    assert words == {"x": 1, "y<s": 1}


def test_what_lies_between_special_tokens_is_normalized():
    assert count_text_words(["AB[UNK]Cd"], pattern="", special_tokens=["[UNK]"], normalize=str.lower) == {
        "ab": 1,
        "cd": 1,
    }


def test_progress_is_told_after_about_every_megabyte_and_at_the_end():
    told = iter_word_counts(iter(["ab " * 250_000] * 3), pattern=r"\w+", trusted=True)
    assert [(step.characters, step.words["ab"]) for step in told] == [(1_500_000, 500_000), (2_250_000, 750_000)]
    assert [(step.characters, len(step.words)) for step in iter_word_counts([], pattern="")] == [(0, 0)]


def test_a_pattern_that_takes_for_ever_is_given_up():
    with pytest.raises(RegexTimeout):
        count_text_words(["a" * 80 + "b"], pattern="(?:a|aa)+$")


@pytest.mark.parametrize("pattern", ["(", "[a", "a{2,1}", "*"])
def test_a_pattern_that_is_no_regular_expression_is_refused(pattern):
    with pytest.raises(Invalid) as refused:
        count_text_words(["a"], pattern=pattern)
    assert refused.value.pointer == "/pattern"


@pytest.mark.parametrize(
    ("pattern", "single", "three"),
    [
        (GPT2, GPT2.replace(r" ?\p{N}+", r"\p{N}"), GPT2.replace(r" ?\p{N}+", r"\p{N}{1,3}")),
        (r"[^\p{N}+]|\p{N}{1,3}+|\\d", r"[^\p{N}+]|\p{N}|\\d", r"[^\p{N}+]|\p{N}{1,3}|\\d"),
        (r"\d*|\p{Nd}", r"\d|\p{Nd}", r"\d{1,3}|\p{Nd}{1,3}"),
        (r"\S+", r"\p{N}|[^\s\p{N}]+", r"\p{N}{1,3}|[^\s\p{N}]+"),
    ],
)
def test_runs_of_numbers_are_made_shorter(pattern, single, three):
    assert with_digits(pattern, "pattern") == pattern
    assert with_digits(pattern, "single") == single
    assert with_digits(pattern, "three") == three


def test_a_pattern_without_numbers_has_no_policy_of_digits():
    with pytest.raises(Invalid):
        with_digits(r"\w+", "single")


def test_each_digit_can_be_a_word():
    text = ["in 2024, 12345"]
    assert [*count_text_words(text, pattern=with_digits(GPT2, "three"))] == ["in", " ", "202", "4", ",", "123", "45"]
    assert [*count_text_words(text, pattern=with_digits(GPT2, "single"))] == [
        "in",
        " ",
        "2",
        "0",
        "4",
        ",",
        "1",
        "3",
        "5",
    ]
