"""The learner with an index of pairs makes the merges of the one that counts all pairs again."""

from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch.incremental_bpe import MergedWords, Stale, learn_by_index
from tokenarium.scratch.learn_bpe import learn

COUNTS = st.dictionaries(st.text("abc", min_size=1, max_size=9), st.integers(1, 5), min_size=1, max_size=9)


@given(COUNTS)
def test_its_merges_are_those_of_the_learner_that_counts_again(counts):
    vocabulary = sorted({letter for word in counts for letter in word})
    words = [[vocabulary.index(letter) for letter in word] for word in counts]
    merges = []
    for step in learn_by_index(words, [*counts.values()]):
        if isinstance(step, MergedWords):
            first, second = (vocabulary[id] for id in step.pair)
            vocabulary.append(first + second)
            merges.append((first, second, step.frequency))
    assert merges == learn(counts, ties="smallest")


@given(COUNTS)
def test_an_entry_of_the_heap_never_says_less_than_the_count(counts):
    words = [[*map(ord, word)] for word in counts]
    stale = [step for step in learn_by_index(words, [*counts.values()]) if isinstance(step, Stale)]
    assert all(step.said > step.frequency for step in stale)
