"""The fast learner of BPE makes the choices of the teaching file, of the published examples, and of tokenizers."""

import json
from collections import Counter
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch import learn_bpe
from tokenarium.scratch.compat.pipeline.pre_tokenizers import byte_alphabet
from tokenarium.scratch.fast.bpe.learn import BPELearner
from tokenarium.scratch.fast.bpe.symbol_corpus import build_byte_corpus, characters
from tokenarium.scratch.fast.pretokenize import finder
from tokenarium.scratch.pretokenize import GPT2
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from benchmarks.text import english, mixed
from tests.support.strings import TEXTS

COUNTS = st.dictionaries(st.text("abc", min_size=1, max_size=12), st.integers(1, 4), max_size=8)
TIES = get_args(learn_bpe.TieRule)


def learned(corpus, most=None, **options):
    """The merges, in spellings, with their counts."""
    steps = BPELearner(corpus, **options).steps(most)
    return [(*(corpus.spellings[ord(symbol)] for symbol in step.pair), step.times) for step in steps]


def learned_by_definition(counts, ties):
    """The merges and the words they leave, by the teaching file."""
    steps = [step for step in learn_bpe.iter_learning_steps(counts, ties=ties) if isinstance(step, learn_bpe.Merged)]
    merges = [(*step.pair, step.frequency) for step in steps]
    return merges, steps[-1].words if steps else [[*map(ord, word)] for word in characters(counts).words]


def test_of_equally_good_pairs_the_lexicographically_greatest_is_merged_as_in_stanfords_cs336():
    merges = learned(
        characters({"low": 5, "lower": 2, "widest": 3, "newest": 6}), min_frequency=1, ties="lexicographically-greatest"
    )
    assert [f"{first} {second}" for first, second, _ in merges[:12]] == [
        "s t", "e st", "o w", "l ow", "w est", "n e", "ne west", "w i", "wi d", "wid est", "low e", "lowe r",
    ]  # fmt: skip


@pytest.mark.parametrize("ties", TIES)
@given(COUNTS)
def test_the_heap_chooses_as_the_definition_does(ties, counts):
    corpus = characters(counts)
    merges, left = learned_by_definition(counts, ties)
    assert learned(corpus, ties=ties) == merges
    assert [[*map(ord, word)] for word in corpus.words] == left


@given(COUNTS, st.integers(0, 30))
def test_pairs_places_and_size_are_those_of_the_words_after_every_step(counts, most):
    learner = BPELearner(corpus := characters(counts))
    for _ in learner.steps(most):
        pass
    seen = Counter()
    for word, count in zip(corpus.words, corpus.counts, strict=True):
        for pair in map("".join, pairwise(word)):
            seen[pair] += count
    assert corpus.pairs == seen
    assert corpus.size == sum(len(word) * count for word, count in zip(corpus.words, corpus.counts, strict=True))
    for pair in [pair for pair, count in seen.items() if count > 1]:
        assert {i for i, word in enumerate(corpus.words) if pair in word} <= set(corpus.places[pair])


@pytest.mark.parametrize("ties", TIES)
@given(counts=COUNTS)
def test_the_first_candidate_is_the_one_taken_and_all_stand_in_order(ties, counts):
    learner = BPELearner(corpus := characters(counts), ties=ties)
    for choice in learner.steps():
        found = learner.best(1000)
        assert found[0] == choice[:2]
        assert [count for _, count in found] == sorted(corpus.pairs.values(), reverse=True)
        assert dict(found) == corpus.pairs
        assert learner.count_ties() == [*corpus.pairs.values()].count(choice.times) - 1


def hugging_face(counts, pre_tokenizer, alphabet, size):
    """The merges that tokenizers learns, at most until its vocabulary has that size."""
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizer
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=2, initial_alphabet=alphabet, show_progress=False)
    library.train_from_iterator((word for word, count in counts.items() for _ in range(count)), trainer)
    return [tuple(merge) for merge in json.loads(library.to_str())["model"]["merges"]]


