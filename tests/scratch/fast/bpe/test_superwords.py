"""Superwords as they are trained fast are those of the teaching file, and tokenizing gives what training has seen."""

from itertools import chain
from typing import get_args

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.files.trained import tokenizer_json
from tokenarium.lab.train.exports import export, record
from tokenarium.registry import LOADERS
from tokenarium.scratch.bpe import encode_by_pairs
from tokenarium.scratch.compat.pipeline.pre_tokenizers import byte_alphabet, join_byte_level
from tokenarium.scratch.fast.bpe.superwords import Superwords
from tokenarium.scratch.fast.bpe.train import train_bpe
from tokenarium.scratch.fast.word_counts import count_text_words
from tokenarium.scratch.learn_bpe import Merged, TieRule
from tokenarium.scratch.pretokenize import GPT2
from tokenarium.scratch.superwords import PARTS, WEAK, iter_superword_steps
from tokenizers import Tokenizer

from tests.support.strings import NASTY, TEXTS

REPEATED = st.lists(
    st.sampled_from([*" of the: in a. 12\n", " of the", " in a", "\n\n", "  ", " the", *NASTY.values()]), max_size=30
).map("".join)
"""Texts in which the same words often follow each other."""
CORPORA = st.lists(REPEATED | TEXTS, min_size=1, max_size=4)


def train(texts, size, transition, **options):
    words, whole = (count_text_words(texts, pattern=pattern, trusted=True) for pattern in (GPT2, WEAK))
    *_, vocabulary = train_bpe(words, size=size, superwords=Superwords(transition, whole, WEAK), **options)
    return vocabulary


def spell(counts):
    """Words as one character of U+0000 to U+00FF for each byte."""
    return {word.encode().decode("latin-1"): count for word, count in counts.items()}


@pytest.mark.parametrize("ties", get_args(TieRule))
@given(CORPORA, st.integers(256, 290), st.integers(1, 3))
def test_the_merges_are_those_of_the_teaching_file(ties, texts, transition, min_frequency):
    size = transition + 15
    words, whole = (spell(count_text_words(texts, pattern=pattern)) for pattern in (GPT2, WEAK))
    alphabet = sorted(map(chr, range(256)), key=lambda byte: byte_alphabet()[ord(byte)])
    rules = {"ties": ties, "min_frequency": min_frequency, "alphabet": alphabet}
    taught = iter_superword_steps(words, whole, transition=transition, **rules)
    merges = [step.pair for step in taught if isinstance(step, Merged)][: size - 256]
    vocabulary = train(texts, size, transition, ties=ties, min_frequency=min_frequency)
    pieces = [join_byte_level([piece]).decode("latin-1") for piece in vocabulary.pieces]
    assert [(pieces[a], pieces[b]) for a, b in vocabulary.merges] == merges


@given(CORPORA, TEXTS)
def test_tokenizers_gives_the_ids_of_all_engines_and_of_all_merges_in_their_order(texts, other):
    vocabulary = train(texts, 300, 270, special_tokens=["<s>"])
    library = Tokenizer.from_buffer(tokenizer_json(vocabulary))
    library.encode_special_tokens = True  # as text
    exported = record(vocabulary, export(vocabulary), id="superwords", title="")
    engines = [LOADERS[name](exported) for name in exported.info.engines]
    pieces = vocabulary.pieces
    merges = [(pieces[a], pieces[b]) for a, b in vocabulary.merges]
    for text in [*texts, other]:
        ids = library.encode(text, add_special_tokens=False).ids
        assert [engine.encode(text).ids.tolist() for engine in engines] == [ids] * len(engines)
        spelled = ["".join(byte_alphabet()[byte] for byte in word.encode()) for word in regex.findall(WEAK, text)]
        assert [pieces[id] for id in ids] == [*chain.from_iterable(encode_by_pairs([*w], merges) for w in spelled)]


@given(REPEATED | TEXTS)
def test_the_pattern_cuts_a_text_around_the_parts_that_stay_apart(text):
    assert regex.findall(WEAK, text) == [*filter(None, regex.split(f"({PARTS})", text))]
