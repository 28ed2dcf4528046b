"""What is written down while a text is cut into pieces, and that the cut is the same as without."""

from random import Random

import pytest
from tokenarium.scratch.compat.sentencepiece.bpe import ScoredBPE
from tokenarium.scratch.compat.sentencepiece.encode import Normalizer, SentencePiece
from tokenarium.scratch.compat.sentencepiece.trace import trace_by_likelihood, trace_by_score, trace_words
from tokenarium.scratch.fast.unigram.lattice import likelihood, n_best, sums_before, sums_behind


def test_sums_agree_from_both_ends_and_with_the_best_cut(registry):
    model = registry.get("udhr-unigram-16k", "scratch").trace("").lattice
    for word in ("▁understanding", "▁Menschenwürde", "▁"):
        before, behind = sums_before(model, word), sums_behind(model, word)
        ((best, _),) = n_best(model, word, 1)
        assert before[-1] == pytest.approx(best) == pytest.approx(behind[0])
        assert likelihood(model, word) >= best


def test_unknown_characters_join_across_words_into_one_token():
    model = ScoredBPE({"a": 1, "b": 2, "ab": 3}, {"a": 0.0, "b": 0.0, "ab": -1.0})
    whole = SentencePiece(model.pieces, Normalizer(dummy=False), unknown=0)
    source = Random(3)
    for _ in range(300):
        text = "".join(source.choices("ab! ?", k=9))
        words = trace_words(whole, model.words, trace_by_score(model), text)
        assert [token[0] for word in words for token in word.segmentation.tokens] == [*whole.encode(text)[0]]
        assert [word.byte_start for word in words[1:]] == [word.byte_end for word in words[:-1]]


def test_a_user_defined_symbol_is_a_word_of_its_own():
    model = ScoredBPE({"a": 1, "<x>": 2, "aa": 3}, {"a": 0.0, "aa": -1.0}, frozen=["<x>"])
    whole = SentencePiece(model.pieces, Normalizer(dummy=False), unknown=0)
    words = trace_words(whole, model.words, trace_by_score(model), "aa<x>a")
    assert [(word.segmentation.symbols, word.segmentation.special) for word in words] == [
        ("aa", False),
        ("<x>", True),
        ("a", False),
    ]


def test_the_sum_of_scores_runs_on_from_word_to_word(registry):
    model = registry.get("udhr-unigram-16k", "scratch").trace("").lattice
    first, second = trace_by_likelihood(model)(["▁human", "▁rights"])
    assert first.initial_score == 0.0
    assert second.initial_score == model.best("▁human", 0.0).end