def spelled_as_gpt2(text):
    alphabet = byte_alphabet()
    return "".join(alphabet[byte] for byte in text.encode("latin-1"))


@given(st.dictionaries(st.text("abcdé", min_size=1, max_size=20), st.integers(1, 5), min_size=1, max_size=30))
def test_over_characters_it_learns_what_tokenizers_learns(counts):
    ours = learned(characters(counts), ties="smallest")
    assert [merge[:2] for merge in ours] == hugging_face(counts, pre_tokenizers.WhitespaceSplit(), [], 10_000)


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_over_bytes_it_learns_what_tokenizers_learns(texts):
    counts = Counter(word for text in texts for word in finder(GPT2)(text))
    corpus = build_byte_corpus(counts, numbering="gpt2")
    ours = [tuple(map(spelled_as_gpt2, merge[:2])) for merge in learned(corpus, ties="smallest")]
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert ours == hugging_face(Counter(texts), byte_level, byte_level.alphabet(), 10_000)


@pytest.mark.parametrize("text", [english(100_000), mixed(100_000)], ids=["English", "mixed scripts"])
def test_of_100_kilobytes_it_learns_all_merges_that_tokenizers_learns(text):
    corpus = build_byte_corpus(Counter(finder(GPT2)(text)), numbering="gpt2")
    ours = [tuple(map(spelled_as_gpt2, merge[:2])) for merge in learned(corpus, ties="smallest")]
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert len(ours) > 2600
    assert ours == hugging_face({text: 1}, byte_level, byte_level.alphabet(), 10_000)


def test_the_walk_through_with_a_mistake():
    learner = BPELearner(corpus := characters({"aabacaacbacb": 1}))
    named = [{"".join(corpus.spellings[ord(symbol)] for symbol in pair): count for pair, count in learner.best(9)}]
    for _ in learner.steps(1):
        pass
    named.append({" ".join(corpus.spellings[ord(symbol)] for symbol in pair): n for pair, n in learner.best(2)})
    assert named == [{"ac": 3, "aa": 2, "ba": 2, "cb": 2, "ab": 1, "ca": 1}, {"b ac": 2, "ac b": 2}]
    assert corpus.spell_word(0) == ["a", "a", "b", "ac", "a", "ac", "b", "ac", "b"]
    assert learned(corpus, 1) == [("b", "ac", 2)]
    assert corpus.spell_word(0) == ["a", "a", "bac", "a", "ac", "bac", "b"]


def test_a_run_of_one_letter_is_merged_from_the_left():
    corpus = characters({"aaaaa": 1, "baaa": 1})
    assert learned(corpus, 1) == [("a", "a", 6)]
    assert [corpus.spell_word(0), corpus.spell_word(1)] == [["aa", "aa", "a"], ["b", "aa", "a"]]
    assert learned(characters({"aaaaa": 1}), min_frequency=1) == [("a", "a", 4), ("aa", "aa", 1), ("aaaa", "a", 1)]


def test_nothing_is_merged_below_the_least_count():
    assert learned(characters({"ab": 2, "cd": 3}), min_frequency=3) == [("c", "d", 3)]


def test_a_choice_is_made_only_when_the_learner_goes_on():
    steps = BPELearner(corpus := characters({"abab": 1})).steps()
    assert next(steps).spelling == "ab"
    assert corpus.spell_word(0) == ["a", "b", "a", "b"]
    assert next(steps, None) is None
    assert corpus.spell_word(0) == ["ab", "ab"]


def test_a_word_of_fifty_thousand_letters_is_halved_again_and_again():
    corpus = characters({"a" * 50_000: 1})
    assert [len(a) for a, _, _ in learned(corpus)] == [2**power for power in range(15)]
    assert corpus.size == 50_000 // 2**15 + (50_000 % 2**15).bit_count()
