"""The laws of residual vector quantization."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tokenarium.scratch.rvq import decode, encode_codebooks, learn_codebooks

VECTORS = arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.floats(-1e3, 1e3))


@given(VECTORS, VECTORS, st.integers(1, 8), st.integers(1, 12))
def test_no_codebook_makes_any_vector_worse(learned, others, codebooks, size):
    books = [*learn_codebooks(learned, codebooks, size, rounds=3)]
    width = min(learned.shape[1], others.shape[1])
    held_out = np.zeros((len(others), learned.shape[1]))
    held_out[:, :width] = others[:, :width]
    for vectors in (learned, held_out):
        steps = [*encode_codebooks(vectors, [book.vectors for book in books])]
        errors = [np.square(vectors).sum(axis=1), *(np.square(step.left).sum(axis=1) for step in steps)]
        for before, after in pairwise(errors):
            assert (after <= before * (1 + 1e-9) + 1e-3).all()
        again = decode([step.tokens for step in steps], [step.vectors for step in steps])
        assert np.allclose(again + steps[-1].left, vectors, atol=1e-6)


def test_learning_gives_the_same_codebooks_again():
    vectors = np.random.default_rng(1).normal(size=(200, 8))
    first, again = ([book.vectors for book in learn_codebooks(vectors, 3, 16)] for _ in range(2))
    assert all((one == other).all() for one, other in zip(first, again, strict=True))
