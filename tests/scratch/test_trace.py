"""What is written down while a text is cut, and that the cut is the same as without."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from tokenarium.scratch.compat.sentencepiece.bpe import ScoredBPE
from tokenarium.scratch.compat.sentencepiece.encode import Normalizer, SentencePiece
from tokenarium.scratch.compat.sentencepiece.trace import trace_by_likelihood, trace_by_score, trace_words
from tokenarium.scratch.fast.bpe.encode import merge
from tokenarium.scratch.fast.bpe.trace import trace_byte_merges
from tokenarium.scratch.fast.unigram.lattice import forward, likelihood, n_best, sums_before, sums_behind
from tokenarium.scratch.fast.wordpiece.encode import WordPiece

from tests.strings import TEXTS


def test_merges_below_its_own_rank_make_a_token_that_is_taken_whole():
    ranks = {b"t": 0, b"h": 1, b"e": 2, b"th": 3, b"he": 4, b"the": 5}
    cut = trace_byte_merges(b"the", ranks)
    assert (cut.whole, cut.merges) == (True, [(3, 0, 1, 2), (5, 0, 2, 3)])


def test_merges_stop_at_the_rank_of_a_token_that_they_do_not_reach():
    ranks = {b"t": 0, b"h": 1, b"e": 2, b"th": 3, b"the": 4, b"he": 9}
    assert trace_byte_merges(b"the", ranks | {b"th": 8}).merges == []
    assert trace_byte_merges(b"he", ranks).merges == [(9, 0, 1, 2)]


def test_what_wordpiece_looks_up_is_written_down_without_changing_the_cut():
    model = WordPiece({"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3, "##a": 4})
    tried = []
    assert model.pieces("unaffable", tried) == model.pieces("unaffable") == [(1, 0, 2), (2, 2, 5), (3, 5, 9)]
    assert tried == [(0, 6, 2, 1), (2, 8, 5, 2), (5, 9, 9, 3)]


@given(TEXTS)
def test_the_way_back_through_a_lattice_is_the_best_cut(registry, text):
    trace = registry.get("udhr-unigram-16k", "scratch").trace(text)
    for word in trace.words:
        symbols, end, cut = word.segmentation.symbols, len(word.segmentation.symbols), []
        arrived = forward(trace.lattice, symbols, word.segmentation.initial_score)
        while end:
            start, id, _ = arrived[end - 1]
            cut.append((id, end - start))
            end = start
        assert cut[::-1] == trace.lattice.best(symbols, word.segmentation.initial_score).pieces


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
        assert [token[0] for word in words for token in word.segmentation.tokens] == [
            id for id, *_ in whole.encode(text)
        ]
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


@given(TEXTS)
def test_merges_replayed_leave_the_parts_of_the_merge(registry, text):
    ranks = registry.get("gpt2", "scratch").trace("").ranks
    data = text.encode()
    edges = [*range(len(data) + 1)]
    merge(data, ranks, done := [])
    for _, start, middle, end in done:
        assert edges[edges.index(middle) - 1] == start
        assert edges[edges.index(middle) + 1] == end
        edges.remove(middle)
    assert [data[a:b] for a, b in pairwise(edges)] == merge(data, ranks)
