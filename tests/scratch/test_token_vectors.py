"""Vectors of tokens: the same places give the same row, other places rows at right angles."""

import numpy as np
from tokenarium.scratch.token_vectors import cosines, iter_vector_stages


def test_tokens_of_the_same_places_get_the_same_direction_whatever_their_counts():
    counts = np.array([[4.0, 0, 2], [2, 0, 1], [0, 3, 0]])
    *_, vectors = iter_vector_stages(counts, width=3)
    assert cosines(vectors.numbers, 0).round(6).tolist() == [1, 1, 0]


def test_with_all_its_numbers_a_row_has_the_lengths_and_angles_of_its_ppmi():
    counts = np.random.default_rng(1).integers(0, 5, (6, 4)).astype(float) + 1
    _, ppmi, vectors = iter_vector_stages(counts, width=4)
    assert np.allclose(vectors.numbers @ vectors.numbers.T, ppmi.numbers @ ppmi.numbers.T)
