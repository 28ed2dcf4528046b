"""The metrics: by hand on texts that a reader can count, and what must hold on every text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.metrics import (
    WORD,
    boundaries,
    boundary_agreement,
    bytes_per_token,
    measure,
    premium,
    renyi_efficiency,
    retention,
    utilisation,
)
from tokenarium.lab.text_index import TextIndex
from tokenarium.lab.tokenize import tokenize

from tests.support.strings import NASTY, TEXTS

STORE = ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased", "udhr-unigram-16k", "words", "bytes"]


def measured(registry, text, tokenizer):
    return measure(tokenize(registry, text, tokenizer=tokenizer), TextIndex(text))


def places(registry, text, tokenizer):
    return boundaries(tokenize(registry, text, tokenizer=tokenizer).encoding, TextIndex(text))


def test_the_greeting_in_o200k_is_the_published_example(registry):
    measures = measured(registry, "Hello, 🌍! 你好!", "o200k_base")
    assert (measures.tokens, measures.bytes, measures.characters, measures.words, measures.distinct) == (
        8,
        20,
        13,
        2,
        7,
    )
    assert measures.bytes_per_token == 2.5
    assert measures.fertility == 4.0
    assert measures.retention == 1.0
    assert (measures.unknown, measures.byte_fallback) == (0.0, 0.0)


def test_bytes_and_characters_of_the_greeting_have_the_published_ratios(registry):
    assert measured(registry, "Hello, 🌍! 你好!", "bytes").bytes_per_token == 1.0
    assert measured(registry, "Hello, 🌍! 你好!", "characters").bytes_per_token == pytest.approx(1.538, abs=5e-4)


def test_wordpiece_by_hand(registry):
    """unhappily = un ##ha ##pp ##ily, read = read: five tokens for two words, one of them whole, the space dropped."""
    measures = measured(registry, "unhappily read", "bert-base-uncased")
    assert (measures.tokens, measures.fertility, measures.retention) == (5, 2.5, 0.5)
    assert measures.word_agreement == pytest.approx(1 / 4)
    assert (measures.fidelity, measures.exact) == (1.0, True)


def test_what_bert_changes_is_not_faithful(registry):
    measures = measured(registry, "Ab c", "bert-base-uncased")
    assert measures.fidelity == pytest.approx(2 / 3)
    assert not measures.exact
    assert not measured(registry, "a  b", "bert-base-uncased").exact


def test_an_unknown_token_keeps_no_word_whole_and_gives_nothing_back(registry):
    measures = measured(registry, "the 🌍", "bert-base-uncased")
    assert measures.unknown == 0.5
    assert measures.fidelity == pytest.approx(3 / 7)
    assert measured(registry, "𝓊𝓃", "bert-base-uncased").retention == 0.0


def test_byte_fallback_is_counted_and_comes_back(registry):
    measures = measured(registry, "🜏", "mistral-v1")
    assert measures.byte_fallback == pytest.approx(4 / 5)  # the space in front, then four bytes
    assert (measures.fidelity, measures.exact) == (1.0, True)


def test_two_digits_groupings_agree_in_part(registry):
    """123 456 7 against single digits: two of six boundaries."""
    assert boundary_agreement(
        *(places(registry, "1234567", name) for name in ("o200k_base", "characters"))
    ) == pytest.approx(1 / 3)


def test_renyi_efficiency_by_hand():
    """Counts 3, 2, 1, 1: 0.12024 + 0.04363 + 2 x 0.00771 = 0.17930; -ln / 1.5 = 1.14578; over ln 4 = 0.82651."""
    assert renyi_efficiency(np.array([3, 2, 1, 1])) == pytest.approx(0.82651, abs=5e-6)
    assert renyi_efficiency(np.array([1, 1, 1])) == pytest.approx(1.0)
    assert renyi_efficiency(np.array([1, 1]), types=4) == pytest.approx(0.5)
    assert renyi_efficiency(np.array([7])) is None


def test_what_has_no_divisor_is_none(registry):
    measures = measured(registry, "", "bert-base-uncased")
    assert (measures.tokens, measures.bytes_per_token, measures.fertility, measures.retention) == (0, None, None, None)
    assert (measures.renyi, measures.fidelity, measures.unknown) == (None, None, None)
    assert (measures.word_agreement, measures.exact) == (1.0, True)
    assert bytes_per_token(0, tokens=0) is premium(1, english=0) is utilisation(1, vocabulary=None) is None


def test_a_vocabulary_that_grows_is_used_whole(registry):
    assert measured(registry, "one two one", "words").utilisation == 1.0


def test_a_token_over_two_words_keeps_both_whole_and_a_dropped_word_none():
    from tokenarium.types import Encoding

    def cut(starts, ends):
        spans = np.array(starts, np.int32), np.array(ends, np.int32)
        return Encoding(np.zeros(len(starts), np.uint32), *spans, *spans, np.zeros(len(starts), np.uint8))

    assert retention(cut([0], [5]), TextIndex("ab cd")) == 1.0
    assert retention(cut([3], [5]), TextIndex("ab cd")) == 0.5
    assert retention(cut([0, 0, 3], [2, 2, 5]), TextIndex("é cd")) == 0.5


@given(text=st.one_of(TEXTS, st.text(st.sampled_from("aé1١ि'’-_ .𝓊"), max_size=30)))
def test_words_are_those_that_the_playground_counts(text):
    passage, data = TextIndex(text), text.encode()
    spans = [*zip(passage.word_starts.tolist(), passage.word_ends.tolist(), strict=True)]
    assert [data[start:end].decode() for start, end in spans] == WORD.findall(text)


@pytest.mark.parametrize("tokenizer", STORE)
@given(text=TEXTS)
def test_shares_are_shares_and_exactness_is_what_the_decoder_gives(registry, tokenizer, text):
    tokenization = tokenize(registry, text, tokenizer=tokenizer)
    measures = measure(tokenization, TextIndex(text))
    bounded = ("retention", "renyi", "utilisation", "word_agreement", "fidelity", "unknown", "byte_fallback")
    for name in bounded:
        value = getattr(measures, name)
        assert value is None or -1e-9 <= value <= 1 + 1e-9, name
    if tokenization.encoding.grown:
        assert measures.exact
    else:
        assert measures.exact == (tokenization.tokenizer.decode(tokenization.encoding.ids.tolist()) == text.encode())


@given(text=st.one_of(TEXTS, st.sampled_from([*NASTY.values()])))
def test_agreement_is_symmetric_and_whole_with_itself(registry, text):
    cuts = [places(registry, text, tokenizer) for tokenizer in STORE]
    for one in cuts:
        assert boundary_agreement(one, one) == 1.0
        for other in cuts:
            assert boundary_agreement(one, other) == boundary_agreement(other, one)
            assert 0.0 <= boundary_agreement(one, other) <= 1.0


def test_the_premium_of_published_counts_is_the_published_premium():
    """Petrov et al. 2023, cl100k_base: 52,835 tokens of English, 795,074 of Shan, 78,313 of Portuguese."""
    assert premium(795_074, english=52_835) == pytest.approx(15.05, abs=5e-3)
    assert premium(78_313, english=52_835) == pytest.approx(1.48, abs=5e-3)
    assert premium(20, english=30) == pytest.approx(2 / 3)


@given(tokens=st.integers(1, 10**6), english=st.integers(1, 10**6))
def test_a_premium_times_the_english_count_is_the_count(tokens, english):
    assert round(premium(tokens, english=english) * english) == tokens
    assert (premium(tokens, english=english) > 1) == (tokens > english)
