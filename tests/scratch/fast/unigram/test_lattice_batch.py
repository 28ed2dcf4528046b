"""Sums over all paths of many words at once are those of each word alone."""

from math import isclose

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch.fast.unigram.encode import Unigram
from tokenarium.scratch.fast.unigram.lattice import likelihood, sums_before
from tokenarium.scratch.fast.unigram.seeds import Seeds

WORDS = st.dictionaries(st.text("ab", min_size=1, max_size=12), st.integers(1, 4), min_size=1, max_size=6)


def made(words, source):
    """The lattices of words, scores for their pieces, and the model they make."""
    seeds = Seeds(words, most=1_000, longest=5)
    scores = -source.random(len(seeds.counts)) * 5
    spelled = [seeds.spell(id) for id in range(len(scores))]
    model = Unigram(
        {piece: id for id, piece in enumerate(spelled)}, dict(zip(spelled, scores, strict=True)), unknown=-1, wide=True
    )
    (part,) = seeds.parts()
    return part, scores, model, sorted(words, key=len, reverse=True)


@given(WORDS, st.integers(0, 2**32 - 1))
def test_best_paths_and_sums_over_all_are_those_of_each_word(words, number):
    part, scores, model, order = made(words, np.random.default_rng(number))
    lattices = part.lattices
    paths = lattices.find_best(scores)
    for word, end in zip(order, lattices.nodes.ends.tolist(), strict=True):
        assert isclose(paths.sums[end], sums_before(model, word)[-1])
    uses = np.zeros(len(scores))
    for word, count in words.items():
        for id, _ in model.best(word, 0.0).pieces:
            uses[id] += count
    assert lattices.count_used(paths, part.counts, len(scores)).tolist() == uses.tolist()
    told = sum(count * likelihood(model, word) for word, count in words.items())
    assert isclose(lattices.count_expected(scores, part.counts)[1], told, abs_tol=1e-9)


@given(WORDS, st.integers(0, 2**32 - 1))
def test_each_character_is_in_one_expected_piece(words, number):
    part, scores, _, _ = made(words, np.random.default_rng(number))
    expected, _ = part.lattices.count_expected(scores, part.counts)
    sizes = Seeds(words, most=1_000, longest=5).lengths
    assert isclose((expected * sizes).sum(), sum(len(word) * count for word, count in words.items()))


def test_a_long_word_of_many_good_paths_stays_within_a_float():
    part, scores, model, (word,) = made({"a" * 4_000: 1}, np.random.default_rng(0))
    expected, told = part.lattices.count_expected(scores / 100, part.counts)
    assert np.isfinite(expected).all()
    assert told > 1_000
    assert isclose(part.lattices.count_expected(scores, part.counts)[1], likelihood(model, word))
