"""BPE in rounds of many merges learns what BPE learns one by one."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.examples import EXAMPLES
from tokenarium.scratch.fast.bpe.batched_corpus import BatchedCorpus
from tokenarium.scratch.fast.bpe.learn import BPELearner
from tokenarium.scratch.fast.bpe.learn_batches import BatchedBPELearner
from tokenarium.scratch.fast.bpe.merge_order import MergeFilter
from tokenarium.scratch.fast.bpe.symbol_corpus import SymbolCorpus, number_bytes
from tokenarium.scratch.fast.pretokenize import finder
from tokenarium.scratch.pretokenize import GPT2


def one_by_one(words, counts, spellings, *, min_frequency, most=None, longest=None):
    corpus = SymbolCorpus(words, counts, spellings, min_frequency=min_frequency)
    allowed = MergeFilter(corpus, longest=longest)
    learner = BPELearner(corpus, ties="smallest", min_frequency=min_frequency, allowed=allowed)
    return [(*choice, corpus.size) for choice in learner.steps(most)], corpus.size


def at_once(words, counts, spellings, *, min_frequency, most=None, longest=None):
    corpus = BatchedCorpus(words, counts, spellings, min_frequency=min_frequency)
    learner = BatchedBPELearner(corpus, allowed=MergeFilter(corpus, longest=longest))
    return [(*choice, corpus.size) for choice in learner.steps(most)], corpus.size


@given(
    st.dictionaries(st.text("\0\1\2", max_size=12), st.integers(1, 5), max_size=20),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([None, 1, 7]),
    st.sampled_from([None, 3]),
)
def test_few_symbols_in_any_order_are_merged_as_one_by_one(counts, min_frequency, most, longest):
    words = [*counts], [*counts.values()], ["a", "b", "c"]
    options = {"min_frequency": min_frequency, "most": most, "longest": longest}
    assert at_once(*words, **options) == one_by_one(*words, **options)


@given(st.integers(0, 10**6), st.sampled_from([2, 4, 12]), st.sampled_from([1, 2]))
def test_hundreds_of_words_are_merged_as_one_by_one(seed, letters, min_frequency):
    source = random.Random(seed)
    drawn = ["".join(map(chr, source.choices(range(letters), k=source.randrange(1, 9)))) for _ in range(300)]
    counts = Counter(drawn)
    words = [*counts], [*counts.values()], [*map(str, range(letters))]
    assert at_once(*words, min_frequency=min_frequency) == one_by_one(*words, min_frequency=min_frequency)


@pytest.mark.parametrize("run", range(1, 40))
def test_runs_of_a_symbol_are_merged_from_the_left(run):
    words = ["\0" * run, "\1" + "\0" * run], [2, 3], ["a", "b"]
    assert at_once(*words, min_frequency=1) == one_by_one(*words, min_frequency=1)


def test_the_examples_in_all_scripts_are_merged_as_one_by_one():
    counts = Counter(word for example in EXAMPLES for word in finder(GPT2)(example.text))
    words, times, spellings, _ = number_bytes(counts, numbering="gpt2")
    words = [*words]
    assert len({len(word) for word in words}) > 9
    assert at_once(words, times, spellings, min_frequency=1) == one_by_one(words, times, spellings, min_frequency=1)
